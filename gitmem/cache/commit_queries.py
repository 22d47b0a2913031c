"""What is asked of the history index, each answer relative to one work tree's HEAD."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitmem.cache.connection import Connection
from gitmem.cache.names import Reach, list_names
from gitmem.cache.path_ids import find_path_ids
from gitmem.core.history import IndexedCommit, PathSpan
from gitmem.core.paths import fold_path
from gitmem.core.segments import SegmentRef

_HEX = frozenset("0123456789abcdef")
_OID_BYTES = 32


def list_tips(db: Connection) -> list[str]:
    """Inside a transaction: indexed commits without indexed children, in their order."""
    rows = db.query("SELECT oid FROM tip JOIN code_commit USING (cid) ORDER BY cid")
    return [oid.hex() for (oid,) in rows]


class _Seen(msgspec.Struct, frozen=True, array_like=True):
    """One commit that touched what was asked for."""

    at: int
    cid: int
    has_reason: bool
    path: str


class CommitQueries:
    """The reading half of `ports.commits.CommitIndex`."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_tips(self) -> list[str]:
        with self._db.snapshot():
            return list_tips(self._db)

    def is_settled(self) -> bool:
        return bool(self._db.scalar("SELECT 1 FROM head WHERE oid IS NOT NULL LIMIT 1"))

    def get_head(self, worktree: str) -> str | None:
        head: str | None = self._db.scalar("SELECT oid FROM head WHERE worktree = ?", (worktree,))
        return head

    def list_names(self, path: str, worktree: str) -> list[PathSpan]:
        with self._db.snapshot():
            return list_names(self._db, path, self._reach(worktree))

    def list_commits(
        self, spans: Sequence[PathSpan], worktree: str, *, limit: int, with_reason: bool
    ) -> list[IndexedCommit]:
        """By the committer's time; commits of one second by their order."""
        with self._db.snapshot():
            reach = self._reach(worktree)
            if _is_everything(spans):
                seen = self._list_all(reach, limit, with_reason=with_reason)
            else:
                touched = self._collect(spans, reach)
                seen = [one for one in touched.values() if one.has_reason or not with_reason]
                seen.sort(key=lambda one: (one.at, one.cid), reverse=True)
            return self._load(seen[: max(0, limit)])

    def count_commits(self, spans: Sequence[PathSpan], worktree: str) -> tuple[int, int]:
        with self._db.snapshot():
            reach = self._reach(worktree)
            if _is_everything(spans):
                return self._count_all(reach, 0)
            seen = self._collect(spans, reach).values()
            return len(seen), sum(one.has_reason for one in seen)

    def count_since(self, commit: str, spans: Sequence[PathSpan], worktree: str) -> int | None:
        """A commit came after another if its order is higher."""
        if not _HEX.issuperset(commit) or len(commit) % 2:
            return None
        with self._db.snapshot():
            order: int | None = self._db.scalar(
                "SELECT cid FROM code_commit WHERE oid = ?", (bytes.fromhex(commit),)
            )
            if order is None:
                return None
            reach = self._reach(worktree)
            if _is_everything(spans):
                return self._count_all(reach, order)[0]
            return sum(cid > order for cid in self._collect(spans, reach))

    def find_commits(self, prefix: str, *, limit: int) -> list[IndexedCommit]:
        """Sorted by id."""
        prefix = prefix.lower()
        if not prefix or not _HEX.issuperset(prefix) or len(prefix) > 2 * _OID_BYTES:
            return []
        with self._db.snapshot():
            rows = self._db.query(
                "SELECT cid, at, has_reason FROM code_commit WHERE oid BETWEEN ? AND ?"
                " ORDER BY oid LIMIT ?",
                (
                    bytes.fromhex(prefix + "0" * (len(prefix) % 2)),
                    bytes.fromhex(prefix.ljust(2 * _OID_BYTES, "f")),
                    limit,
                ),
            )
            return self._load([_Seen(at, cid, bool(reason), "") for cid, at, reason in rows])

    def list_added_segments(self, *, unprojected: bool) -> list[SegmentRef]:
        rows = self._db.query(
            "SELECT DISTINCT name, blob FROM added JOIN segment USING (sid)"
            " WHERE source IS NULL OR NOT ? ORDER BY name, blob",
            (unprojected,),
        )
        return [SegmentRef(name, blob) for name, blob in rows]

    def _reach(self, worktree: str) -> Reach:
        rows = self._db.query(
            "SELECT last_cid, hid FROM head WHERE worktree = ? AND oid IS NOT NULL", (worktree,)
        )
        return Reach(*rows[0]) if rows else Reach(0, 0)

    def _collect(self, spans: Sequence[PathSpan], reach: Reach) -> dict[int, _Seen]:
        """Order → commit, of HEAD's commits that touched the spans, each once; its path is
        that of the first span that fits."""
        found: dict[int, _Seen] = {}
        for span in spans:
            for pid, path in self._list_paths(span.path):
                rows = self._db.query(
                    """
                    SELECT at, cid, has_reason FROM touch
                    WHERE pid = ? AND cid >= ? AND cid < ? AND cid <= ? AND NOT EXISTS (
                        SELECT 1 FROM outside
                        WHERE outside.hid = ? AND outside.cid = touch.cid
                    )
                    """,
                    (
                        pid,
                        span.since or 0,
                        reach.last + 1 if span.before is None else span.before,
                        reach.last,
                        reach.hid,
                    ),
                )
                for at, cid, reason in rows:
                    if cid not in found:
                        found[cid] = _Seen(at, cid, bool(reason), path)
        return found

    def _list_paths(self, name: str) -> list[tuple[int, str]]:
        """(row id, path) of a path in every spelling, or of all under a folder; sorted by path."""
        if name and not name.endswith("/"):
            rows = self._db.query_in(
                "SELECT path, pid FROM path WHERE pid IN (?*)", find_path_ids(self._db, [name])
            )
        else:
            low = fold_path(name)
            high = low[:-1] + "0" if low else "\U0010ffff"
            rows = self._db.query(
                "SELECT path, pid FROM path WHERE path >= ? AND path < ? UNION SELECT path, pid"
                " FROM spelling JOIN path USING (pid) WHERE folded >= ? AND folded < ?",
                (low, high, low, high),
            )
        return [(pid, path) for path, pid in sorted(rows)]

    def _list_all(self, reach: Reach, limit: int, *, with_reason: bool) -> list[_Seen]:
        rows = self._db.query(
            """
            SELECT at, cid, has_reason FROM code_commit
            WHERE cid <= ? AND has_reason >= ? AND NOT EXISTS (
                SELECT 1 FROM outside WHERE outside.hid = ? AND outside.cid = code_commit.cid
            ) ORDER BY at DESC, cid DESC LIMIT ?
            """,
            (reach.last, with_reason, reach.hid, max(0, limit)),
        )
        return [_Seen(at, cid, bool(reason), "") for at, cid, reason in rows]

    def _count_all(self, reach: Reach, after: int) -> tuple[int, int]:
        rows = self._db.query(
            """
            SELECT count(*), coalesce(sum(has_reason), 0) FROM code_commit
            WHERE cid > ? AND cid <= ? AND NOT EXISTS (
                SELECT 1 FROM outside WHERE outside.hid = ? AND outside.cid = code_commit.cid
            )
            """,
            (after, reach.last, reach.hid),
        )
        return int(rows[0][0]), int(rows[0][1])

    def _load(self, seen: Sequence[_Seen]) -> list[IndexedCommit]:
        rows = self._db.query_in(
            "SELECT cid, oid, author, message, is_merge FROM code_commit WHERE cid IN (?*)",
            [one.cid for one in seen],
        )
        by_order = {row[0]: row for row in rows}
        return [
            IndexedCommit(
                by_order[one.cid][1].hex(),
                one.cid,
                one.at,
                by_order[one.cid][2],
                by_order[one.cid][3],
                one.has_reason,
                bool(by_order[one.cid][4]),
                one.path,
            )
            for one in seen
        ]


def _is_everything(spans: Sequence[PathSpan]) -> bool:
    return any(not span.path for span in spans)
