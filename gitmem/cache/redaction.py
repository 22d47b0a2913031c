"""Removing what a redaction withholds: body, lists, links and full text, for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.rows import decode_body, encode_withheld, kind_list, lists_of, search_text, tie_of
from gitmem.cache.text import RECORD, remove_texts
from gitmem.cache.versions import REDACTS
from gitmem.core.records import Record, Tombstone


def find_redacted(db: Connection, ids: Sequence[bytes]) -> set[bytes]:
    """Those ids that some known tombstone redacts."""
    if not db.scalar("SELECT 1 FROM link WHERE rel = ? LIMIT 1", (REDACTS,)):
        return set()
    rows = db.query_in(
        "SELECT target FROM link WHERE rel = ? AND target IN (?*)", ids, before=(REDACTS,)
    )
    return {target for (target,) in rows}


def withhold(db: Connection, targets: Iterable[bytes]) -> bool:
    """Strip stored records to who and when; whether there were any to strip."""
    rows = db.query_in(
        "SELECT rid, kind, body FROM record WHERE is_withheld = 0 AND id IN (?*)", sorted(targets)
    )
    gone: Counter[str] = Counter()
    for rid, kind, body in rows:
        try:
            record = decode_body(kind, body, is_withheld=False)
        except msgspec.DecodeError as error:
            raise CacheDamaged(f"a stored record does not decode: {error}") from error
        gone.update(_strip(db, rid, record))
    _forget_paths(db, gone)
    return bool(rows)


def _strip(db: Connection, rid: int, record: Record) -> set[str]:
    text = search_text(record)
    if text is not None:
        remove_texts(db, RECORD, [(rid, text)])
    lists = lists_of(record) - {kind_list(record.kind)}
    pids = db.query_in("SELECT pid FROM path WHERE path IN (?*)", sorted(lists))
    tie = tie_of(record.id)
    db.run_many(
        "DELETE FROM listing WHERE pid = ? AND seq = ? AND tie = ? AND rid = ?",
        [(pid, record.seq, tie, rid) for (pid,) in pids],
    )
    if not isinstance(record, Tombstone):
        db.query("DELETE FROM link WHERE rid = ?", (rid,))
    db.query("DELETE FROM mention WHERE rid = ?", (rid,))
    db.query("DELETE FROM record_link WHERE rid = ?", (rid,))
    db.query(
        "UPDATE record SET is_withheld = 1, key = NULL, body = ? WHERE rid = ?",
        (encode_withheld(record), rid),
    )
    return lists


def _forget_paths(db: Connection, gone: Counter[str]) -> None:
    """Count the lists down, and forget paths that only redacted records named."""
    db.run_many(
        "UPDATE path SET total = total - ? WHERE path = ?", [(n, name) for name, n in gone.items()]
    )
    empty = db.query_in(
        """
        SELECT pid FROM path WHERE total = 0
        AND NOT EXISTS (SELECT 1 FROM touch WHERE touch.pid = path.pid)
        AND path IN (?*)
        """,
        sorted(gone),
    )
    db.run_many("DELETE FROM path WHERE pid = ?", empty)
    db.run_many("DELETE FROM spelling WHERE pid = ?", empty)
