"""The harness measures what it says it measures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.harness import compare, run_once

BARE = [sys.executable, "-c", "pass"]


def test_the_peak_memory_is_that_of_the_process(tmp_path: Path) -> None:
    ours = bytearray(200_000_000)
    large = run_once([sys.executable, "-c", "x = bytearray(200_000_000)"], cwd=tmp_path)
    if large.peak_bytes == 0:
        pytest.skip("this system does not tell")
    assert large.peak_bytes > 150_000_000 > run_once(BARE).peak_bytes
    assert len(ours) == 200_000_000


def test_both_sides_run_as_often_as_asked(tmp_path: Path) -> None:
    mark = "import sys; open('log', 'a').write(sys.argv[1])"
    a, b = ([sys.executable, "-c", mark, name] for name in "ab")
    result = compare(a, b, runs=3, cwd=tmp_path)
    assert (tmp_path / "log").read_text() == "ab" * 4
    assert result.runs == 3
    assert result.ratio == pytest.approx(result.a.seconds / result.b.seconds)
    assert "A/B" in str(result)


def test_a_command_that_fails_is_an_error_with_its_words() -> None:
    with pytest.raises(RuntimeError, match="no such luck"):
        compare([sys.executable, "-c", "raise SystemExit('no such luck')"], BARE, runs=1)
