"""Style and types: the gates of the project are tests like any other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.make_architecture import ROOT

GATES = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize("name", GATES)
def test_gate(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *GATES[name]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
