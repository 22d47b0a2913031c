"""What holds for every command: JSON, exit codes, help, quiet pipes, near suggestions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.cli.main import COMMANDS
from tests.support.commandline import Clone, Done, Team, environment, run_gitmem
from tests.support.terminal import run_in_terminal


def _check_success(done: Done, kind: str) -> None:
    done.ok()
    answer = done.json
    assert set(answer) == {"schema_version", "kind", "data", "warnings"}, done
    assert (answer["schema_version"], answer["kind"]) == (1, kind)
    for warning in answer["warnings"]:
        assert set(warning) == {"code", "message"}
    assert done.out.count("\n") == 1 and done.out.endswith("\n")


def test_every_command_gives_json_of_one_form(team: Team) -> None:
    ada = team.start()
    record_id = ada.decide("First", "a.py")
    other = ada.decide("Second", "a.py")
    third = ada.capture("Third", "a.py")
    commands: list[tuple[str, list[str]]] = [
        ("overview", []),
        ("init", ["init", "--yes"]),
        ("capture", ["capture", "-m", "x", "a.py"]),
        ("capture", ["note", "x"]),
        ("capture", ["capture", "--flush"]),
        ("why", ["why", "a.py"]),
        ("why", ["why", record_id[:8]]),
        ("why", ["why", "HEAD"]),
        ("log", ["log"]),
        ("log", ["log", "a.py"]),
        ("show", ["show", record_id[:8]]),
        ("show", ["show", "HEAD"]),
        ("search", ["search", "first"]),
        ("recall", ["recall", "what came first"]),
        ("search", ["query", "--extract", "first"]),
        ("related", ["related", "a.py"]),
        ("changelog", ["changelog"]),
        ("impact", ["impact", "a.py"]),
        ("pr-report", ["pr-report", "--base", "HEAD~1", "--head", "HEAD"]),
        ("lint", ["lint"]),
        ("reindex", ["reindex"]),
        ("peers", ["peers", "list"]),
        ("status", ["status"]),
        ("edit", ["edit", record_id[:8], "-m", "First, better"]),
        ("supersede", ["supersede", other[:8], "-m", "Second, better"]),
        ("retract", ["retract", third[:8]]),
        ("restore", ["restore", third[:8]]),
        ("redact", ["redact", third[:8], "--yes"]),
        ("undo", ["undo"]),
        ("push", ["push", "--dry-run"]),
        ("push", ["push"]),
        ("pull", ["pull"]),
        ("verify", ["verify"]),
        ("verify", ["verify", "--strict"]),
        ("doctor", ["doctor"]),
        ("cache", ["cache", "path"]),
        ("cache", ["cache", "grow"]),
        ("cache", ["cache", "rebuild"]),
        ("cache", ["cache", "query", "SELECT 1 AS one"]),
        ("agent", ["agent", "install", "--agent", "claude", "--yes"]),
        ("agent", ["agent", "uninstall", "--dry-run"]),
        ("agent", ["agent", "uninstall"]),
        ("review", ["review"]),
        ("maintain", ["maintain", "--dry-run"]),
        ("maintain", ["maintain"]),
        ("schema", ["schema"]),
        ("schema", ["schema", "decision"]),
        ("completion", ["completion", "bash"]),
        ("uninstall", ["uninstall", "--keep-data"]),
        ("uninstall", ["uninstall", "--yes"]),
    ]
    for kind, words in commands:
        _check_success(ada.gitmem("--json", *words), kind)
    covered = {words[0] for _, words in commands if words}
    elsewhere = {"demo", "hook", "hooks", "eval"}
    assert covered | elsewhere | {"mcp"} == set(COMMANDS)


def test_json_may_stand_after_the_command_too(ada: Clone) -> None:
    _check_success(ada.gitmem("status", "--json"), "status")
    _check_success(ada.gitmem("why", "app.py", "--json"), "why")


def test_records_in_json_name_their_fields_as_the_design_does(ada: Clone) -> None:
    record_id = ada.capture("Named", "--why", "y", "--rejected", "o | r", "app.py")
    hit = ada.hit("app.py", record_id)
    assert hit["project"] == "." and hit["kind"] == "decision" and hit["id"] == record_id
    for name in (
        *("summary", "why", "at", "paths", "state", "where", "uncommitted", "unreviewed"),
        *("superseded_elsewhere", "rejected", "actor", "commits_since"),
    ):
        assert name in hit
    status = ada.status()
    assert {"records", "pending", "unpushed", "private", "quarantined"} <= set(status)


FAILURES: list[tuple[list[str], int, str]] = [
    (["frobnicate"], 2, "usage"),
    (["why"], 2, "usage"),
    (["why", "a", "b"], 2, "usage"),
    (["why", "app.py", "--no-such"], 2, "usage"),
    (["log", "-n", "0"], 2, "usage"),
    (["why", "/etc/passwd"], 2, "path-outside"),
    (["capture", "-m", "x", "--type", "poem", "app.py"], 2, "usage"),
    (["capture", "-m", "x", "--rejected", " | why", "app.py"], 2, "usage"),
    (["show", "zz"], 2, "usage"),
    (["show", "abcd"], 4, "not-found"),
    (["edit", "abcdef", "-m", "x"], 4, "not-found"),
    (["retract", "abcdef"], 4, "not-found"),
    (["capture", "-m", "x", "--supersedes", "abcdef", "app.py"], 4, "not-found"),
    (["undo"], 4, "not-found"),
    (["push"], 2, "usage"),
    (["pull"], 2, "usage"),
    (["push", "/no/such/repository"], 5, "remote-unreachable"),
    (["pull", "ext::sh -c true"], 5, "unsafe-remote"),
    (["cache", "path", "SELECT 1"], 2, "usage"),
    (["cache", "query", "DELETE FROM record"], 2, "usage"),
    (["cache", "query", "SELEC 1"], 2, "usage"),
    (["-C", "no/such", "status"], 2, "usage"),
]


@pytest.mark.parametrize(("words", "code", "name"), FAILURES, ids=lambda v: str(v)[:40])
def test_a_failure_has_its_code_a_message_and_a_hint(
    ada: Clone, words: list[str], code: int, name: str
) -> None:
    if words[:2] == ["push", "/no/such/repository"]:
        ada.capture("To send", "app.py")
    done = ada.gitmem("--json", *words).ends(code)
    assert done.error["code"] == name
    assert done.error["message"]
    text = ada.gitmem(*words).ends(code)
    assert text.out == "" and text.err.startswith("gitmem: ")
    if done.error["hint"]:
        assert len(text.err.splitlines()) >= 2


def test_outside_a_repository(tmp_path: Path) -> None:
    text = run_gitmem(tmp_path).ok().out
    assert "gitmem demo" in text and "not a git repository" in text
    for words in (["why", "x"], ["status"], ["capture", "-m", "x"], ["init"], ["log"], ["verify"]):
        done = run_gitmem(tmp_path, "--json", *words).ends(3)
        assert done.error["code"] == "no-repository"
        assert "gitmem demo" in done.error["hint"]


def test_before_init(bare_history: Clone) -> None:
    text = bare_history.gitmem().ok().out
    assert "gitmem init" in text and "gitmem why" in text
    reason = bare_history.commit("Lock it because two writers raced", {"app.py": "lock\n"})
    for words in (["log"], ["search", "raced"], ["why", "app.py"], ["show", "HEAD"]):
        done = bare_history.gitmem("--json", *words).ok()
        assert reason in done.out, words
    for words in (
        *(["status"], ["capture", "-m", "x"], ["undo"], ["verify"], ["push"]),
        *(["retract", "abcdef"], ["edit", "abcdef", "-m", "x"], ["redact", "abcdef", "--yes"]),
    ):
        done = bare_history.gitmem("--json", *words).ends(3)
        assert done.error["code"] == "no-memory" and "gitmem init" in done.error["hint"], words


def test_a_memory_of_a_newer_format_is_told_apart(ada: Clone) -> None:
    ada.write(".gitmem/project.toml", 'format = 2\nproject_id = "x"\n')
    done = ada.gitmem("--json", "status").ends(8)
    assert "Upgrade" in done.error["hint"]


def test_a_damaged_project_file_is_told_apart(ada: Clone) -> None:
    ada.write(".gitmem/project.toml", "<<<<<<< HEAD\nformat = 1\n")
    done = ada.gitmem("--json", "status").ends(7)
    assert "git checkout" in done.error["hint"]


def test_help_of_every_command_is_there_and_short_enough(tmp_path: Path) -> None:
    text = run_gitmem(tmp_path, "--help").ok().out
    daily = text.partition("Every day:")[2].partition("More:")[0]
    for name in ("init", "capture", "why", "log", "search", "status", "push", "pull"):
        assert f"  {name} " in daily
    for name in COMMANDS:
        assert name in text
        page = run_gitmem(tmp_path, name, "--help").ok().out
        assert page.startswith(f"Usage: gitmem {name}")
        assert all(len(line) <= 100 for line in page.splitlines())
        for option in ("--json", "--help"):
            assert option in page


def test_the_version_is_told(tmp_path: Path) -> None:
    assert run_gitmem(tmp_path, "--version").ok().out.startswith("gitmem ")


def test_near_commands_and_ids_are_suggested(ada: Clone) -> None:
    assert "Did you mean status" in ada.gitmem("statsu").ends(2).err
    assert "Did you mean why" in ada.gitmem("whi", "app.py").ends(2).err
    record_id = ada.capture("Near", "app.py")
    wrong = record_id[:5] + ("0" if record_id[5] != "0" else "1")
    assert record_id[:12] in ada.gitmem("show", wrong).ends(4).err


@pytest.mark.slow
def test_an_ambiguous_id_names_its_candidates(ada: Clone) -> None:
    code = (
        "import gitmem\n"
        "memory, seen = gitmem.open_memory('.'), set()\n"
        "while True:\n"
        "    done = memory.capture(f'n{len(seen)}', paths=['app.py']).id\n"
        "    if done[:4] in {one[:4] for one in seen}: break\n"
        "    seen.add(done)\n"
        "print(done[:4], *[one for one in seen if one[:4] == done[:4]])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ada.path, env=environment(ada.env), capture_output=True
    )
    assert done.returncode == 0, done.stderr
    twin, other = done.stdout.decode().split()
    error = ada.gitmem("--json", "show", twin).ends(4).error
    assert error["code"] == "ambiguous" and other[:12] in error["message"]


def test_a_directory_is_given_as_git_takes_it(ada: Clone) -> None:
    inside = ada.gitmem("--json", "-C", str(ada.path), "status", cwd=ada.path.parent).ok()
    assert inside.data["records"] == 0
    ada.write("src/a.py", "x")
    done = ada.gitmem("-C", "src", "--json", "why", "a.py").ok()
    assert done.data["path"] == "src/a.py"


def test_quiet_says_nothing_on_stderr_but_errors(bare_history: Clone) -> None:
    assert bare_history.gitmem("-q", "why", "app.py").ok().err == ""
    assert bare_history.gitmem("why", "app.py", "-q").ok().err == ""
    assert bare_history.gitmem("-q", "status").ends(3).err != ""


def test_colour_only_on_a_terminal_that_wants_it(ada: Clone) -> None:
    ada.capture("Coloured", "app.py")
    assert "\x1b" not in ada.gitmem("why", "app.py").ok().all
    shown = run_in_terminal(ada.path, "why", "app.py", env=ada.env)
    assert shown.code == 0 and b"\x1b[1m" in shown.raw
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = run_in_terminal(ada.path, "why", "app.py", env={**ada.env, **plain})
        assert shown.code == 0 and b"\x1b" not in shown.raw


@pytest.mark.parametrize("words", ["log -n 1000", "why app.py --all", "log -n 1000 --json"])
def test_a_closed_pipe_is_quiet(ada: Clone, words: str) -> None:
    for n in range(3):
        text = f"Number {n}\n\n" + "long " * 40_000
        ada.gitmem("capture", "-F", "-", "app.py", stdin=text.encode()).ok()
    command = f"{sys.executable} -m gitmem {words} | head -c 20"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=ada.path,
        env=environment(ada.env),
        capture_output=True,
    )
    assert done.stderr == b"" and done.stdout
    assert done.returncode == 0


def test_a_full_device_is_no_bug_of_ours(ada: Clone) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gitmem", "log"],
            cwd=ada.path,
            env=environment(ada.env),
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 10, done
    assert b"space" in done.stderr and b"Traceback" not in done.stderr


def test_an_interrupt_ends_with_130_and_no_traceback(ada: Clone) -> None:
    code = (
        "import os, signal, threading, gitmem.__main__ as m\n"
        "import gitmem.cli.browse as b\n"
        "def stop(*a, **k): os.kill(os.getpid(), signal.SIGINT); __import__('time').sleep(5)\n"
        "b.list_log = stop\n"
        "raise SystemExit(m.main(['log']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ada.path,
        env=environment(ada.env),
        capture_output=True,
        timeout=30,
    )
    assert done.returncode == 130, done.stderr
    assert b"Traceback" not in done.stderr


def test_output_is_the_same_in_a_poor_locale(ada: Clone) -> None:
    ada.capture("Grüße 你好", "app.py")
    for locale in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}):
        done = ada.gitmem("--json", "why", "app.py", env=locale).ok()
        assert done.data["hits"][0]["summary"] == "Grüße 你好"
        ada.gitmem("why", "app.py", env=locale).ok()


def test_the_overview_is_five_lines_with_the_next_command(ada: Clone) -> None:
    for n in range(12):
        ada.capture(f"Number {n}", "app.py")
    lines = ada.gitmem().ok().out.splitlines()
    assert len(lines) <= 5
    assert any("next: gitmem" in line for line in lines)


def test_uninstall_names_what_would_be_lost_and_asks(ada: Clone) -> None:
    record_id = ada.capture("Never pushed", "app.py")
    ada.capture("Mine", "--local", "app.py")
    done = ada.gitmem("uninstall").ends(4)
    assert "1 record was never pushed" in done.err and "1 is private" in done.err
    assert "--keep-data" in done.err
    ada.gitmem("uninstall", "--keep-data").ok()
    assert ada.find_hit("app.py", record_id) is not None
    ada.gitmem("uninstall", "--yes").ok()
    assert not ada.home.exists()
    assert (ada.path / ".gitmem/project.toml").is_file()
    assert ada.git("status", "--porcelain") == ""


def test_completion_scripts_name_the_program(tmp_path: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_GITMEM_COMPLETE" in run_gitmem(tmp_path, "completion", shell).ok().out
    env = {"_GITMEM_COMPLETE": "bash_complete", "COMP_WORDS": "gitmem st", "COMP_CWORD": "1"}
    assert "status" in run_gitmem(tmp_path, env=env).out


def test_the_cache_can_be_asked_but_not_changed(ada: Clone) -> None:
    ada.capture("Seen in SQL", "app.py")
    path = ada.gitmem("cache", "path").ok().out.strip()
    assert Path(path).is_file()
    done = ada.gitmem("--json", "cache", "query", "SELECT count(*) AS n FROM record").ok()
    assert done.data["rows"] == [{"n": 1}]
    ada.gitmem("cache", "query", "DROP TABLE record").ends(2)
    assert ada.status()["records"] == 1


def test_schema_is_the_published_one(tmp_path: Path) -> None:
    schema = json.loads(run_gitmem(tmp_path, "schema", "decision").ok().out)
    assert schema["$schema"].startswith("https://json-schema.org/")


def test_doctor_finds_what_is_wrong_and_says_how_to_mend_it(team: Team) -> None:
    ada = team.start()
    done = ada.gitmem("doctor").ok()
    assert "integrity" in done.out
    ada.git("config", "remote.origin.mirror", "true")
    ada.git("config", "remote.origin.fetch", "+refs/*:refs/*")
    done = ada.gitmem("doctor")
    assert "mirror" in done.out and "refs/*:refs/*" in done.out
    assert "git config --unset remote.origin.mirror" in done.out
