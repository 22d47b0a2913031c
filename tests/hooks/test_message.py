"""The editor shows, as comments, which decisions go with the commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.core.commit_template import add_suggestions, find_comment_mark
from tests.hooks.conftest import MemoryRepo


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that keeps what it was shown and writes a message before it."""
    shown = tmp_path / "shown"
    script = tmp_path / "editor.sh"
    script.write_text(
        f'#!/bin/sh\ncp "$1" "{shown}"\n{{ echo subject; cat "$1"; }} >"$1.new"\nmv "$1.new" "$1"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("GIT_EDITOR", str(script))
    return shown


def _stage(memory: MemoryRepo) -> None:
    memory.capture("Cache keyed by tenant", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")


def test_suggested_where_an_editor_opens(memory: MemoryRepo, editor: Path) -> None:
    _stage(memory)
    memory.git("commit", "-q")
    assert "#   Cache keyed by tenant\n" in editor.read_text()
    assert memory.git("log", "-1", "--format=%B") == "subject"


@pytest.mark.parametrize("mark", [";", "auto"])
def test_with_another_mark(memory: MemoryRepo, editor: Path, mark: str) -> None:
    _stage(memory)
    memory.git("config", "core.commentChar", mark)
    memory.git("commit", "-q")
    shown = editor.read_text()
    assert f"{'#' if mark == 'auto' else mark}   Cache keyed by tenant\n" in shown
    assert memory.git("log", "-1", "--format=%B") == "subject"


def test_in_a_template_and_with_the_diff(memory: MemoryRepo, editor: Path, tmp_path: Path) -> None:
    _stage(memory)
    template = tmp_path / "template"
    template.write_text("Reviewed-by: nobody\n")
    memory.git("commit", "-q", "-v", "-t", str(template))
    shown = editor.read_text()
    assert shown.index("Cache keyed") < shown.index(">8")
    assert memory.git("log", "-1", "--format=%B") == "subject\nReviewed-by: nobody"


@pytest.mark.parametrize("words", [["-m", "said"], ["-F", "m"], ["--amend"], ["-C", "HEAD"]])
def test_no_message_is_touched_that_was_given(
    memory: MemoryRepo, editor: Path, words: list[str]
) -> None:
    memory.write("m", "said\n")
    _stage(memory)
    memory.git("commit", "-q", *words)
    assert "Cache keyed" not in memory.git("log", "-1", "--format=%B")
    assert not editor.exists() or "Cache keyed" not in editor.read_text()


@pytest.mark.parametrize("cleanup", ["verbatim", "whitespace", "scissors"])
def test_nothing_is_suggested_where_comments_would_stay(
    memory: MemoryRepo, editor: Path, cleanup: str
) -> None:
    _stage(memory)
    memory.git("config", "commit.cleanup", cleanup)
    memory.git("commit", "-q")
    assert "Cache keyed" not in memory.git("log", "-1", "--format=%B")


def test_nothing_pending_nothing_said(memory: MemoryRepo, editor: Path) -> None:
    memory.write("a.py", "a = 2\n")
    memory.git("commit", "-q", "-a")
    assert "gitmem" not in editor.read_text()


def test_what_an_earlier_commit_brought_is_not_suggested(memory: MemoryRepo, editor: Path) -> None:
    _stage(memory)
    memory.git("commit", "-q", "-m", "first")
    memory.write("a.py", "a = 3\n")
    memory.git("commit", "-q", "-a", "--no-verify")
    assert "Cache keyed" not in editor.read_text()


def test_marks() -> None:
    assert find_comment_mark("", None) == "#"
    assert find_comment_mark("x\n; y\n", ";") == ";"
    assert find_comment_mark("x\n% y\n", "auto") == "%"
    assert find_comment_mark("x\n", "auto") is None
    assert find_comment_mark("", "auto") is None


def test_suggestions_are_bounded_and_in_one_line_each() -> None:
    text = add_suggestions("", "#", [f"nr {n}\nx" for n in range(30)])
    assert all(line.startswith("#") for line in text.strip("\n").split("\n"))
    assert "and 20 more" in text
    assert add_suggestions("a\n# b\n", "#", ["x"]).startswith("a\n# Decisions")
    assert add_suggestions("a", "#", ["x"]).startswith("a\n\n# Decisions")
