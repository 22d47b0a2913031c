"""Letting people ask the cache in SQL, read-only: nothing here is on a hot path."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from gitmem.errors import NotFound, UsageError

_MAX_ROWS = 10_000
_ID_BYTES = (20, 32)
_HIDDEN = ("_config", "_content", "_data", "_docsize", "_idx")


def query_cache(path: Path, sql: str = "") -> list[dict[str, Any]]:
    """Rows of a statement, column → value, ids as hexadecimal text; at most 10,000.

    Without a statement: the tables, with how many rows they have. Raises NotFound where there
    is no cache, UsageError with SQLite's words for a statement that fails or would write.
    """
    if not path.is_file():
        raise NotFound("there is no cache yet", hint="Any question makes one: gitmem status")
    connection = sqlite3.connect(path, timeout=60, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("PRAGMA trusted_schema=OFF")
        rows = _run(Database(connection), sql) if sql.strip() else _list_tables(connection)
    except sqlite3.Error as error:
        raise UsageError(f"the cache does not understand that: {error}") from error
    finally:
        connection.close()
    return rows


def _list_tables(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    database = Database(connection)
    names = [name for name in database.table_names() if not name.endswith(_HIDDEN)]
    return [{"table": name, "rows": database[name].count} for name in sorted(names)]


def _run(database: Database, sql: str) -> list[dict[str, Any]]:
    found = []
    for row in database.query(sql):
        found.append({name: _readable(value) for name, value in row.items()})
        if len(found) == _MAX_ROWS:
            break
    return found


def _readable(value: Any) -> Any:
    """Ids and bodies as text."""
    if not isinstance(value, bytes):
        return value
    return value.hex() if len(value) in _ID_BYTES else value.decode("utf-8", "replace")
