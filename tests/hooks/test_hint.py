"""A person whose clone has a memory and no hooks is told so, once a day."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest

from gitmem.git.hook_scripts import HOOKS
from tests.hooks.conftest import MemoryRepo


def _on_a_terminal(memory: MemoryRepo, *words: str) -> str:
    """What a command says on stderr where that is a terminal."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        ["gitmem", *words], cwd=memory.path, stdout=subprocess.DEVNULL, stderr=theirs, timeout=60
    )
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        pass  # Linux says so when nobody holds the other end any more
    os.close(ours)
    assert done.returncode == 0
    return said.decode()


@pytest.mark.parametrize("words", [["why", "a.py"], ["log"], ["status"], ["search", "x"]])
def test_told_once_a_day(
    memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    assert _on_a_terminal(memory, *words) == ""
    for name in HOOKS:
        (memory.path / ".git" / "hooks" / name).unlink()
    monkeypatch.setenv("GITMEM_NOW", "2030-01-01T00:00:00Z")
    assert "gitmem hooks install" in _on_a_terminal(memory, *words)
    assert _on_a_terminal(memory, *words) == ""
    monkeypatch.setenv("GITMEM_NOW", "2030-01-02T00:00:01Z")
    assert "gitmem hooks install" in _on_a_terminal(memory, *words)


def test_programs_are_not_told(memory: MemoryRepo) -> None:
    for name in HOOKS:
        (memory.path / ".git" / "hooks" / name).unlink()
    done = subprocess.run(["gitmem", "log"], cwd=memory.path, capture_output=True, timeout=60)
    assert done.stderr == b""
    assert "hooks install" not in _on_a_terminal(memory, "log", "--json")
