"""Forgetting commits that git has thrown away: they would be in answers for ever."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gitmem.cache.connection import Connection
from gitmem.cache.messages import forget_messages
from gitmem.cache.segments import refresh_live


def keep_commits(db: Connection, kept: Collection[bytes], tips: Iterable[bytes]) -> None:
    """Inside a transaction: forget all other commits, what only they knew of, and every HEAD."""
    db.query("CREATE TEMP TABLE gone (cid INTEGER PRIMARY KEY)")
    rows = db.query("SELECT cid, oid FROM code_commit")
    db.run_many(
        "INSERT INTO gone (cid) VALUES (?)", [(cid,) for cid, oid in rows if oid not in kept]
    )
    db.query("DELETE FROM head")
    db.query("DELETE FROM outside")
    forget_messages(db)
    _forget_touches(db)
    sids = db.query("SELECT DISTINCT sid FROM added WHERE cid IN (SELECT cid FROM gone)")
    for table in ("added", "tip", "code_commit"):
        db.query(f"DELETE FROM {table} WHERE cid IN (SELECT cid FROM gone)")  # noqa: S608
    db.query("DROP TABLE gone")
    refresh_live(db, [sid for (sid,) in sids])
    found = db.query_in("SELECT cid FROM code_commit WHERE oid IN (?*)", tips)
    db.run_many("INSERT OR IGNORE INTO tip (cid) VALUES (?)", found)


def _forget_touches(db: Connection) -> None:
    """And the paths that nothing else names."""
    rows = db.query("SELECT DISTINCT pid FROM touch WHERE cid IN (SELECT cid FROM gone)")
    db.query("DELETE FROM touch WHERE cid IN (SELECT cid FROM gone)")
    unnamed = db.query_in(
        """
        SELECT pid FROM path WHERE total = 0
        AND NOT EXISTS (SELECT 1 FROM touch WHERE touch.pid = path.pid)
        AND pid IN (?*)
        """,
        [pid for (pid,) in rows],
    )
    db.run_many("DELETE FROM path WHERE pid = ?", unnamed)
    db.run_many("DELETE FROM spelling WHERE pid = ?", unnamed)
