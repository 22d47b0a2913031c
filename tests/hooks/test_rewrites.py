"""Decisions survive whatever rewrites, replays, merges or throws away the commits they are in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hooks.conftest import MakeMemory, MemoryRepo


def _feature(memory: MemoryRepo) -> None:
    """A branch of two commits with a decision each, and main gone on meanwhile."""
    memory.git("checkout", "-q", "-b", "feature")
    memory.capture("First", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("Second", "c.py")
    memory.commit_file("c", "c.py", "c = 1\n")
    memory.git("checkout", "-q", "main")
    memory.commit_file("main goes on", "b.py", "b = 2\n")


@pytest.mark.parametrize("times", [1, 3])
def test_amend(memory: MemoryRepo, times: int) -> None:
    memory.capture("Amended", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    for number in range(times):
        memory.write("a.py", f"a = {number + 3}\n")
        memory.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert memory.added() == ["Amended"]
    assert memory.status() == ""


def test_what_is_captured_after_a_commit_goes_with_its_amendment(memory: MemoryRepo) -> None:
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("Afterthought", "a.py")
    memory.write("a.py", "a = 3\n")
    memory.git("commit", "-q", "-a", "--amend", "--no-edit")
    assert memory.added() == ["Afterthought"]


def test_what_was_captured_on_an_amended_commit_is_not_stranded(memory: MemoryRepo) -> None:
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("On the old one", "b.py")
    memory.git("commit", "-q", "--amend", "-m", "a, better said")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.added() == ["On the old one"]


def test_even_when_the_old_commit_is_gone_for_good(memory: MemoryRepo) -> None:
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("On the old one", "b.py")
    memory.git("commit", "-q", "--amend", "-m", "a, better said")
    memory.git("reflog", "expire", "--expire=now", "--all")
    memory.git("gc", "-q", "--prune=now")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.added() == ["On the old one"]


def test_fixup_and_autosquash(memory: MemoryRepo) -> None:
    memory.capture("Fixed", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.commit_file("b", "b.py", "b = 2\n")
    memory.capture("In the fix", "a.py")
    memory.write("a.py", "a = 3\n")
    memory.git("commit", "-q", "-a", "--fixup", "HEAD~1")
    memory.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "HEAD~3")
    assert memory.git("log", "--format=%s", "-2").splitlines() == ["b", "a"]
    assert memory.added("HEAD~1") == ["Fixed", "In the fix"]
    assert memory.status() == ""


def test_rebase(memory: MemoryRepo) -> None:
    _feature(memory)
    memory.git("checkout", "-q", "feature")
    memory.git("rebase", "-q", "main")
    assert memory.added("HEAD~1") == ["First"] and memory.added() == ["Second"]
    assert memory.status() == ""


def test_rebase_with_a_conflict(memory: MemoryRepo) -> None:
    _feature(memory)
    memory.commit_file("clash", "a.py", "a = 9\n")
    memory.git("checkout", "-q", "feature")
    memory.capture("Pending", "a.py")
    assert memory.try_git("rebase", "main")[0] != 0
    memory.write("a.py", "a = 29\n")
    memory.git("add", "a.py")
    memory.git("rebase", "--continue")
    assert memory.added("HEAD~1") == ["First"] and memory.added() == ["Second"]
    assert "Pending" in memory.spooled()
    memory.commit_file("after", "a.py", "a = 30\n")
    assert memory.added() == ["Pending"]


def test_reword(memory: MemoryRepo) -> None:
    memory.capture("Reworded", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.commit_file("b", "b.py", "b = 2\n")
    editor = "sed -i s/^pick/reword/"
    memory.git("-c", f"sequence.editor={editor}", "rebase", "-q", "-i", "HEAD~2")
    assert memory.added("HEAD~1") == ["Reworded"] and memory.added() == []


def test_edit_stop_adds_nothing_by_itself(memory: MemoryRepo) -> None:
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.commit_file("b", "b.py", "b = 2\n")
    memory.capture("Not in a replay", "a.py")
    memory.git("-c", "sequence.editor=sed -i 1s/^pick/edit/", "rebase", "-q", "-i", "HEAD~2")
    memory.commit_file("in between", "a.py", "a = 3\n")
    memory.git("rebase", "--continue")
    assert memory.said() == []
    memory.commit_file("after", "a.py", "a = 4\n")
    assert memory.added() == ["Not in a replay"]


def test_squash_merge_holds_the_decisions_of_the_branch(memory: MemoryRepo) -> None:
    _feature(memory)
    memory.git("merge", "-q", "--squash", "feature")
    memory.git("commit", "-q", "-m", "squashed")
    assert memory.added() == ["First", "Second"]
    assert memory.status() == ""


def test_a_squash_is_not_taken_for_an_aborted_commit(memory: MemoryRepo) -> None:
    """What it staged was once staged by a hook, on the branch that is squashed."""
    memory.git("checkout", "-q", "-b", "feature")
    memory.capture("Last", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "main")
    memory.git("merge", "-q", "--squash", "feature")
    memory.git("branch", "-q", "-D", "feature")
    memory.git("commit", "-q", "-m", "squashed")
    assert memory.added() == ["Last"]


def test_cherry_pick_of_a_series_with_a_conflict(memory: MemoryRepo) -> None:
    _feature(memory)
    memory.commit_file("clash", "a.py", "a = 9\n")
    assert memory.try_git("cherry-pick", "main..feature")[0] != 0
    memory.write("a.py", "a = 29\n")
    memory.git("add", "a.py")
    memory.git("cherry-pick", "--continue")
    assert memory.added("HEAD~1") == ["First"] and memory.added() == ["Second"]


def test_cherry_pick_without_a_commit(memory: MemoryRepo) -> None:
    """What it staged stands in a commit of a branch: no abort, and it is kept."""
    memory.git("checkout", "-q", "-b", "feature")
    memory.capture("Picked", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "main")
    memory.git("cherry-pick", "-n", "feature")
    memory.git("commit", "-q", "-m", "picked")
    assert memory.added() == ["Picked"]


def test_a_revert_takes_it_out_and_its_revert_brings_it_back(memory: MemoryRepo) -> None:
    memory.capture("Reverted", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("revert", "--no-edit", "HEAD")
    assert memory.said() == []
    memory.git("revert", "--no-edit", "HEAD")
    assert memory.said() == ["Reverted"]
    assert memory.status() == ""


def test_a_merge_with_conflicts_brings_both_sides_and_what_was_decided_in_it(
    memory: MemoryRepo,
) -> None:
    _feature(memory)
    memory.capture("Of main", "a.py")
    memory.commit_file("clash", "a.py", "a = 9\n")
    assert memory.try_git("merge", "feature")[0] != 0
    memory.capture("In the merge", "a.py")
    memory.write("a.py", "a = 29\n")
    memory.git("add", "a.py")
    memory.git("commit", "-q", "-m", "merged")
    assert memory.said() == ["First", "In the merge", "Of main", "Second"]
    assert len(memory.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
    assert memory.status() == ""


def test_nothing_is_taken_back_in_a_merge(memory: MemoryRepo) -> None:
    """An aborted commit's segment is held by no branch, yet while a merge is being concluded
    there is no telling whose a staged path is."""
    memory.git("checkout", "-q", "-b", "feature")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "main")
    memory.capture("Waits", "b.py")
    memory.write("b.py", "b = 2\n")
    memory.git("add", "b.py")
    assert memory.try_git("commit", "-q")[0] != 0
    memory.git("rm", "-q", "--cached", "b.py")
    memory.git("reset", "-q", "b.py")
    memory.git("stash", "-q", "--", "b.py")
    (memory.path / ".git" / "MERGE_HEAD").write_text(memory.git("rev-parse", "feature") + "\n")
    memory.commit_file("merged", "a.py", "a = 2\n")
    assert memory.added() == ["Waits"]


@pytest.mark.parametrize(
    "words", ["reset --hard", "clean -fdx", "stash -u", "checkout -f HEAD^", "gc --prune=now -q"]
)
def test_what_is_pending_survives(memory: MemoryRepo, words: str) -> None:
    memory.commit_file("b", "b.py", "b = 2\n")
    memory.capture("Pending", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.write("new", "new")
    memory.git(*words.split())
    assert memory.spooled() == ["Pending"]


def test_an_aborted_commit_and_a_hard_reset(memory: MemoryRepo) -> None:
    memory.capture("Pending", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    assert memory.try_git("commit", "-q")[0] != 0
    memory.git("reset", "-q", "--hard")
    memory.git("clean", "-fdxq")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == []
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.added() == ["Pending"]
    assert memory.status() == ""


def test_an_aborted_commit_that_is_stashed_and_comes_back(memory: MemoryRepo) -> None:
    memory.capture("Stashed", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    assert memory.try_git("commit", "-q")[0] != 0
    memory.git("stash", "-q", "-u")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == []
    memory.git("stash", "pop", "-q", "--index")
    memory.git("commit", "-q", "-am", "a")
    assert memory.said() == ["Stashed"]
    assert memory.status() == ""


def test_a_deleted_branch_takes_no_decision_with_it(memory: MemoryRepo) -> None:
    memory.git("checkout", "-q", "-b", "feature")
    memory.capture("Deleted", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "main")
    memory.git("branch", "-q", "-D", "feature")
    assert memory.spooled() == ["Deleted"]
    memory.commit_file("again", "a.py", "a = 3\n")
    assert memory.said() == ["Deleted"]


def test_a_hard_reset_over_the_commit_brings_the_decision_back_to_the_next(
    memory: MemoryRepo,
) -> None:
    memory.capture("Undone", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("reset", "-q", "--hard", "HEAD^")
    memory.commit_file("a, otherwise", "a.py", "a = 3\n")
    assert memory.added() == ["Undone"]


def test_a_soft_reset_keeps_it_staged_once(memory: MemoryRepo) -> None:
    memory.capture("Soft", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("reset", "-q", "--soft", "HEAD^")
    memory.git("commit", "-q", "-m", "again")
    assert memory.said() == ["Soft"]
    assert memory.status() == ""


def test_a_removed_work_tree_leaves_its_decisions(memory: MemoryRepo, tmp_path: Path) -> None:
    memory.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = MemoryRepo(tmp_path / "side")
    side.capture("Never committed", "a.py")
    side.capture("Committed", "b.py")
    side.commit_file("b", "b.py", "b = 2\n")
    memory.git("worktree", "remove", "--force", str(tmp_path / "side"))
    memory.git("branch", "-q", "-D", "side")
    assert memory.spooled() == ["Committed", "Never committed"]
    memory.commit_file("another work tree's", "a.py", "a = 2\n")
    assert memory.said() == []


def test_a_fresh_clone_reads_what_the_hooks_committed(
    make_memory: MakeMemory, tmp_path: Path
) -> None:
    memory = make_memory("one")
    memory.capture("For all", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("clone", "-q", str(memory.path), str(tmp_path / "clone"))
    shutil.rmtree(memory.path)
    assert MemoryRepo(tmp_path / "clone").said() == ["For all"]


def test_what_stands_on_one_branch_comes_to_another_by_a_merge_alone(memory: MemoryRepo) -> None:
    memory.git("checkout", "-q", "-b", "feature")
    memory.capture("Of the feature", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "main")
    memory.commit_file("a, here", "a.py", "a = 3\n")
    assert memory.said() == []


def test_what_was_reverted_stays_so(memory: MemoryRepo) -> None:
    memory.capture("Reverted", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("revert", "--no-edit", "HEAD")
    memory.commit_file("a, otherwise", "a.py", "a = 3\n")
    assert memory.said() == []
