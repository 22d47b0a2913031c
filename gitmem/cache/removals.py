"""Which commit took a segment away again: what a record that was reverted was reverted by."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.cache.connection import Connection


def find_remover(db: Connection, sids: Sequence[int], worktree: str) -> str | None:
    """The latest commit of HEAD's history that removed one of these segments."""
    names = db.query_in("SELECT DISTINCT name FROM segment WHERE sid IN (?*)", sids)
    latest: tuple[int, bytes] | None = None
    for (name,) in names:
        tail = name[::-1]
        rows = db.query(
            """
            SELECT code_commit.cid, code_commit.oid FROM path
            JOIN touch ON touch.pid = path.pid AND touch.status = 'D'
            JOIN code_commit ON code_commit.cid = touch.cid
            JOIN head ON head.worktree = ? AND touch.cid <= head.last_cid
            WHERE path.reversed > ? AND path.reversed < ? AND NOT EXISTS (
                SELECT 1 FROM outside WHERE outside.hid = head.hid AND outside.cid = touch.cid
            ) ORDER BY code_commit.cid DESC LIMIT 1
            """,
            (worktree, tail + "/", tail + "0"),
        )
        latest = max(filter(None, (latest, *rows)), default=None)
    return latest[1].hex() if latest else None
