"""The read side of the cache: which records, in which order, and where they stand."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Any

import msgspec

from gitmem.cache.about import list_about
from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.held import Standing, find_standings
from gitmem.cache.path_ids import find_path_ids
from gitmem.cache.rows import decode_body, is_intact, key_number, tie_of
from gitmem.cache.versions import FOLDER_LIST, KIND_LIST
from gitmem.core.paths import fold_path
from gitmem.core.records import Problem
from gitmem.core.view import Counts, Held

_HEX = frozenset("0123456789abcdef")
_ID_DIGITS = 64
_DECISIONS = KIND_LIST + "decision"


class CacheRecords:
    """`ports.cache.Records` on SQLite. Records that no place has any more, and no commit
    added, are never listed; `get_held` gives them, with no place."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_by_paths(
        self, paths: Sequence[str], *, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        names = [_list_name(path) for path in paths]
        with self._db.snapshot():
            return self._list(find_path_ids(self._db, names), limit, offset)

    def list_recent(
        self, *, limit: int, offset: int = 0, kind: str | None = None
    ) -> tuple[list[str], int]:
        with self._db.snapshot():
            if kind is not None:
                return self._list(find_path_ids(self._db, [KIND_LIST + kind]), limit, offset)
            pids = self._list_kinds()
            total = sum(self._count(pid) for pid in pids)
            return self._page(pids, limit, offset), total

    def list_by_commits(self, commits: Sequence[str]) -> list[str]:
        """Sorted by id."""
        oids = [bytes.fromhex(oid) for oid in commits if _is_hex(oid) and len(oid) % 2 == 0]
        with self._db.snapshot():
            added = self._db.query_in(
                """
                SELECT DISTINCT holding.rid FROM code_commit
                CROSS JOIN added ON added.cid = code_commit.cid
                CROSS JOIN segment ON segment.sid = added.sid
                CROSS JOIN holding ON holding.sid = segment.source
                WHERE code_commit.oid IN (?*)
                """,
                oids,
            )
            named = self._db.query_in("SELECT rid FROM mention WHERE name IN (?*)", commits)
            rows = self._db.query_in(
                "SELECT id FROM record WHERE kind = 'decision'"
                " AND rid NOT IN (SELECT rid FROM orphan) AND rid IN (?*)",
                sorted({rid for (rid,) in added + named}),
            )
            return sorted(record_id.hex() for (record_id,) in rows)

    def list_about(self, ids: Iterable[str]) -> set[str]:
        wanted = {bytes.fromhex(record_id) for record_id in ids if _is_id(record_id)}
        with self._db.snapshot():
            return {record_id.hex() for record_id in list_about(self._db, wanted)}

    def get_held(self, ids: Iterable[str], worktree: str) -> list[Held]:
        """Raises CacheDamaged for a record whose bytes are not what its id says."""
        wanted = sorted({bytes.fromhex(record_id) for record_id in ids if _is_id(record_id)})
        with self._db.snapshot():
            rows = self._db.query_in(
                "SELECT rid, id, kind, is_withheld, body FROM record WHERE id IN (?*)", wanted
            )
            standings = find_standings(self._db, [row[0] for row in rows], worktree)
            held = [_build_held(row, standings[row[0]]) for row in rows]
        return sorted(held, key=lambda one: one.record.id)

    def list_by_key(self, key: str) -> list[str]:
        rows = self._db.query(
            "SELECT id FROM record WHERE key = ?"
            " AND rid NOT IN (SELECT rid FROM orphan) ORDER BY id",
            (key_number(key),),
        )
        return [record_id.hex() for (record_id,) in rows]

    def resolve_prefix(self, prefix: str, *, limit: int) -> list[str]:
        prefix = prefix.lower()
        if not _is_hex(prefix) or len(prefix) > _ID_DIGITS:
            return []
        with self._db.snapshot():
            rows = self._db.query(
                "SELECT id FROM record WHERE id BETWEEN ? AND ?"
                " AND rid NOT IN (SELECT rid FROM orphan) ORDER BY id LIMIT ?",
                (
                    bytes.fromhex(prefix.ljust(_ID_DIGITS, "0")),
                    bytes.fromhex(prefix.ljust(_ID_DIGITS, "f")),
                    limit,
                ),
            )
            return [record_id.hex() for (record_id,) in rows]

    def match_paths(self, text: str, *, limit: int) -> list[str]:
        tail = fold_path(text)[::-1]
        if not tail:
            return []
        rows = self._db.query(
            "SELECT path FROM path WHERE reversed = ? OR reversed > ? AND reversed < ?"
            " ORDER BY path LIMIT ?",
            (tail, tail + "/", tail + "0", limit),
        )
        return [path for (path,) in rows]

    def list_ids(self, place: str) -> set[str]:
        with self._db.snapshot():
            rows = self._db.query_in(
                "SELECT id FROM record WHERE rid IN (?*)", self._list_rids(place)
            )
            return {record_id.hex() for (record_id,) in rows}

    def get_counts(self, worktree: str) -> Counts:
        """`pending` are records in the spools of this clone that stand in no commit yet."""
        with self._db.snapshot():
            kinds = self._list_kinds()
            spooled = self._list_rids("spool:*")
            standings = find_standings(self._db, spooled, worktree)
            return Counts(
                records=sum(self._count(pid) for pid in kinds),
                pending=sum(not one.places.is_committed for one in standings.values()),
                private=len(self._list_rids("private")),
                quarantined=self._db.scalar(
                    "SELECT count(*) FROM problem JOIN segment USING (sid) WHERE is_live"
                ),
                max_seq=max((self._last_seq(pid) for pid in kinds), default=0),
            )

    def list_problems(self, *, limit: int) -> list[Problem]:
        rows = self._db.query(
            """
            SELECT place, line, code, detail, id FROM problem JOIN segment USING (sid)
            WHERE is_live ORDER BY place, name, line, code, detail LIMIT ?
            """,
            (limit,),
        )
        return [Problem(*row) for row in rows]

    def _list(self, pids: Sequence[int], limit: int, offset: int) -> tuple[list[str], int]:
        """One page of the records of some lists, newest first, and how many there are."""
        total = self._count(pids[0]) if len(pids) == 1 else self._count_distinct(pids)
        return self._page(pids, limit, offset), total

    def _page(self, pids: Sequence[int], limit: int, offset: int) -> list[str]:
        end = max(0, offset) + max(0, limit)
        pages = [
            self._db.query(
                "SELECT seq, tie, rid FROM listing"
                " WHERE pid = ? AND rid NOT IN (SELECT rid FROM orphan)"
                " ORDER BY seq DESC, tie DESC, rid DESC LIMIT ?",
                (pid, end),
            )
            for pid in pids
        ]
        merged = (row for row, _ in groupby(heapq.merge(*pages, reverse=True)))
        page = list(islice(merged, max(0, offset), end))
        found = self._db.query_in(
            "SELECT rid, seq, id FROM record WHERE rid IN (?*)", [rid for _, _, rid in page]
        )
        ids = {
            (seq, tie_of(record_id.hex()), rid): record_id.hex() for rid, seq, record_id in found
        }
        return [ids[row] for row in page]

    def _list_kinds(self) -> list[int]:
        """The lists that together hold every record once."""
        rows = self._db.query(
            "SELECT pid FROM path WHERE path > ? AND path < ?",
            (KIND_LIST, KIND_LIST + "\U0010ffff"),
        )
        return [pid for (pid,) in rows]

    def _last_seq(self, pid: int) -> int:
        return self._db.scalar("SELECT max(seq) FROM listing WHERE pid = ?", (pid,)) or 0

    def _count(self, pid: int) -> int:
        total = self._db.scalar("SELECT total FROM path WHERE pid = ?", (pid,)) or 0
        orphaned = self._db.scalar(
            """
            SELECT count(*) FROM orphan CROSS JOIN listing ON listing.pid = ?
            AND listing.seq = orphan.seq AND listing.tie = orphan.tie
            AND listing.rid = orphan.rid
            """,
            (pid,),
        )
        return int(total - orphaned)

    def _count_distinct(self, pids: Sequence[int]) -> int:
        rids: set[int] = set()
        for pid in pids:
            rows = self._db.query(
                "SELECT rid FROM listing WHERE pid = ? AND rid NOT IN (SELECT rid FROM orphan)",
                (pid,),
            )
            rids.update(rid for (rid,) in rows)
        return len(rids)

    def _list_rids(self, place: str) -> list[int]:
        """Row ids of the records that a place holds; a `*` at its end stands for anything."""
        low, high = place, place
        if place.endswith("*"):
            low, high = place[:-1], place[:-1] + "\U0010ffff"
        rows = self._db.query(
            """
            WITH places AS (SELECT plid FROM place WHERE name BETWEEN ? AND ?), sids AS (
                SELECT sid FROM place_segment WHERE plid IN places
                UNION SELECT sid FROM shelf_segment JOIN place_shelf USING (shid)
                WHERE plid IN places
            )
            SELECT DISTINCT rid FROM sids CROSS JOIN segment USING (sid)
            CROSS JOIN holding ON holding.sid = segment.source
            """,
            (low, high),
        )
        return [rid for (rid,) in rows]


def _build_held(row: tuple[Any, ...], standing: Standing) -> Held:
    _, record_id, kind, is_withheld, body = row
    if not is_withheld and not is_intact(record_id.hex(), body):
        raise CacheDamaged(f"the cache is damaged: record {record_id.hex()[:12]} was changed")
    try:
        record = decode_body(kind, body, is_withheld=bool(is_withheld))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CacheDamaged(f"a stored record does not decode: {error}") from error
    return Held(
        record,
        b"" if is_withheld else body,
        standing.places,
        standing.added_by,
        standing.writers,
        bool(is_withheld),
        standing.removed_by,
    )


def _list_name(path: str) -> str:
    """The name of the list of a path; with a slash at its end of all under a folder, and with
    a slash and a dot of the folder itself."""
    if path.endswith("/."):
        return path[:-1]
    if not path:
        return _DECISIONS
    if path.startswith("/"):
        return ""
    return FOLDER_LIST + path if path.endswith("/") else path


def _is_hex(text: str) -> bool:
    return bool(text) and _HEX.issuperset(text)


def _is_id(text: str) -> bool:
    return len(text) == _ID_DIGITS and _is_hex(text)
