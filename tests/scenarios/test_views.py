"""What main says while others branch, merge, revert, squash, rebase, retract and redact."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team

NOW = {"GITMEM_NOW": "2030-01-01T00:00:00Z"}


def test_an_unmerged_pushed_branch_changes_nothing_that_main_says(team: Team) -> None:
    ada = team.start()
    kept, withdrawn = ada.decide("Kept", "a.py"), ada.decide("Withdrawn", "b.py")
    ada.git("push", "-q")
    ada.git("switch", "-q", "-c", "side")
    ada.gitmem("supersede", kept[:8], "-m", "Instead").ok()
    ada.gitmem("retract", withdrawn[:8], "-m", "wrong").ok()
    ada.gitmem("capture", "--flush").ok()
    ada.git("commit", "-q", "-m", "Revise")
    ada.git("push", "-q", "origin", "side")
    ada.gitmem("push").ok()
    assert ada.hit("a.py", kept)["state"] == "superseded"
    ben = team.clone("Ben")
    ben.gitmem("pull").ok()
    ada.git("switch", "-q", "main")
    for clone in (ada, ben):
        for path, record_id in (("a.py", kept), ("b.py", withdrawn)):
            hit = clone.hit(path, record_id)
            assert hit["state"] == "current" and len(hit["superseded_elsewhere"]) == 1, clone.path
    assert "superseded elsewhere" in ben.gitmem("why", "a.py").ok().out
    ben.git("merge", "-q", "origin/side")
    assert ben.hit("a.py", kept)["state"] == "superseded"
    assert ben.hit("b.py", withdrawn)["state"] == "retracted"


def test_a_decision_on_a_branch_is_elsewhere_until_it_is_merged(ada: Clone) -> None:
    ada.git("switch", "-q", "-c", "side")
    record_id = ada.decide("On the side", "a.py")
    assert ada.hit("a.py", record_id)["where"] == "here"
    ada.git("switch", "-q", "main")
    hit = ada.hit("a.py", record_id)
    assert hit["where"] == "elsewhere" and hit["branch"] == "side"
    assert "from branch side, not merged" in ada.gitmem("why", "a.py").ok().out
    assert ada.gitmem("--json", "capture", "--flush").ok().data["flushed"] == []
    assert ada.status()["pending"] == 0
    ada.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert ada.hit("a.py", record_id)["where"] == "here"


def test_what_an_aborted_commit_left_behind_is_pending_again(ada: Clone) -> None:
    record_id = ada.decide("Undone commit", "a.py")
    assert ada.status()["pending"] == 0
    ada.git("reset", "-q", "--hard", "HEAD~1")
    assert ada.hit("a.py", record_id)["where"] == "pending"
    assert ada.status()["pending"] == 1
    assert len(ada.gitmem("--json", "capture", "--flush").ok().data["flushed"]) == 1


def test_a_revert_makes_it_reverted_and_its_revert_makes_it_current(ada: Clone) -> None:
    record_id = ada.decide("Risky", "a.py")
    ada.git("revert", "--no-edit", "HEAD")
    hit = ada.hit("a.py", record_id)
    assert hit["state"] == "reverted" and hit["why"] is None and hit["summary"] == "Risky"
    assert hit["reverted_by"] == ada.head()
    assert f"reverted by {ada.head()[:7]}" in ada.gitmem("why", "a.py").ok().out
    ada.git("revert", "--no-edit", "HEAD")
    assert ada.hit("a.py", record_id)["state"] == "current"


@pytest.mark.parametrize("how", ["squash", "rebase", "cherry-pick", "amend", "merge"])
def test_a_decision_stays_tied_to_the_commit_that_holds_it(ada: Clone, how: str) -> None:
    ada.git("switch", "-q", "-c", "side")
    record_id = ada.decide("Tied", "a.py")
    first = ada.head()
    assert ada.hit("a.py", record_id)["commit"] == first
    if how == "amend":
        ada.git("commit", "-q", "--amend", "-m", "Other words")
        expected = ada.head()
    else:
        ada.git("switch", "-q", "main")
        ada.commit("Meanwhile", {"other.py": "x"})
        if how == "squash":
            ada.git("merge", "-q", "--squash", "side")
            ada.git("commit", "-q", "-m", "Squashed")
        elif how == "rebase":
            ada.git("switch", "-q", "side")
            ada.git("rebase", "-q", "main")
        elif how == "cherry-pick":
            ada.git("cherry-pick", "side")
        else:
            ada.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
        expected = first if how == "merge" else ada.head()
    assert ada.hit("a.py", record_id)["commit"] == expected
    answer = ada.why(expected)
    assert record_id in [h["id"] for h in answer["hits"]]


def test_a_segment_added_while_ending_a_conflicted_merge_is_tied_to_the_merge(ada: Clone) -> None:
    ada.git("switch", "-q", "-c", "side")
    ada.commit("Side", {"app.py": "side\n"})
    ada.git("switch", "-q", "main")
    ada.commit("Main", {"app.py": "main\n"})
    ada.git("merge", "-q", "side", check=False)
    ada.write("app.py", "both\n")
    record_id = ada.capture("Both", "--flush", "app.py")
    ada.git("add", "-A")
    ada.git("commit", "-q", "-m", "Merge with a decision")
    assert ada.hit("app.py", record_id)["commit"] == ada.head()


def test_two_that_supersede_one_are_both_current_and_reported(team: Team) -> None:
    ada = team.start()
    old = ada.decide("Old", "a.py")
    ada.git("push", "-q")
    ben = team.clone("Ben")
    ids = []
    for clone, branch in ((ada, "ada"), (ben, "ben")):
        clone.git("switch", "-q", "-c", branch)
        done = clone.gitmem("--json", "supersede", old[:8], "-m", f"As {branch} sees it").ok()
        ids.append(done.data["id"])
        clone.gitmem("capture", "--flush").ok()
        clone.git("commit", "-q", "-m", branch)
        clone.git("push", "-q", "origin", branch)
    ada.git("fetch", "-q")
    ada.git("merge", "-q", "-m", "Both", "origin/ben")
    for mine, other in (ids, ids[::-1]):
        hit = ada.hit("a.py", mine)
        assert hit["state"] == "conflict" and hit["conflicts_with"] == [other]
    assert ada.hit("a.py", old)["state"] == "superseded"
    assert "in conflict with" in ada.gitmem("why", "a.py").ok().out


def test_edits_of_one_decision_on_two_branches_are_a_conflict(ada: Clone) -> None:
    old = ada.decide("Old", "a.py")
    for branch in ("one", "two"):
        ada.git("switch", "-q", "-c", branch, "main")
        ada.gitmem("edit", old[:8], "-m", f"New in {branch}").ok()
        ada.gitmem("capture", "--flush").ok()
        ada.git("commit", "-q", "-m", branch)
    ada.git("merge", "-q", "-m", "Both", "one")
    states = {h["summary"]: h["state"] for h in ada.why("a.py", "--all")["hits"] if h["id"]}
    assert states == {"Old": "superseded", "New in one": "conflict", "New in two": "conflict"}


def test_a_redaction_counts_everywhere_at_once_and_stays_listed(team: Team) -> None:
    ada = team.start()
    ben = team.clone("Ben")
    ada.git("switch", "-q", "-c", "side")
    record_id = ada.decide("Password is swordfish", "a.py", "--why", "swordfish opens it")
    ada.git("push", "-q", "origin", "side")
    ada.gitmem("push").ok()
    ben.gitmem("pull").ok()
    assert "swordfish" in ben.gitmem("show", record_id).ok().out
    done = ada.gitmem("redact", record_id[:8], "--yes", "-m", "leaked").ok()
    assert "git filter-repo" in done.err and "gitmem push" in done.err
    ada.gitmem("push").ok()
    ben.gitmem("pull").ok()
    for clone in (ada, ben):
        shown = clone.gitmem("show", record_id).ok().out
        assert "swordfish" not in shown and "leaked" in shown and "Ada" in shown
        assert clone.gitmem("--json", "search", "swordfish").ok().data["hits"] == []
        assert "swordfish" not in clone.gitmem("--json", "why", "a.py", "--all").ok().out
        for file in clone.home.glob("cache.db*"):
            assert b"swordfish" not in file.read_bytes(), file
    alarms = ben.status()["alarms"]
    assert [a["actor"]["name"] for a in alarms] == ["Ada"]
    assert "no review has seen" in ben.gitmem("status").ok().out
    assert "redacted already" in ada.gitmem("redact", record_id[:8], "--yes").ends(4).err
    assert "final" in ada.gitmem("restore", record_id[:8]).ends(4).err


def test_retract_and_restore_undo_each_other(ada: Clone) -> None:
    record_id = ada.decide("Perhaps", "a.py")
    ada.gitmem("retract", record_id[:8], "-m", "not so").ok()
    hit = ada.hit("a.py", record_id)
    assert hit["state"] == "retracted" and hit["reason"] == "retracted by Ada: not so"
    assert "retracted already" in ada.gitmem("retract", record_id[:8]).ends(4).err
    ada.gitmem("restore", record_id[:8]).ok()
    assert ada.hit("a.py", record_id)["state"] == "current"
    assert "not retracted" in ada.gitmem("restore", record_id[:8]).ends(4).err
    ada.gitmem("retract", record_id[:8]).ok()
    assert ada.hit("a.py", record_id)["state"] == "retracted"


def test_others_work_is_unreviewed_until_it_is_on_the_default_branch(team: Team) -> None:
    ada = team.start()
    ben = team.clone("Ben")
    ben.git("switch", "-q", "-c", "side")
    record_id = ben.decide("From Ben", "b.py")
    ben.git("push", "-q", "origin", "side")
    ben.gitmem("push").ok()
    ada.gitmem("pull").ok()
    assert ada.hit("b.py", record_id)["unreviewed"] is True
    assert "unreviewed" in ada.gitmem("why", "b.py").ok().out
    assert ben.hit("b.py", record_id)["unreviewed"] is False
    ada.git("fetch", "-q")
    ada.git("switch", "-q", "-c", "look", "origin/side")
    hit = ada.hit("b.py", record_id)
    assert (hit["where"], hit["unreviewed"]) == ("here", True)
    ben.git("push", "-q", "origin", "side:main")
    ada.git("fetch", "-q")
    assert ada.hit("b.py", record_id)["unreviewed"] is False


def test_the_same_person_in_another_clone_is_not_unreviewed(team: Team) -> None:
    ada = team.start()
    record_id = ada.capture("On the desktop", "app.py")
    ada.gitmem("push").ok()
    laptop = team.clone("Laptop")
    laptop.env = dict(ada.env)
    laptop.gitmem("pull").ok()
    assert laptop.hit("app.py", record_id)["unreviewed"] is False


def _answers(clone: Clone, record_id: str) -> list[bytes]:
    asked = (
        ["why", "a.py", "--all"],
        ["why", "a.py:1"],
        ["why", "."],
        ["log"],
        ["search", "number", "change"],
        ["show", record_id],
        ["status"],
    )
    return [clone.gitmem("--json", *words, env=NOW).ok().raw_out for words in asked]


def test_without_the_cache_every_answer_is_the_same_byte_for_byte(team: Team) -> None:
    ada = team.start()
    ids = [ada.decide(f"Number {n}", f"{'ab'[n % 2]}.py") for n in range(6)]
    ada.gitmem("supersede", ids[0][:8], "-m", "Instead of number 0").ok()
    ada.gitmem("retract", ids[2][:8]).ok()
    ada.capture("Private number", "--local", "a.py")
    ada.git("revert", "--no-edit", "HEAD")
    ada.gitmem("push").ok()
    grown = _answers(ada, ids[2])
    for file in ada.home.glob("cache.db*"):
        file.unlink()
    assert _answers(ada, ids[2]) == grown
    ada.gitmem("cache", "rebuild").ok()
    assert _answers(ada, ids[2]) == grown
    assert ada.gitmem("--json", "verify").ok()


def test_records_of_another_project_are_kept_apart(ada: Clone, tmp_path: Path) -> None:
    other_path = tmp_path / "other"
    other_path.mkdir()
    other = Clone(other_path)
    other.git("init", "-q")
    other.commit("Elsewhere", {"app.py": "another beginning"})
    other.init()
    foreign = other.capture("Of another project", "--flush", "app.py")
    mine = ada.capture("Mine", "app.py")
    source = next(other.path.glob(".gitmem/records/*/*.ndjson"))
    target = ada.path / source.relative_to(other.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    assert ada.find_hit("app.py", foreign) is None
    assert ada.find_hit("app.py", mine) is not None
    assert ada.status()["quarantined"] == 1
    done = ada.gitmem("--json", "verify").ends(7)
    problems = done.json["data"]["problems"]
    assert [(p["code"], p["id"]) for p in problems] == [("other-project", foreign)]
    assert "another project" in ada.gitmem("verify").ends(7).out
