"""What a wikilink leads to: a page, else a decision by its id, else the decisions on a path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gitmem.cache.connection import Connection
from gitmem.cache.path_ids import find_path_ids
from gitmem.core.note_names import Page, choose_pages, format_candidates, link_name, path_of
from gitmem.core.notes import Chunk
from gitmem.core.passages import find_chunk
from gitmem.core.ranking import format_key

LEAST_DIGITS = 4
ID_DIGITS = 64
_MOST_PAGES = 1000
_MOST_CHUNKS = 500
_SHOWN = 12
_HEX = frozenset("0123456789abcdef")

_BY_ID = """
    SELECT rid, id FROM record WHERE id BETWEEN ? AND ? AND kind = 'decision'
    AND is_withheld = 0 AND rid NOT IN (SELECT rid FROM orphan) ORDER BY id LIMIT ?
"""
_ON_PATH = """
    SELECT record.rid, record.id FROM listing CROSS JOIN record ON record.rid = listing.rid
    WHERE listing.pid = ? AND record.kind = 'decision' AND record.is_withheld = 0
    AND record.rid NOT IN (SELECT rid FROM orphan)
    ORDER BY listing.seq DESC, listing.tie DESC, listing.rid DESC LIMIT ?
"""
_PAGES = """
    SELECT DISTINCT note.nid, vault.name, note.path, note.aliases
    FROM note_name CROSS JOIN note ON note.nid = note_name.nid
    CROSS JOIN vault ON vault.vid = note.vid
    WHERE note_name.name = ? ORDER BY note.nid LIMIT ?
"""


class Target(NamedTuple):
    """What a link leads to: a note by its row, or decisions by their ids. `candidates` are
    those between which an ambiguous one cannot choose; `is_known` is false for one that leads
    nowhere."""

    nid: int | None = None
    ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    is_known: bool = True


def find_pages(db: Connection, name: str) -> list[Page]:
    """The pages that a folded name may mean; of very many the first ones."""
    return [
        Page(nid, vault, path, tuple(aliases.split("\n")))
        for nid, vault, path, aliases in db.query(_PAGES, (name, _MOST_PAGES))
    ]


def list_on_path(db: Connection, pid: int, most: int) -> list[str]:
    """Ids of the decisions on a path, newest first."""
    return [record_id.hex() for _, record_id in db.query(_ON_PATH, (pid, most))]


class LinkTargets:
    """Finds what links lead to, each once. `most`: of the decisions on a path at most so
    many."""

    def __init__(self, db: Connection, most: int) -> None:
        self._db = db
        self._most = most
        self._found: dict[tuple[str, str, str], Target] = {}

    def find(self, target: str, vault: str, path: str) -> Target:
        """What a link leads to that stands on this page of this vault; "" for both where it
        stands in a decision."""
        folder = path.rpartition("/")[0]
        asked = (target, vault, folder)
        if asked not in self._found:
            self._found[asked] = self._find(target, vault, path, folder)
        return self._found[asked]

    def _find(self, target: str, vault: str, path: str, folder: str) -> Target:
        pages = find_pages(self._db, link_name(target, folder))
        chosen = choose_pages(target, pages, vault=vault, path=path)
        if len(chosen) > 1:
            return Target(candidates=format_candidates(chosen))
        if chosen:
            return Target(nid=chosen[0].key)
        if LEAST_DIGITS <= len(target) <= ID_DIGITS and _HEX.issuperset(target):
            low, high = target.ljust(ID_DIGITS, "0"), target.ljust(ID_DIGITS, "f")
            bounds = (bytes.fromhex(low), bytes.fromhex(high), _SHOWN)
            ids = tuple(record_id.hex() for _, record_id in self._db.query(_BY_ID, bounds))
            if len(ids) > 1:
                return Target(candidates=tuple(one[:_SHOWN] for one in ids))
            if ids:
                return Target(ids=ids)
        pids = find_path_ids(self._db, [path_of(target).strip("/")])
        on_path = [one for pid in pids for one in list_on_path(self._db, pid, self._most + 1)]
        return Target(ids=tuple(on_path) if len(on_path) <= self._most else (), is_known=bool(pids))

    def list_keys(self, target: Target, heading: str, block: str) -> list[str]:
        """The documents that a link leads to: of a note the chunk that it means."""
        if target.nid is not None:
            chunk_id = self._find_chunk(target.nid, heading, block)
            return [format_key("note", chunk_id)] if chunk_id else []
        return [format_key("record", one) for one in target.ids]

    def _find_chunk(self, nid: int, heading: str, block: str) -> str | None:
        """None for a hub, which has none."""
        if not heading and not block:
            first: str | None = self._db.scalar(
                "SELECT id FROM chunk WHERE nid = ? AND number = 0", (nid,)
            )
            return first
        rows = self._db.query(
            "SELECT id, number, heading, line, text FROM chunk WHERE nid = ?"
            " ORDER BY number LIMIT ?",
            (nid, _MOST_CHUNKS),
        )
        found = find_chunk([Chunk(*row) for row in rows], heading, block)
        return found.id if found else None


def iter_id_names(record_id: str) -> Iterable[str]:
    """Every name by which a link may say a record's id."""
    return (record_id[:digits] for digits in range(LEAST_DIGITS, ID_DIGITS + 1))
