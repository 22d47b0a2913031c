"""Scenes: a single clone with a memory, and a team around a bare remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """A bare remote, nobody there yet."""
    return Team(tmp_path / "team")


@pytest.fixture
def bare_history(tmp_path: Path) -> Clone:
    """A repository with one commit and no memory."""
    path = tmp_path / "plain"
    path.mkdir()
    clone = Clone(path)
    clone.git("init", "-q")
    clone.commit("Begin", {"app.py": "one\ntwo\nthree\n"})
    return clone


@pytest.fixture
def ada(bare_history: Clone) -> Clone:
    """Ada's repository, with a memory committed."""
    bare_history.init()
    return bare_history
