"""A record captured with --local never leaves this clone, whatever is pushed."""

from __future__ import annotations

from tests.support.commandline import Clone, Team

SECRET = "only-for-my-eyes"


def _push_everything(clone: Clone) -> None:
    clone.gitmem("push").ok()
    clone.gitmem("capture", "--flush").ok()
    clone.git("add", "-A")
    clone.git("commit", "-q", "--allow-empty", "-m", "All there is")
    clone.git("push", "-q", "--all")
    clone.git("push", "-q", "--tags")
    clone.git("push", "-q", "origin", "+refs/*:refs/copy/*")
    clone.gitmem("push").ok()
    clone.git("push", "-q", "--mirror", "origin")


def test_no_kind_of_push_carries_a_private_record(team: Team) -> None:
    ada = team.start()
    public = ada.capture("Public", "app.py")
    record_id = ada.capture(f"Secretly {SECRET}", "--why", SECRET, "--local", "app.py")
    done = ada.gitmem("--json", "edit", record_id[:8], "-m", f"Edited {SECRET}").ok()
    edited = done.data["id"]
    done = ada.gitmem("--json", "supersede", edited[:8], "-m", f"Again {SECRET}").ok()
    third = done.data["id"]
    assert done.data["private"] is True
    ada.gitmem("retract", third[:8], "-m", f"reason {SECRET}").ok()
    ada.gitmem("restore", third[:8], "-m", f"no {SECRET}").ok()
    ada.gitmem("redact", third[:8], "--yes", "-m", f"gone {SECRET}").ok()
    _push_everything(ada)
    assert team.holds("Public") and team.holds(public)
    for needle in (SECRET, record_id, edited, third):
        assert not team.holds(needle), needle
    assert SECRET in ada.gitmem("show", record_id[:8]).ok().out
    ben = team.clone("Ben")
    ben.gitmem("pull").ok()
    assert SECRET not in ben.gitmem("log", "-n", "100").ok().all


def test_a_pending_record_can_be_made_private_before_it_leaves(team: Team) -> None:
    ada = team.start()
    ada.capture(f"Careless {SECRET}", "app.py")
    done = ada.gitmem("--json", "capture", "--amend", "--local").ok()
    assert done.data["private"] is True
    _push_everything(ada)
    assert not team.holds(SECRET)
    assert ada.hit("app.py", done.data["id"])["where"] == "private"


def test_what_refers_to_a_private_record_stays_private_too(team: Team) -> None:
    ada = team.start()
    private = ada.capture("Hidden", "--local", "app.py")
    done = ada.gitmem("--json", "capture", "-m", "Refers", "--supersedes", private[:8], "app.py")
    assert done.code in (0, 4)
    if done.code == 0:
        assert done.data["private"] is True
    _push_everything(ada)
    assert not team.holds(private)
