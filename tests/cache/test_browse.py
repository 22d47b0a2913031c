"""People ask the cache in SQL, and change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.cache.browse import query_cache
from gitmem.cache.building import Cache
from gitmem.errors import NotFound, UsageError
from tests.support.cached import project_into
from tests.support.records import make_decision


def test_rows_are_readable(cache: Cache, path: Path) -> None:
    line = make_decision()
    project_into(cache, "private", line)
    (row,) = query_cache(path, "SELECT id, seq, body FROM record")
    assert row == {"id": line.id, "seq": 1, "body": line.raw.decode()}
    assert {"table": "record", "rows": 1} in query_cache(path)
    assert len(query_cache(path, "SELECT a.rid FROM record AS a")) == 1


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM record", "DROP TABLE record", "nonsense", "PRAGMA user_version=9; SELECT 1"],
)
def test_nothing_is_written(cache: Cache, path: Path, sql: str) -> None:
    project_into(cache, "private", make_decision())
    with pytest.raises(UsageError):
        query_cache(path, sql)
    assert cache.records.list_recent(limit=9)[1] == 1


def test_without_a_cache(path: Path) -> None:
    with pytest.raises(NotFound):
        query_cache(path, "SELECT 1")
    assert not path.exists()
