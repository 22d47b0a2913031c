"""The detached memory: in the repository's own folder, tracked nowhere, sent nowhere unasked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team


@pytest.fixture
def solo(team: Team) -> Clone:
    """A clone of a project that does not use gitmem, with a detached memory."""
    clone = team.clone("Ada")
    clone.git("switch", "-q", "-C", "main")
    clone.commit("Begin", {"app.py": "one\ntwo\n"})
    clone.git("push", "-q", "-u", "origin", "main")
    clone.gitmem("init", "--detached", "--yes").ok()
    return clone


def _separate(team: Team) -> str:
    path = team.folder / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


def _configure(clone: Clone, remote: str) -> None:
    file = clone.home / "config.toml"
    file.write_text(file.read_text() + f'\n[sync]\nremote = "{remote}"\n')


def test_nothing_is_tracked(solo: Clone) -> None:
    record_id = solo.capture("Outside", "app.py")
    assert solo.git("status", "--porcelain", "--ignored") == ""
    assert not (solo.path / ".gitmem").exists()
    assert solo.git("for-each-ref", "refs/gitmem*") == ""
    hit = solo.hit("app.py", record_id)
    assert (hit["state"], hit["where"]) == ("current", "pending")
    assert "detached memory" in solo.gitmem("status").ok().out
    done = solo.gitmem("--json", "capture", "--flush").ends(2)
    assert "gitmem push" in done.error["hint"]


def test_push_never_falls_back_to_the_codes_remote(team: Team, solo: Clone) -> None:
    solo.capture("Outside", "app.py")
    before = team.refs()
    url = solo.git("remote", "get-url", "origin")
    refused = (
        *(["push"], ["push", "origin"], ["push", url], ["push", f"file://{url}"]),
        *(["push", f"{url}/"], ["push", str(Path("..") / "remote.git")], ["pull", "origin"]),
    )
    for words in refused:
        done = solo.gitmem("--json", *words).ends(2)
        assert done.error["hint"], words
    assert team.refs() == before
    solo.git("push", "-q", "--mirror", "origin")
    assert team.refs() == before | {
        name: oid for name, oid in team.refs().items() if name.startswith("refs/remotes/")
    }
    assert not team.holds("Outside")


def test_the_codes_remote_is_refused_when_configured_too(team: Team, solo: Clone) -> None:
    solo.capture("Outside", "app.py")
    _configure(solo, "origin")
    done = solo.gitmem("--json", "push").ends(2)
    assert "origin" in done.error["message"]
    assert not team.holds("Outside")


def test_a_private_address_carries_it_to_another_detached_clone(team: Team, solo: Clone) -> None:
    address = _separate(team)
    record_id = solo.capture("Outside", "app.py")
    _configure(solo, address)
    before = team.refs()
    assert solo.gitmem("--json", "push").ok().data["pushed"] == 1
    assert solo.status()["unpushed"] == 0
    other = team.clone("Ben")
    other.gitmem("init", "--detached", "--yes").ok()
    assert other.gitmem("--json", "pull", address).ok().data["added"] == 1
    hit = other.hit("app.py", record_id)
    assert (hit["state"], hit["where"]) == ("current", "here")
    answer = other.capture("Answer", "app.py")
    assert other.gitmem("--json", "push", address).ok().data["pushed"] == 1
    assert solo.gitmem("--json", "pull").ok().data["added"] == 1
    assert solo.hit("app.py", answer)["summary"] == "Answer"
    assert team.refs() == before
    assert solo.git("for-each-ref", "refs/gitmem*") == ""


def test_a_second_init_keeps_the_settings(team: Team, solo: Clone) -> None:
    record_id = solo.capture("Outside", "app.py")
    _configure(solo, _separate(team))
    settings = (solo.home / "config.toml").read_text()
    done = solo.gitmem("--json", "init", "--detached", "--yes").ok()
    assert done.data["joins"]
    assert (solo.home / "config.toml").read_text() == settings
    assert solo.hit("app.py", record_id)["state"] == "current"
    done = solo.gitmem("--json", "init", "--yes").ends(4)
    assert "detached" in done.error["message"]


def test_a_detached_memory_beside_a_tracked_one_is_refused(team: Team) -> None:
    ada = team.start()
    done = ada.gitmem("--json", "init", "--detached", "--yes").ends(4)
    assert "gitmem init" in done.error["hint"]


def test_everything_in_it_counts_and_verify_reads_it_all(team: Team, solo: Clone) -> None:
    address = _separate(team)
    _configure(solo, address)
    old = solo.capture("Old", "app.py")
    solo.gitmem("push").ok()
    other = team.clone("Ben")
    other.gitmem("init", "--detached", "--yes").ok()
    _configure(other, address)
    other.gitmem("pull").ok()
    other.gitmem("supersede", old[:8], "-m", "New").ok()
    other.gitmem("push").ok()
    solo.gitmem("pull").ok()
    assert solo.hit("app.py", old)["state"] == "superseded"
    assert solo.verify()["records"] == 2


def test_removing_it_removes_it_whole(solo: Clone) -> None:
    solo.capture("Outside", "app.py")
    solo.gitmem("uninstall", "--yes").ok()
    assert not solo.home.exists()
    assert solo.gitmem("--json", "status").ends(3).error["code"] == "no-memory"


def test_an_alias_of_the_codes_remote_is_the_codes_remote(team: Team, solo: Clone) -> None:
    solo.capture("Outside", "app.py")
    before = team.refs()
    url = solo.git("remote", "get-url", "origin")
    solo.git("config", "--global", f"url.{team.folder}/.insteadOf", "alias:")
    solo.git("config", f"url.{team.folder}/.pushInsteadOf", "mine:")
    for address in ("alias:remote.git", "mine:remote.git"):
        done = solo.gitmem("--json", "push", address).ends(2)
        assert "a remote of the code" in done.error["message"]
    solo.git("remote", "set-url", "origin", "alias:remote.git")
    solo.gitmem("--json", "push", url).ends(2)
    (solo.path / "inner").mkdir()
    solo.git("remote", "set-url", "origin", "../remote.git")
    solo.gitmem("--json", "push", url, cwd=solo.path / "inner").ends(2)
    assert team.refs() == before
