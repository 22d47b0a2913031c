"""The index over the code's history: how it grows. Its questions are in `commit_queries`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from gitmem.cache.commit_forgetting import keep_commits
from gitmem.cache.commit_queries import CommitQueries, list_tips
from gitmem.cache.connection import Connection
from gitmem.cache.path_ids import PathIds, storable
from gitmem.cache.segments import ensure_segments, refresh_live
from gitmem.core.history import Commit
from gitmem.core.reasons import has_reason
from gitmem.core.segments import SegmentRef, is_segment_name

_RECORDS_FOLDER = ".gitmem/records/"


class CacheCommits(CommitQueries):
    """`ports.commits.CommitIndex` on SQLite."""

    def __init__(self, db: Connection, paths: PathIds) -> None:
        super().__init__(db)
        self._paths = paths

    def add_commits(self, batch: Sequence[Commit]) -> None:
        db = self._db
        with db.transaction():
            self._paths.begin()
            try:
                fresh = self._assign_orders(batch)
                reasons = {cid: has_reason(commit) for cid, commit in fresh}
                self._insert_commits(fresh, reasons)
                self._insert_touches(fresh, reasons)
                self._move_tips(fresh)
                self._insert_added(fresh)
            except BaseException:
                self._paths.forget()
                raise

    def set_head(
        self,
        worktree: str,
        head: str | None,
        outside: Sequence[str],
        *,
        tips: Sequence[str] | None = None,
    ) -> bool:
        db = self._db
        with db.transaction():
            if tips is not None and list_tips(db) != list(tips):
                return False
            last = db.scalar("SELECT max(cid) FROM code_commit") or 0
            db.query(
                "INSERT INTO head (worktree, oid, last_cid) VALUES (?, ?, ?) ON CONFLICT (worktree)"
                " DO UPDATE SET oid = excluded.oid, last_cid = excluded.last_cid",
                (worktree, head, last),
            )
            hid = db.scalar("SELECT hid FROM head WHERE worktree = ?", (worktree,))
            db.query("DELETE FROM outside WHERE hid = ?", (hid,))
            rows = db.query_in(
                "SELECT cid FROM code_commit WHERE oid IN (?*)", map(bytes.fromhex, outside)
            )
            db.run_many(
                "INSERT INTO outside (hid, cid) VALUES (?, ?)",
                sorted((hid, cid) for (cid,) in rows),
            )
            return True

    def keep_commits(self, kept: Collection[str], tips: Sequence[str]) -> None:
        db = self._db
        with db.transaction():
            self._paths.forget()
            keep_commits(db, {bytes.fromhex(oid) for oid in kept}, map(bytes.fromhex, tips))

    def _assign_orders(self, batch: Sequence[Commit]) -> list[tuple[int, Commit]]:
        """New commits with their order: after everything that is there, in the batch's order."""
        db = self._db
        last = db.scalar("SELECT max(cid) FROM code_commit") or 0
        commits = {bytes.fromhex(commit.oid): commit for commit in batch}
        if last:
            rows = db.query_in("SELECT oid FROM code_commit WHERE oid IN (?*)", commits)
            for (oid,) in rows:
                del commits[oid]
        return list(enumerate(commits.values(), last + 1))

    def _insert_commits(self, fresh: list[tuple[int, Commit]], reasons: dict[int, bool]) -> None:
        self._db.insert_many(
            "INSERT INTO code_commit (cid, oid, at, has_reason, is_merge, author, email, message)"
            " VALUES",
            [
                (
                    cid,
                    bytes.fromhex(commit.oid),
                    commit.at,
                    reasons[cid],
                    len(commit.parents) > 1,
                    _text(commit.author),
                    _text(commit.email),
                    _text(commit.message),
                )
                for cid, commit in fresh
            ],
        )

    def _insert_touches(self, fresh: list[tuple[int, Commit]], reasons: dict[int, bool]) -> None:
        """One row a path and commit; a path that a rename left counts as deleted by it."""
        names = {touch.path for _, commit in fresh for touch in commit.touches}
        names.update(
            touch.old_path
            for _, commit in fresh
            for touch in commit.touches
            if touch.old_path is not None
        )
        stored = {name: storable(name) for name in names}
        ids = self._paths.ensure(stored.values())
        pids = {name: ids[path] for name, path in stored.items()}
        rows: dict[tuple[int, int], tuple[int, int, int, bool, str, int | None]] = {}
        for cid, commit in fresh:
            at, reason = commit.at, reasons[cid]
            for touch in commit.touches:
                pid = pids[touch.path]
                if touch.old_path is None:
                    rows[pid, cid] = (pid, cid, at, reason, touch.status, None)
                    continue
                old = pids[touch.old_path]
                rows[pid, cid] = (pid, cid, at, reason, touch.status, old)
                if touch.status == "R":
                    rows.setdefault((old, cid), (old, cid, at, reason, "D", None))
        self._db.insert_many(
            "INSERT INTO touch (pid, cid, at, has_reason, status, old_pid) VALUES",
            [rows[key] for key in sorted(rows)],
        )

    def _move_tips(self, fresh: list[tuple[int, Commit]]) -> None:
        parents = {parent for _, commit in fresh for parent in commit.parents}
        db = self._db
        own = {commit.oid: cid for cid, commit in fresh}
        db.run_many(
            "INSERT INTO tip (cid) VALUES (?)",
            [(cid,) for oid, cid in own.items() if oid not in parents],
        )
        older = [bytes.fromhex(oid) for oid in parents if oid not in own]
        rows = db.query_in("SELECT cid FROM code_commit WHERE oid IN (?*)", older)
        db.run_many("DELETE FROM tip WHERE cid = ?", rows)

    def _insert_added(self, fresh: list[tuple[int, Commit]]) -> None:
        added = [
            (SegmentRef(PurePosixPath(touch.path).name, touch.blob), cid)
            for cid, commit in fresh
            for touch in commit.touches
            if touch.path.startswith(_RECORDS_FOLDER) and touch.status in ("A", "R", "C")
            if is_segment_name(PurePosixPath(touch.path).name)
        ]
        if not added:
            return
        sids = ensure_segments(self._db, [ref for ref, _ in added])
        self._db.run_many(
            "INSERT OR IGNORE INTO added (sid, cid) VALUES (?, ?)",
            [(sids[ref], cid) for ref, cid in added],
        )
        refresh_live(self._db, sids.values())


def _text(text: str) -> str:
    """Text that can be stored: what was no UTF-8 is replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
