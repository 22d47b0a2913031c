"""Wikilinks that lead nowhere, or to several things: of all vaults, and of decisions."""

from __future__ import annotations

from collections.abc import Iterator

from gitmem.cache.connection import Connection
from gitmem.cache.link_targets import LinkTargets
from gitmem.core.note_names import is_attachment
from gitmem.core.notes import BadLink

_NOTES = """
    SELECT note.nid, vault.name, note.path FROM vault JOIN note ON note.vid = vault.vid
    ORDER BY vault.name, note.path
"""


def list_bad_links(db: Connection, *, limit: int) -> list[BadLink]:
    """Sorted by vault, path and line; those of decisions first, with "" as their vault and the
    decision's id as their path. Pictures and other files that are no pages are left alone."""
    targets = LinkTargets(db, 1)
    bad: list[BadLink] = []
    for vault, path, line, target in _iter_links(db):
        if len(bad) >= limit:
            break
        found = targets.find(target, vault, path if vault else "")
        if found.candidates or (not found.is_known and not is_attachment(target)):
            bad.append(BadLink(vault, path, line, target, found.candidates))
    return bad


def _iter_links(db: Connection) -> Iterator[tuple[str, str, int, str]]:
    rows = db.query(
        """
        SELECT record.id, target FROM record_link
        CROSS JOIN record ON record.rid = record_link.rid
        WHERE record.rid NOT IN (SELECT rid FROM orphan) ORDER BY record.id, position
        """
    )
    for record_id, target in rows:
        yield "", record_id.hex(), 0, target
    for nid, vault, path in db.query(_NOTES):
        links = db.query(
            "SELECT line, target FROM note_link WHERE nid = ? ORDER BY line, position", (nid,)
        )
        for line, target in links:
            yield vault, path, line, target
