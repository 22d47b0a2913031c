"""Text that others wrote never reaches a terminal as it is, and secrets of addresses never show."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team
from tests.support.terminal import run_in_terminal

EVIL = "a\x1b]0;owned\x07b\x9b31mc\u202ed\u2066e\u200bf\rg\x08h\u2028i"
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069]")


@pytest.fixture
def evil(team: Team) -> Clone:
    """A clone full of text that would command a terminal."""
    ada = team.start()
    mallory = Clone(ada.path, f"Mal{EVIL}", "mal@example.com")
    ada.write(f"file{EVIL}.py", "x\n")
    ada.write("app.py", "changed\n")
    ada.git("add", "-A")
    text = f"Summary {EVIL[:-1]}\n\nWhy {EVIL}\n\nrejected: {EVIL} | {EVIL}\n"
    mallory.gitmem(
        *("capture", "-F", "-", "--tag", EVIL, "--flush"), "app.py", stdin=text.encode()
    ).ok()
    mallory.git("commit", "-q", "-m", f"Subject {EVIL}\n\nBody because {EVIL}")
    mallory.gitmem("capture", "-F", "-", "app.py", stdin=text.encode()).ok()
    ada.git("branch", "evil\u202ebranch")
    return ada


def _questions(clone: Clone) -> list[list[str]]:
    ids = [h["id"] for h in clone.gitmem("--json", "log").ok().data["hits"]]
    return [
        *(["why", "app.py", "--all"], ["why", "app.py:1"], ["why", f"file{EVIL}.py", "--all"]),
        *(["why", "HEAD"], ["why", ids[0]], ["why", f"no{EVIL}.py"], ["log"], ["show", ids[0]]),
        *(["show", "HEAD"], ["search", "summary"], ["search", EVIL], ["status"], []),
        *(["retract", ids[0], "-m", EVIL], ["show", ids[0]], ["redact", ids[1], "--yes"]),
        *(["log"], ["verify"], ["doctor"], ["undo"], ["frob\x1bnicate"], ["show", EVIL]),
        *(["push", f"/no/such/{EVIL}"], ["-C", EVIL, "log"], ["capture", "-m", EVIL, EVIL]),
    ]


def test_no_control_reaches_a_pipe_and_json_escapes_them(evil: Clone) -> None:
    for words in _questions(evil):
        done = evil.gitmem(*words)
        assert done.code in (0, 2, 3, 4, 5), done
        assert not RAW.search(done.out), (words, done.out)
        assert not RAW.search(done.err), (words, done.err)
        done = evil.gitmem("--json", *words)
        json.loads(done.raw_out)
        assert not RAW.search(done.out), (words, done.out)


def test_no_control_reaches_a_terminal(evil: Clone) -> None:
    for words in (["why", "app.py", "--all"], ["log"], ["status"], ["why", "HEAD"]):
        shown = run_in_terminal(
            evil.path, *words, env={**evil.env, "NO_COLOR": "1", "PAGER": "cat"}
        )
        assert shown.code == 0, shown
        assert not RAW.search(shown.text), (words, shown.text)


def test_a_remotes_words_are_cleaned_and_named_as_such(team: Team) -> None:
    ada = team.start()
    hook = team.remote / "hooks/pre-receive"
    hook.write_bytes(b'#!/bin/sh\nprintf "no \\033]0;owned\\007 entry\\n" >&2\nexit 1\n')
    hook.chmod(0o755)
    record_id = ada.capture("To send", "app.py")
    done = ada.gitmem("push").ends(5)
    assert "\x1b" not in done.all and "entry" in done.err
    done = ada.gitmem("--json", "push").ends(5)
    assert done.error["code"] == "ref-refused" and "\x1b" not in done.out
    assert ada.hit("app.py", record_id)["where"] == "pending"
    hook.unlink()
    ada.gitmem("push").ok()


SECRET = "tok" + "3n" + "A" * 12


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{SECRET}@127.0.0.1:1/owner/repo.git",
        f"http://{SECRET}@127.0.0.1:1/x",
    ],
)
def test_a_token_in_an_address_never_shows(team: Team, address: str) -> None:
    ada = team.start()
    ada.capture("To send", "app.py")
    ada.git("remote", "set-url", "origin", address)
    for words in (["push"], ["pull"], ["push", address], ["status"], ["doctor"], ["push", "-n"]):
        for flags in ([], ["--json", "-v"]):
            done = ada.gitmem(*flags, *words)
            assert SECRET not in done.all, (words, flags)
    ada.git("remote", "set-url", "origin", str(team.remote))
    ada.gitmem("push").ok()
    assert not team.holds(SECRET)
    for file in ada.home.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file
    assert SECRET not in ada.git("for-each-ref")


REFUSED = [
    "--upload-pack=touch owned",
    "-oProxyCommand=touch owned",
    "ext::sh -c 'touch owned'",
    "fd::7",
    "ssh://-oProxyCommand=touch%20owned/x",
    "ssh://user@-oProxyCommand=x/y",
    "-x:y",
    "git@-oProxyCommand=x:y",
    "transport::address",
    "",
    "https://example.com/a\nb",
]


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_could_run_something_is_refused_before_anything_starts(
    team: Team, address: str, tmp_path: Path
) -> None:
    ada = team.start()
    ada.capture("To send", "app.py")
    trap = tmp_path / "bin"
    trap.mkdir()
    for name in ("git-upload-pack", "git-receive-pack", "ssh", "git-remote-ext"):
        (trap / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
        (trap / name).chmod(0o755)
    env = {"PATH": f"{trap}:{subprocess.os.environ['PATH']}"}  # type: ignore[attr-defined]
    ada.git("config", "remote.evil.url", address)
    for words in (["push", "--", address], ["pull", "evil"]):
        done = ada.gitmem("--json", *words, env=env)
        assert done.code in (2, 5), done
        if address not in ("", "fd::7"):
            assert done.error["code"] == "unsafe-remote", done
    assert not (tmp_path / "started").exists()
    assert not list(team.folder.rglob("owned"))


CONFIG = """
[core]
	fsmonitor = {trap}
	sshCommand = {trap}
	editor = {trap}
	pager = {trap}
	hooksPath = {hooks}
	gitProxy = {trap}
	askPass = {trap}
	alternateRefsCommand = {trap}
