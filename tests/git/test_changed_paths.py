"""Which paths differ from the index, or the index from HEAD."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.git.complaints import OutOfTime
from gitmem.git.process import Git
from gitmem.git.worktree_exec import ExecWorkTree
from tests.conftest import Repo


def work_tree_of(repo: Repo) -> ExecWorkTree:
    return ExecWorkTree(Git(repo.path / ".git", repo.path, os.environ))


def test_changed_and_staged_paths(repo: Repo) -> None:
    repo.write("ü ber\n", "1")
    repo.commit("one", a="1", b="1", c="1")
    repo.write("a", "2")
    repo.write("b", "2")
    repo.git("add", "b")
    repo.git("mv", "c", "d")
    repo.write("ü ber\n", "2")
    repo.write("untracked", "x")
    repo.write("e", "x")
    repo.git("add", "-N", "e")
    os.utime(repo.path / "d", (1, 1))
    work_tree = work_tree_of(repo)
    assert work_tree.list_changed_paths(staged=False) == ["a", "e", "ü ber\n"]
    assert work_tree.list_changed_paths(staged=True) == ["b", "c", "d"]


def test_conflicts_and_deleted_files(repo: Repo) -> None:
    repo.commit("one", a="1", b="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", a="2")
    repo.git("checkout", "-q", "main")
    repo.commit("two", a="3")
    repo.git("merge", "side", check=False)
    (repo.path / "b").unlink()
    assert work_tree_of(repo).list_changed_paths(staged=False) == ["a", "b"]


def test_what_changed_since_a_commit(repo: Repo) -> None:
    first = repo.commit("one", a="1", b="1", c="1", d="1")
    repo.write(".gitignore", "ignored\n")
    second = repo.commit("two", b="2")
    repo.write("ignored", "x")
    repo.write("new/ü ber\n", "x")
    repo.write("c", "2")
    repo.git("add", "c")
    (repo.path / "d").unlink()
    tree = work_tree_of(repo)
    here = ["c", "d", "new/ü ber\n"]
    assert tree.list_changed_since(None, seconds=60) == here
    assert tree.list_changed_since(second, seconds=60) == here
    assert tree.list_changed_since(first, seconds=60) == sorted([".gitignore", "b", *here])
    assert tree.list_changed_since("0" * 40, seconds=60) == here
    with pytest.raises(OutOfTime):
        tree.list_changed_since(None, seconds=0)


@pytest.mark.parametrize("options", [("-a",), ("--", "a")])
def test_a_commit_hook_sees_and_adds_to_the_commit_being_made(
    repo: Repo, options: tuple[str, ...]
) -> None:
    repo.commit("one", a="1", b="1")
    script = (
        "import os, pathlib; from gitmem.git.process import Git;"
        "from gitmem.git.worktree_exec import ExecWorkTree;"
        "top = pathlib.Path.cwd();"
        "git = Git(top / '.git', top, os.environ, index_file=os.environ['GIT_INDEX_FILE']);"
        "tree = ExecWorkTree(git);"
        "(top / 'seen').write_text(repr(tree.list_changed_paths(staged=True)));"
        "tree.stage(['seen'])"
    )
    hook = repo.path / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    source = Path(__file__).parents[2]
    hook.write_text(f"#!/bin/sh\nPYTHONPATH='{source}' exec '{sys.executable}' -c \"{script}\"\n")
    hook.chmod(0o755)
    repo.write("a", "2")
    repo.git("commit", "-q", "-m", "two", *options)
    assert repo.git("show", "HEAD:seen") == "['a']"
    assert repo.git("show", "HEAD:a") == "2"


def test_before_the_first_commit(repo: Repo) -> None:
    repo.write("a", "1")
    repo.git("add", "a")
    assert work_tree_of(repo).list_changed_paths(staged=True) == ["a"]
    assert work_tree_of(repo).list_changed_paths(staged=False) == []


def test_in_a_bare_repository(make_repo: Callable[..., Repo]) -> None:
    bare = make_repo("bare.git", "--bare")
    work_tree = ExecWorkTree(Git(bare.path, None, os.environ))
    assert work_tree.list_changed_paths(staged=True) == []


def test_looking_changes_nothing_and_runs_nothing(repo: Repo) -> None:
    repo.write(".gitattributes", "* filter=evil diff=evil\n")
    repo.commit("one", a="1", b="1")
    marker = repo.path / ".git" / "marker"
    for name in ("filter.evil.clean", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor"):
        repo.git("config", name, f"touch '{marker}'; cat")
    repo.git("config", "diff.orderFile", "no-such-file")
    repo.git("config", "diff.relative", "true")
    repo.write("a", "2")
    os.utime(repo.path / "b", (1, 1))
    index = repo.path / ".git" / "index"
    before = index.read_bytes()
    work_tree = work_tree_of(repo)
    assert work_tree.list_changed_paths(staged=False) == ["a"]
    assert work_tree.list_changed_paths(staged=True) == []
    assert "+2" in work_tree.read_diff(100)
    assert not marker.exists()
    assert index.read_bytes() == before
