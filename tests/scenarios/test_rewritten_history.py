"""What history answers after git cut it, completed it, or threw parts of it away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.commandline import Clone


def _commits(answer: dict[str, object]) -> list[str]:
    return [h["commit"] for h in answer["hits"] if h["kind"] == "commit"]  # type: ignore[attr-defined]


def _throw_away_unreached(clone: Clone) -> None:
    clone.git("reflog", "expire", "--expire=now", "--all")
    clone.git("gc", "-q", "--prune=now")


def _let_time_pass(git_dir: Path) -> None:
    """What changes from now on cannot be taken for part of what was."""
    for path in [git_dir / "config", git_dir / "refs", *git_dir.glob("refs/**/*")]:
        os.utime(path, (1_750_000_000, 1_750_000_000))


def test_a_shallow_clone_that_gets_its_history_answers_from_all_of_it(
    bare_history: Clone, tmp_path: Path
) -> None:
    first = bare_history.commit("Add a\n\nBecause of b.", {"a.py": "1\n"})
    second = bare_history.commit("Change a\n\nBecause of c.", {"a.py": "2\n"})
    bare_history.commit("Other", {"b.py": "1\n"})
    url = f"file://{bare_history.path}"
    bare_history.git("clone", "-q", "--depth=2", url, str(tmp_path / "shallow"))
    shallow = Clone(tmp_path / "shallow")
    assert _commits(shallow.why("a.py")) == []
    shallow.git("fetch", "-q", "--deepen=1")
    assert _commits(shallow.why("a.py")) == [second]
    shallow.git("fetch", "-q", "--unshallow")
    assert _commits(shallow.why("a.py")) == [second, first]


def test_a_commit_that_git_threw_away_is_in_no_answer(ada: Clone) -> None:
    kept = ada.commit("Add a\n\nBecause of b.", {"a.py": "1\n"})
    gone = ada.commit("Change a\n\nBecause of c.", {"a.py": "2\n"})
    assert _commits(ada.why("a.py")) == [gone, kept]
    ada.git("reset", "-q", "--hard", "HEAD~")
    _throw_away_unreached(ada)
    assert _commits(ada.why("a.py")) == [kept]
    again = ada.commit("Change a again\n\nBecause of d.", {"a.py": "3\n"})
    assert _commits(ada.why("a.py")) == [again, kept]
    assert gone[:7] not in ada.gitmem("search", "because").ok().out


def test_a_decision_of_a_commit_that_git_threw_away_is_not_lost(ada: Clone) -> None:
    record_id = ada.decide("Only there", "a.py")
    assert ada.find_hit("a.py", record_id) is not None
    ada.git("reset", "-q", "--hard", "HEAD~")
    _throw_away_unreached(ada)
    hit = ada.hit("a.py", record_id)
    assert (hit["where"], hit["state"]) == ("pending", "current")


@pytest.mark.parametrize("name", ["topic", "deep/er/topic"])
def test_a_branch_that_goes_takes_its_commits_along(ada: Clone, name: str) -> None:
    """However its name is nested, and whatever else lies beside it."""
    ada.git("branch", "deep/er/beside")
    ada.git("checkout", "-q", "-b", name)
    record_id = ada.decide("On a branch", "a.py")
    ada.git("checkout", "-q", "main")
    _let_time_pass(ada.path / ".git")
    assert ada.hit("a.py", record_id)["where"] == "elsewhere"
    ada.git("update-ref", "-d", f"refs/heads/{name}")
    assert ada.hit("a.py", record_id)["where"] == "pending"


def test_a_rebuilt_cache_says_the_same(ada: Clone) -> None:
    ada.decide("One", "a.py")
    ada.git("checkout", "-q", "-b", "topic")
    ada.decide("Two", "a.py")
    ada.git("checkout", "-q", "main")
    ada.why("a.py")
    ada.git("branch", "-q", "-D", "topic")
    _throw_away_unreached(ada)
    before = ada.why("a.py")
    ada.gitmem("cache", "rebuild").ok()
    assert ada.why("a.py") == before
