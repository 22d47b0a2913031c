"""Repositories of every version of the format, as they were written, still read the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.make_golden import GOLDEN, answer, restore

VERSIONS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


def test_there_is_one_for_this_version() -> None:
    assert "v1" in VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_it_reads_as_it_did(version: str, tmp_path: Path) -> None:
    clone = restore(GOLDEN / version / "all.bundle", tmp_path / "clone")
    expected = json.loads((GOLDEN / version / "expected.json").read_text(encoding="utf-8"))
    assert answer(clone) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_a_new_cache_says_the_same(version: str, tmp_path: Path) -> None:
    clone = restore(GOLDEN / version / "all.bundle", tmp_path / "clone")
    before = answer(clone)
    clone.gitmem("cache", "rebuild").ok()
    assert answer(clone) == before
