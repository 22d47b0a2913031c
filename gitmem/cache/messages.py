"""The full text of commit messages: indexed when somebody first searches, in batches."""

from __future__ import annotations

from gitmem.cache.connection import Connection
from gitmem.cache.text import COMMIT, add_texts, remove_texts

_DONE = "commits.text"
"""The fact that says up to which order messages are indexed."""
_BATCH = 2000


def index_messages(db: Connection) -> None:
    """Bring the index up to date. Raises CannotWrite, Contended: what was there stays."""
    while True:
        done = _get_done(db)
        if (db.scalar("SELECT max(cid) FROM code_commit") or 0) <= done:
            return
        with db.transaction():
            rows = db.query(
                "SELECT cid, message FROM code_commit WHERE cid > ? ORDER BY cid LIMIT ?",
                (_get_done(db), _BATCH),
            )
            if rows:
                add_texts(db, COMMIT, rows)
                _set_done(db, rows[-1][0])


def forget_messages(db: Connection) -> None:
    """Inside a transaction: take the messages of those commits out that table `gone` names."""
    done = _get_done(db)
    rows = db.query(
        "SELECT cid, message FROM code_commit WHERE cid <= ? AND cid IN (SELECT cid FROM gone)",
        (done,),
    )
    remove_texts(db, COMMIT, rows)
    # Orders are given out again, from the highest that is left.
    last = db.scalar(
        "SELECT max(cid) FROM code_commit WHERE cid <= ? AND cid NOT IN (SELECT cid FROM gone)",
        (done,),
    )
    _set_done(db, last or 0)


def _get_done(db: Connection) -> int:
    return int(db.scalar("SELECT value FROM meta WHERE name = ?", (_DONE,)) or 0)


def _set_done(db: Connection, order: int) -> None:
    db.query("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (_DONE, str(order)))
