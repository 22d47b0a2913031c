"""The wikilinks that say one of some names: in notes and in decisions, with where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gitmem.cache.connection import Connection
from gitmem.core.ranking import format_key

_MANY = 4

_IN_NOTES = """
    SELECT note.nid, note_link.number, vault.name, note.path, target, heading, block
    FROM note_link CROSS JOIN note ON note.nid = note_link.nid
    CROSS JOIN vault ON vault.vid = note.vid WHERE note_link.name IN (?*)
"""
_IN_RECORDS = """
    SELECT record.id, target, heading, block
    FROM record_link CROSS JOIN record ON record.rid = record_link.rid
    WHERE record.rid NOT IN (SELECT rid FROM orphan) AND record_link.name IN (?*)
"""


class Backlink(NamedTuple):
    """A link as it is written. `source` is the key of the document that it stands in, "" for a
    page without chunks, of which `nid` is the row."""

    source: str
    nid: int | None
    vault: str
    path: str
    target: str
    heading: str
    block: str


def list_backlinks(db: Connection, names: Iterable[str], most: int) -> list[Backlink] | None:
    """Links that may mean what is called so, by key; None where there are so many that they
    tell nothing."""
    wanted = sorted(set(names))
    limit = most * _MANY + 1
    in_records = db.query_in(f"{_IN_RECORDS} LIMIT {limit}", wanted)
    in_notes = db.query_in(f"{_IN_NOTES} LIMIT {limit}", wanted)
    if len(in_records) + len(in_notes) >= limit:
        return None
    rows = db.query_in(
        "SELECT nid, number, id FROM chunk WHERE nid IN (?*)", {row[0] for row in in_notes}
    )
    chunks = {(nid, number): chunk_id for nid, number, chunk_id in rows}
    found = [
        Backlink(format_key("record", record_id.hex()), None, "", "", *said)
        for record_id, *said in in_records
    ]
    for nid, number, *where in in_notes:
        chunk_id = chunks.get((nid, number))
        source = format_key("note", chunk_id) if chunk_id else ""
        found.append(Backlink(source, nid, *where))
    return sorted(found)
