"""What the commands say: to somebody new, to somebody who mistyped, and of where things stand."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "team")


@pytest.fixture
def ada(team: Team) -> Clone:
    return team.start()


@pytest.fixture
def plain(tmp_path: Path) -> Clone:
    """A repository with history and without a memory."""
    path = tmp_path / "plain"
    path.mkdir()
    clone = Clone(path)
    clone.git("init", "-q", "-b", "main")
    return clone


def test_a_commit_is_shown_with_the_beginning_of_its_reason(plain: Clone) -> None:
    plain.commit(
        "Use WAL\n\nReaders must\nnot wait.\n\nMore.\n\nSigned-off-by: A <a@b.c>", {"a": ""}
    )
    assert "Use WAL\n             Readers must not wait.\n" in plain.gitmem("why", "a").ok().out
    # Where everything is listed, and in the log, one line each.
    assert "Readers" not in plain.gitmem("why", "a", "--all").ok().out
    assert "Readers" not in plain.gitmem("log").ok().out


def test_a_long_reason_is_cut_after_two_lines(plain: Clone) -> None:
    plain.commit("Use WAL\n\n" + "word " * 100, {"a": ""})
    lines = [line for line in plain.gitmem("why", "a").ok().out.splitlines() if "word" in line]
    assert len(lines) == 2 and lines[1].endswith(" ...") and max(map(len, lines)) <= 80


def test_before_init_nothing_points_to_a_command_that_would_fail(plain: Clone) -> None:
    assert "no commits" in plain.gitmem().ok().out
    plain.commit("Add a", {"a": ""})
    out = plain.gitmem("why", "a").ok().out
    assert "gitmem init" in out and "gitmem capture" not in out
    done = plain.gitmem("why", "no-such-name").ok()
    assert "Nothing is known" in done.out and done.err == ""


def test_a_file_that_moved_is_pointed_out(plain: Clone) -> None:
    plain.commit("Add the app because it is needed", {"lib/app.py": "one\ntwo\nthree\n"})
    (plain.path / "src/lib").mkdir(parents=True)
    plain.git("mv", "lib/app.py", "src/lib/app.py")
    plain.commit("Move it")
    done = plain.gitmem("why", "lib/app.py").ok()
    assert "did you mean src/lib/app.py?" in done.err
    assert "did you mean" not in plain.gitmem("why", "src/lib/app.py").ok().err


def test_a_line_that_cannot_be_is_said_to_be_none(plain: Clone) -> None:
    plain.commit("Add it because", {"a.py": "one\n"})
    for number in (0, 99):
        assert f"has no line {number}" in plain.gitmem("why", f"a.py:{number}").ok().err


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_target_is_a_wrong_word(plain: Clone, text: str) -> None:
    assert "gitmem: an empty name" in plain.gitmem("why", text).ends(2).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["why"], "why needs TARGET\n  For example: gitmem why src/app.py:120\n"),
        (["search"], "search needs WORDS\n  For example: gitmem search "),
        (["show"], "show needs ID\n  For example: gitmem show "),
        (["hooks"], "hooks needs one of install, uninstall, status\n  For example: "),
        (["completion"], "completion needs one of bash, zsh, fish\n  For example: "),
    ],
)
def test_a_word_left_out_is_answered_by_an_example(
    plain: Clone, words: list[str], said: str
) -> None:
    err = plain.gitmem(*words).ends(2).err
    assert err.startswith(f"gitmem: {said}") and "--help" in err
    assert "For example" in plain.gitmem(*words, "--json").ends(2).error["hint"]


def test_the_log_of_a_path_names_the_path_in_what_comes_next(plain: Clone) -> None:
    for number in range(3):
        plain.commit(f"Change {number} because", {"a b.py": str(number)})
    out = plain.gitmem("log", "-n", "1", "a b.py").ok().out
    assert out.splitlines()[-1] == "... 2 more: gitmem log 'a b.py' -n 3"


def test_a_capture_says_what_it_is_about(ada: Clone) -> None:
    assert "A thought  (about no file)" in ada.gitmem("capture", "-m", "A thought").ok().out
    done = ada.gitmem("capture", "-m", "Two", "app.py").ok()
    assert "Two  (about app.py)" in done.out and done.err == ""
    assert "there is no ap.py here" in ada.gitmem("capture", "-m", "Typo", "ap.py").ok().err


def test_where_only_the_memory_is_staged_the_modified_files_are_meant(ada: Clone) -> None:
    ada.gitmem("capture", "-m", "First", "--flush").ok()
    ada.write("app.py", "changed\n")
    assert "(about app.py)" in ada.gitmem("capture", "-m", "Second").ok().out


def test_a_withdrawal_names_what_it_withdraws(ada: Clone) -> None:
    record_id = ada.decide("Keyed by tenant", "a.py")
    ada.gitmem("retract", record_id, "-m", "wrong").ok()
    said = f"retracts {record_id[:7]}: Keyed by tenant"
    assert said in ada.gitmem("log").ok().out and said in ada.gitmem("status").ok().out
    ada.gitmem("redact", record_id, "--yes").ok()
    out = ada.gitmem("log").ok().out
    assert "Keyed by tenant" not in out and "(redacted) (redacted)" not in out


def test_a_conflict_comes_with_the_command_that_settles_it(ada: Clone) -> None:
    first = ada.decide("First", "a.py")
    for text in ("One way", "Another way"):
        ada.gitmem("supersede", first, "-m", text).ok()
    out = ada.gitmem("why", "a.py").ok().out
    command = next(line for line in out.splitlines() if "settle" in line).partition(": gitmem ")[2]
    ada.gitmem(*command.split(), "-m", "The way").ok()
    out = ada.gitmem("why", "a.py").ok().out
    assert "* The way" in out and "conflict" not in out


def test_of_a_pushed_decision_no_branch_is_named_that_one_stands_on(team: Team, ada: Clone) -> None:
    ada.capture("Not committed", "app.py")
    ada.gitmem("push").ok()
    ben = team.clone("Ben")
    ben.git("switch", "-q", "main")
    ben.gitmem("pull").ok()
    out = ben.gitmem("why", "app.py").ok().out
    assert "from another clone, not in a commit here yet" in out
    ben.git("switch", "-q", "-c", "other")
    assert "from branch main, not merged" in ben.gitmem("why", "app.py").ok().out


def test_ages_count_commits_to_what_was_asked_about(ada: Clone) -> None:
    ada.decide("Keyed", "src/a.py")
    assert "no commits to this file since" in ada.gitmem("why", "src/a.py").ok().out
    ada.commit("More", {"src/b.py": ""})
    assert "1 commit to this folder since" in ada.gitmem("why", "src").ok().out


def test_a_second_init_has_nothing_to_join(ada: Clone) -> None:
    ada.gitmem("init", "--yes").ok()
    out = ada.gitmem("init", "--yes").ok().out
    assert "is here already" in out and "Joining" not in out


def test_hooks_that_were_taken_out_are_not_called_missing(ada: Clone) -> None:
    ada.gitmem("hooks", "install").ok()
    out = ada.gitmem("hooks", "uninstall").ok().out
    assert "removed" in out and "missing" not in out
    assert "gitmem hooks install" in ada.gitmem("hooks", "status").ends(1).err


def test_a_detached_memory_has_a_name_and_takes_a_relative_address(
    plain: Clone, tmp_path: Path
) -> None:
    plain.commit("Begin", {"a.py": ""})
    plain.gitmem("init", "--detached", "--yes").ok()
    plain.capture("Kept apart", "a.py")
    assert "detached memory of plain" in plain.gitmem("status").ok().out
    assert "not in a commit" not in plain.gitmem("why", "a.py").ok().out
    plain.git("init", "-q", "--bare", str(tmp_path / "private.git"))
    assert "Pushed 1 record" in plain.gitmem("push", "../private.git").ok().out


def test_the_editor_does_not_show_the_memory_itself(ada: Clone, tmp_path: Path) -> None:
    pty = pytest.importorskip("tests.support.terminal")
    ada.gitmem("capture", "-m", "First", "--flush").ok()
    ada.write("app.py", "changed\n")
    editor = tmp_path / "editor.sh"
    editor.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/seen\necho Said > "$1"\n')
    editor.chmod(0o755)
    pty.run_in_terminal(ada.path, "capture", env={**ada.env, "GIT_EDITOR": str(editor)})
    seen = (tmp_path / "seen").read_text()
    assert "# +changed" in seen and ".gitmem" not in seen


def test_removing_what_was_never_pushed_is_not_the_default(ada: Clone) -> None:
    pty = pytest.importorskip("tests.support.terminal")
    ada.capture("Only here", "app.py")
    shown = pty.run_in_terminal(ada.path, "uninstall", env=ada.env, typed=b"\n")
    assert shown.code == 4 and "[y/N]" in shown.text
    assert ada.status()["pending"] == 1


def test_a_narrow_terminal_gets_no_line_that_is_wider(plain: Clone) -> None:
    pty = pytest.importorskip("tests.support.terminal")
    plain.commit("A subject that is rather long, because it says so much of it\n\nWhy.", {"a": ""})
    shown = pty.run_in_terminal(plain.path, "why", "a", env={**plain.env, "COLUMNS": "50"})
    assert "A subject" in shown.text and "rather" in shown.text
    listed = re.sub(r"\x1b\[[0-9;]*m", "", shown.text.partition("This is from")[0])
    assert max(len(line) for line in listed.splitlines()) <= 50


def test_a_pending_decision_for_a_commit_is_not_said_to_be_in_it(ada: Clone) -> None:
    oid = ada.commit("Change", {"app.py": "changed\n"})
    ada.gitmem("capture", "--for", "HEAD", "-m", "Said later").ok()
    footer = f"for {oid[:7]}, pending (not in a commit yet)"
    assert footer in ada.gitmem("why", "app.py").ok().out


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes are Linux's")
def test_a_name_that_is_no_text_is_found_to_be_here(plain: Clone) -> None:
    name = os.fsdecode(b"bad\xff.txt")
    plain.commit("Add it because", {name: "x"})
    done = plain.gitmem("-q", "why", name).ok()
    assert "Add it because" in done.out
    assert "not in this work tree" not in plain.gitmem("why", name).ok().err


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("gitmem wh", "plain,why"),
        ("gitmem why a", "file,a"),
        ("gitmem capture --wh", "plain,--why"),
    ],
)
def test_commands_options_and_files_are_completed(plain: Clone, words: str, kind: str) -> None:
    count = str(words.count(" "))
    environ = {"_GITMEM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    assert kind in plain.gitmem(env=environ).ok().out.split()
