"""Which segments hold a record: a look into the cache that writes nothing and may find none.

Segments are named by their content, so that what was once read stays true for ever, of
whichever state of the repository the cache was last brought in step with.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gitmem.cache.rows import key_number
from gitmem.cache.versions import APPLICATION_ID, KIND_LIST, REDACTS, SCHEMA_VERSION, VERIFIED
from gitmem.ports.holdings import Holdings

NOTHING = Holdings({}, {}, frozenset())
_CHUNK = 500
_BUSY_SECONDS = 1.0


def find_holdings(file: Path, ids: Collection[str], keys: Collection[str]) -> Holdings:
    """`ports.holdings.FindHoldings` over one cache file; nothing where it cannot be read."""
    if not file.is_file():
        return NOTHING
    address = f"file:{quote(file.as_posix())}?mode=ro"
    try:
        db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error:
        return NOTHING
    try:
        db.execute("PRAGMA trusted_schema=OFF")
        marks = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS]
        if marks != [APPLICATION_ID, SCHEMA_VERSION]:
            return NOTHING
        return _look(db, ids, keys)
    except (sqlite3.Error, ValueError, TypeError):
        return NOTHING
    finally:
        db.close()


_MARKS = ("application_id", "user_version")
_SEGMENTS = (
    "SELECT record.{column}, segment.name FROM record JOIN holding USING (rid)"
    " JOIN segment USING (sid) WHERE segment.state = ? AND record.{column} IN ({marks})"
)


def _look(db: sqlite3.Connection, ids: Collection[str], keys: Collection[str]) -> Holdings:
    by_id: dict[str, set[str]] = {}
    for raw, name in _query(db, "id", [bytes.fromhex(one) for one in ids]):
        by_id.setdefault(bytes(raw).hex(), set()).add(name)
    by_key: dict[str, set[str]] = {}
    key_of = {key_number(key): key for key in keys}
    for number, name in _query(db, "key", list(key_of)):
        by_key.setdefault(key_of[number], set()).add(name)
    known = {
        name for (name,) in db.execute("SELECT name FROM segment WHERE state = ?", (VERIFIED,))
    }
    return Holdings(by_id, by_key, known, _highest_seq(db), _list_redacted(db, ids))


def _list_redacted(db: sqlite3.Connection, ids: Collection[str]) -> set[str]:
    wanted = [bytes.fromhex(one) for one in ids]
    found: set[str] = set()
    for start in range(0, len(wanted), _CHUNK):
        chunk = wanted[start : start + _CHUNK]
        marks = ",".join("?" * len(chunk))
        words = f"SELECT target FROM link WHERE rel = ? AND target IN ({marks})"  # noqa: S608
        found.update(bytes(raw).hex() for (raw,) in db.execute(words, (REDACTS, *chunk)))
    return found


def _query(db: sqlite3.Connection, column: str, values: Sequence[Any]) -> Iterable[tuple[Any, str]]:
    for start in range(0, len(values), _CHUNK):
        chunk = values[start : start + _CHUNK]
        words = _SEGMENTS.format(column=column, marks=",".join("?" * len(chunk)))
        yield from db.execute(words, (VERIFIED, *chunk))


def _highest_seq(db: sqlite3.Connection) -> int:
    """The last of each list that is one of a kind: an index look-up apiece."""
    rows = db.execute(
        "SELECT (SELECT max(seq) FROM listing WHERE listing.pid = path.pid) FROM path"
        " WHERE path > ? AND path < ?",
        (KIND_LIST, KIND_LIST + "\U0010ffff"),
    )
    return max((seq for (seq,) in rows if seq is not None), default=0)