[diff]
	external = {trap}
[diff "evil"]
	command = {trap}
	textconv = {trap}
[filter "evil"]
	clean = {trap}
	smudge = {trap}
	process = {trap}
	required = true
[merge "evil"]
	driver = {trap}
[alias]
	log = !{trap}
	rev-parse = !{trap}
	cat-file = !{trap}
	status = !{trap}
[credential]
	helper = !{trap}
[gpg]
	program = {trap}
[log]
	showSignature = true
[uploadpack]
	packObjectsHook = {trap}
[pager]
	log = {trap}
	blame = {trap}
[sequence]
	editor = {trap}
[interactive]
	diffFilter = {trap}
"""


def test_reading_runs_nothing_that_a_repository_configures(ada: Clone, tmp_path: Path) -> None:
    record_id = ada.decide("Read me", "a.py")
    ada.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    ada.git("add", ".gitattributes")
    ada.git("commit", "-q", "-m", "Attributes because evil")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho $0 $@ >> {tmp_path}/ran\nexit 1\n")
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-commit"):
        (hooks / name).write_text(trap.read_text())
        (hooks / name).chmod(0o755)
    ada.write("a.py", "changed\n")
    config = ada.path / ".git/config"
    config.write_text(config.read_text() + CONFIG.format(trap=trap, hooks=hooks))
    for file in ada.home.glob("cache.db*"):
        file.unlink()
    for words in (
        *(["why", "a.py"], ["why", "a.py:1"], ["why", "."], ["why", record_id], ["why", "HEAD"]),
        *(["log"], ["show", record_id], ["status"], ["search", "read"], ["verify"], []),
        *(["cache", "rebuild"], ["doctor"], ["init", "--dry-run"]),
        *(["capture", "-m", "x"], ["capture", "-m", "x", "a.py"], ["retract", record_id[:9]]),
    ):
        ada.gitmem(*words).ok()
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
