"""An empty cache in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.cache.building import Cache, open_cache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cache of these tests lies."""
    return tmp_path / "gitmem" / "cache.db"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    opened = open_cache(path, repository="here")
    yield opened
    opened.close()
