"""Letting people ask the cache anything, read-only."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlite_utils import Database

from gitmem.errors import UsageError

MAX_ROWS = 10_000


def query_cache(path: Path, sql: str) -> list[dict[str, Any]]:
    """The rows of one SELECT, at most 10,000; bytes are given as hexadecimal digits.

    Raises UsageError for a statement that SQLite refuses, or that would write."""
    # Quoted: an unquoted `?` or `#` in a path would open another file.
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=10)
    try:
        connection.execute("PRAGMA query_only=ON")
        rows: list[dict[str, Any]] = []
        for row in Database(connection).query(sql):
            rows.append({name: _shown(value) for name, value in row.items()})
            if len(rows) == MAX_ROWS:
                break
        return rows
    except (sqlite3.Error, ValueError) as error:
        raise UsageError(
            f"the cache cannot answer that: {error}",
            hint="See its tables: gitmem cache query 'select name from sqlite_master'",
        ) from None
    finally:
        connection.close()


def _shown(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
