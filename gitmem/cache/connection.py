"""One connection to SQLite: settings, transactions, and its errors in our words.

Every write is one BEGIN IMMEDIATE transaction; a reader's transaction ends with the call that
began it. No sqlite3 error leaves this room.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from gitmem.errors import CannotWrite, Contended, Damaged, GitmemError

BUSY_TIMEOUT_SECONDS = 60.0
CHUNK = 500
"""Values in one IN list: far below the limit of variables of any SQLite."""

_MOST_VALUES = 900
"""Values in one statement: any SQLite takes 999."""

_CANNOT_WRITE = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_PROTOCOL,
    }
)
# A message of SQLite about a damaged schema may quote bytes that are no text.
_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})

# `secure_delete` zeroes what a redaction frees; `trusted_schema` and `cell_size_check` guard
# against a file that somebody prepared.
_PRAGMAS = (
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA secure_delete=ON",
    "PRAGMA journal_size_limit=4194304",
    "PRAGMA cache_size=-8192",
)


class CacheDamaged(Damaged):
    """The cache file is damaged: discard it, open it again, and it is rebuilt."""

    code = "cache-damaged"
    hint = "The cache is derived and may be deleted at any time: gitmem cache rebuild"


def translate(error: sqlite3.Error | UnicodeDecodeError, target: str) -> GitmemError:
    """What an error of SQLite about a file means to the caller."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code == sqlite3.SQLITE_READONLY and os.access(target, os.W_OK):
        # The file says so itself: its header is damaged.
        return CacheDamaged(f"the cache is damaged: {error}")
    if code in _BUSY:
        return Contended("another process has been writing to the cache for too long")
    if code == sqlite3.SQLITE_FULL:
        return CannotWrite("there is no space left for the cache")
    if code in _CANNOT_WRITE:
        return CannotWrite(f"the cache cannot be used here: {error}")
    return CacheDamaged(f"the cache is damaged: {error}")


class Connection:
    """A connection in autocommit mode; rows are plain tuples."""

    def __init__(self, target: str) -> None:
        """Opens `target`, a path or ":memory:". Raises CannotWrite, Contended, CacheDamaged."""
        self._target = target
        try:
            self._db = sqlite3.connect(
                target, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
        except _ERRORS as error:
            raise translate(error, self._target) from error
        try:
            for pragma in _PRAGMAS:
                self._db.execute(pragma)
        except _ERRORS as error:
            self._db.close()
            raise translate(error, self._target) from error

    def close(self) -> None:
        """Closing twice is fine."""
        self._db.close()

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        try:
            return self._db.execute(sql, values).fetchall()
        except _ERRORS as error:
            raise translate(error, self._target) from error

    def scalar(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first column of the first row, None without rows."""
        rows = self.query(sql, values)
        return rows[0][0] if rows else None

    def query_in(
        self, sql: str, values: Iterable[Any], before: Sequence[Any] = ()
    ) -> list[tuple[Any, ...]]:
        """All rows of a statement that has `(?*)` where a list goes, asked in chunks; the
        values of `before` come first in each."""
        rows: list[tuple[Any, ...]] = []
        for chunk in chunks(values):
            marks = ",".join("?" * len(chunk))
            rows += self.query(sql.replace("?*", marks), (*before, *chunk))
        return rows

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for many rows, inside a transaction."""
        try:
            self._db.executemany(sql, rows)
        except _ERRORS as error:
            raise translate(error, self._target) from error

    def insert_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Insert rows, inside a transaction; `sql` ends in VALUES. Many rows a statement take
        half the time of a statement a row."""
        if not rows:
            return
        width = len(rows[0])
        mark = f"({','.join('?' * width)})"
        size = _MOST_VALUES // width
        full = len(rows) - len(rows) % size
        statement = f"{sql} {','.join([mark] * size)}"
        try:
            for start in range(0, full, size):
                part = rows[start : start + size]
                self._db.execute(statement, list(chain.from_iterable(part)))
            self._db.executemany(f"{sql} {mark}", rows[full:])
        except _ERRORS as error:
            raise translate(error, self._target) from error

    def run_script(self, sql: str) -> None:
        try:
            self._db.executescript(sql)
        except _ERRORS as error:
            raise translate(error, self._target) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction: all of it, or nothing."""
        self.query("BEGIN IMMEDIATE")
        try:
            yield
            self.query("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One consistent state for several reads.

        Raises CacheDamaged too where rows do not fit together, or are not of their type.
        """
        self.query("BEGIN")
        try:
            yield
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise CacheDamaged("the cache is damaged: rows that do not fit together") from error
        finally:
            self._roll_back()

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            try:
                self._db.execute("ROLLBACK")
            except _ERRORS as error:
                raise translate(error, self._target) from error

    def data_version(self) -> int:
        """Changes when another connection has written."""
        return int(self.scalar("PRAGMA data_version"))

    def shrink_log(self) -> None:
        """Move the write-ahead log into the file and empty it, unless a reader is in the way
        for longer than the timeout."""
        self.query("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """For a long run of writes: a larger page cache, and a log that is moved into the file
        less often, so that a page which many batches change is written there once."""
        self.query("PRAGMA cache_size=-65536")
        self.query("PRAGMA wal_autocheckpoint=16384")
        try:
            yield
        finally:
            self.query("PRAGMA cache_size=-8192")
            self.query("PRAGMA wal_autocheckpoint=1000")


def chunks(values: Iterable[Any], size: int = CHUNK) -> Iterator[list[Any]]:
    """Lists of at most `size` values."""
    everything = list(values)
    for start in range(0, len(everything), size):
        yield everything[start : start + size]


def companions(path: Path) -> tuple[Path, ...]:
    """The files that SQLite keeps beside a database."""
    return tuple(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))
