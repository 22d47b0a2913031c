"""The hook as a process: whatever it is given, it ends with 0, in time, and says no nonsense."""

from __future__ import annotations

import codecs
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import Agent, list_spooled, read_log, remember, run_hook
from tests.support.commandline import Clone, environment
from tests.test_architecture import HEAVY

EVENTS = [
    "session-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "stop",
    "pre-compact",
    "session-end",
]


def start(clone: Clone, event: str, stdin: Any, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "gitmem", "hook", event, "--agent", "claude"],
        cwd=clone.path,
        env=environment(),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def is_silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"{",
        b"\xff\xfe{}",
        b"\x00\x00",
        b'{"cwd": "\\u0000", "session_id": 7, "tool_input": [], "tool_name": null}',
        b'{"a": ' + b"[" * 50_000,
        b'{"session_id": "\\ud800", "prompt": "\\udfff", "cwd": "/nowhere"}',
        b'{"n": ' + b"9" * 5_000 + b"}",
    ],
    ids=lambda data: repr(data[:24]),
)
def test_nonsense_on_stdin_is_answered_with_nothing(agent: Agent, data: bytes) -> None:
    assert is_silent(agent.run("pre-tool-use", data))


@pytest.mark.parametrize("event", EVENTS)
def test_an_empty_object_harms_no_event(agent: Agent, event: str) -> None:
    done = agent.run(event, b"{}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or json.loads(done.stdout)
    assert "Error" not in read_log(agent.clone)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: codecs.BOM_UTF8 + data,  # PowerShell sends one
        lambda data: data.replace(b"~", rb"\ud83d"),  # half an emoji, cut by UTF-16 units
        lambda data: data.replace(b"~", rb"\udE00 \\ud83d"),
        lambda data: data.replace(b"~", b"\xff\xe2"),
    ],
)
def test_a_text_that_was_cut_or_marked_does_not_lose_the_event(
    agent: Agent, spoil: Callable[[bytes], bytes]
) -> None:
    remember(agent.clone, "Keyed by tenant", "app.py")
    payload = agent.payload(
        tool_name="Edit", tool_input={"file_path": "app.py", "new_string": "~"}, prompt="~"
    )
    done = agent.run("pre-tool-use", spoil(json.dumps(payload).encode()))
    assert b"Keyed by tenant" in done.stdout
    assert (done.returncode, done.stderr) == (0, b"")
    assert read_log(agent.clone) == ""


def test_nonsense_is_in_the_log_and_doctor_shows_it(agent: Agent) -> None:
    agent.run("stop", b"not \x1b[2Jjson")
    log = read_log(agent.clone)
    assert "claude stop: DecodeError" in log
    assert "\x1b" not in log
    done = agent.clone.gitmem("doctor")
    assert "claude stop: DecodeError" in done.all


def test_a_stream_that_never_ends_is_not_waited_for(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    reading, writing = os.pipe()
    try:
        silent = start(agent.clone, "pre-tool-use", reading)
        assert silent.communicate(timeout=30) == (b"", b"")
        assert silent.returncode == 0
    finally:
        os.close(writing)
        os.close(reading)


def test_a_whole_payload_on_a_stream_that_stays_open_is_answered(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    reading, writing = os.pipe()
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "app.py"}}
    os.write(writing, json.dumps(agent.payload(**tool)).encode())
    try:
        done = start(agent.clone, "pre-tool-use", reading)
        assert b"Cache keyed" in done.communicate(timeout=30)[0]
    finally:
        os.close(writing)
        os.close(reading)


def test_fifty_mebibytes_are_taken_and_thrown_away(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    tool = {"tool_name": "Write", "tool_input": {"file_path": "app.py", "content": "x" * 52428800}}
    done = agent.run("pre-tool-use", json.dumps(agent.payload(**tool)).encode())
    assert is_silent(done)


def test_a_large_payload_within_reason_is_answered(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    content = "x = {'a': 1}\n" * 200_000
    tool = {"tool_name": "Write", "tool_input": {"content": content, "file_path": "app.py"}}
    done = agent.run("pre-tool-use", json.dumps(agent.payload(**tool)).encode())
    assert b"Cache keyed" in done.stdout


def test_a_closed_stdin_is_nothing(agent: Agent) -> None:
    done = start(agent.clone, "stop", None, preexec_fn=lambda: os.close(0))
    assert done.communicate(timeout=30) == (b"", b"")
    assert done.returncode == 0


def test_a_terminal_is_not_read(agent: Agent) -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    try:
        done = start(agent.clone, "stop", follower)
        assert done.communicate(timeout=30) == (b"", b"")
        assert done.returncode == 0
    finally:
        os.close(leader)
        os.close(follower)


def test_whoever_stops_listening_is_no_failure(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    reading, writing = os.pipe()
    os.close(reading)
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "app.py"}}
    done = subprocess.run(
        [sys.executable, "-m", "gitmem", "hook", "pre-tool-use", "--agent", "claude"],
        cwd=agent.clone.path,
        env=environment(),
        input=json.dumps(agent.payload(**tool)).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_its_own_deadline_ends_it(agent: Agent, tmp_path: Path) -> None:
    """A git that hangs is not waited for; what there was to say is not said by half."""
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o755)
    agent.prompt("Please change the app so that it is faster")
    agent.edit("app.py", "x\n")
    data = json.dumps(agent.payload(last_assistant_message="Done, because it was slow.")).encode()
    begun = time.monotonic()
    done = agent.run("stop", data, PATH=f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    assert is_silent(done)
    assert time.monotonic() - begun < 25  # far less, but machines are busy
    assert "it took longer than" in read_log(agent.clone)


def test_what_takes_too_long_is_finished_by_a_child(agent: Agent, tmp_path: Path) -> None:
    """As in a fresh clone of a large memory, whose every hook would else be too late."""
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(
        f'#!/bin/sh\n[ -e "{tmp_path}/once" ] && PATH="{os.environ["PATH"]}" exec git "$@"\n'
        f'touch "{tmp_path}/once"\nsleep 30\n'
    )
    slow.chmod(0o755)
    for file in agent.clone.home.glob("cache.db*"):
        file.unlink()
    data = json.dumps(agent.payload()).encode()
    path = f"{slow.parent}{os.pathsep}{os.environ['PATH']}"
    done = agent.run("session-start", data, PATH=path, GITMEM_NO_BACKGROUND=None)
    assert is_silent(done)
    deadline = time.monotonic() + 30
    while not (agent.clone.home / "history.lock").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (agent.clone.home / "history.lock").exists()


def test_gitmem_0_switches_everything_off(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    before = sorted(agent.clone.home.rglob("*"))
    for event in EVENTS:
        data = json.dumps(agent.payload(prompt="x", tool_name="Edit")).encode()
        assert is_silent(agent.run(event, data, GITMEM="0"))
    assert sorted(agent.clone.home.rglob("*")) == before


@pytest.mark.parametrize("words", [("no-such-event", "claude"), ("stop", "no-such-agent")])
def test_an_unknown_event_or_agent_is_passed_over(agent: Agent, words: tuple[str, str]) -> None:
    event, name = words
    assert is_silent(run_hook(agent.clone.path, event, name, b"{}"))


def test_an_agent_without_an_event_is_passed_over(agent: Agent) -> None:
    words = [sys.executable, "-m", "gitmem", "hook", "--agent", "claude"]
    done = subprocess.run(
        words, cwd=agent.clone.path, env=environment(), input=b"{}", capture_output=True
    )
    assert is_silent(done)  # 2 would stop what the agent is about to do


def test_outside_git_it_is_silent(tmp_path: Path) -> None:
    for event in EVENTS:
        assert is_silent(run_hook(tmp_path, event, "claude", b'{"session_id": "s"}'))
    assert list(tmp_path.iterdir()) == []


def test_without_a_memory_it_is_silent_and_makes_nothing(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "-q")
    clone.commit("Begin", {"a.py": "x"})
    before = sorted(tmp_path.rglob("*"))
    for event in EVENTS:
        data = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "what is it"})
        assert is_silent(run_hook(tmp_path, event, "claude", data.encode()))
    assert sorted(tmp_path.rglob("*")) == before


def test_in_a_bare_repository_it_is_silent(agent: Agent, tmp_path: Path) -> None:
    agent.clone.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    assert is_silent(run_hook(tmp_path / "bare.git", "session-start", "claude", b"{}"))


def test_in_a_broken_repository_it_is_silent(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    (agent.clone.path / ".git" / "HEAD").write_bytes(b"\xff garbage")
    assert is_silent(agent.run("session-start", json.dumps(agent.payload()).encode()))


def test_a_broken_memory_is_silent_and_logged(agent: Agent) -> None:
    (agent.clone.path / ".gitmem" / "project.toml").write_text("format = [[[")
    assert is_silent(agent.run("session-start", json.dumps(agent.payload()).encode()))
    assert "claude session-start" in read_log(agent.clone)


def test_a_full_disk_or_a_read_only_clone_is_no_failure(agent: Agent) -> None:
    if os.geteuid() == 0:
        (agent.clone.home / "sessions").write_text("in the way of the folder")
    else:
        agent.clone.home.chmod(0o500)
    data = json.dumps(agent.payload(prompt="Please make the cache faster")).encode()
    done = agent.run("user-prompt-submit", data)
    agent.clone.home.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_folder_that_is_gone_is_no_failure(agent: Agent, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = f'cd "{gone}" && rmdir "{gone}" && exec "{sys.executable}" -m gitmem hook stop'
    done = subprocess.run(
        ["sh", "-c", f"{words} --agent claude"],
        env=environment(),
        input=b"{}",
        capture_output=True,
        timeout=60,
    )
    assert is_silent(done)


def test_where_the_session_began_counts_when_it_went_elsewhere(
    agent: Agent, tmp_path: Path
) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    data = json.dumps({"session_id": "s", "cwd": str(tmp_path / "no-such-folder")}).encode()
    done = run_hook(
        tmp_path, "session-start", "claude", data, CLAUDE_PROJECT_DIR=str(agent.clone.path)
    )
    assert b"Cache keyed" in done.stdout


def test_the_log_is_bounded(agent: Agent) -> None:
    log = agent.clone.home / "log"
    log.mkdir()
    (log / "hooks.log").write_text("2026-01-01T00:00:00Z old line\n" * 10_000)
    agent.run("stop", b"nonsense")
    agent.run("stop", b"nonsense")
    assert sorted(file.name for file in log.iterdir()) == ["hooks.log", "hooks.log.1"]
    assert (log / "hooks.log").stat().st_size < 1_000


def test_an_agent_that_takes_context_at_the_start_alone_gets_no_more(clone: Clone) -> None:
    remember(clone, "Cache keyed by tenant", "app.py")
    for name in ("cursor", "copilot"):
        payload = {"conversation_id": "c", "sessionId": "c", "cwd": str(clone.path)}
        data = json.dumps({**payload, "prompt": "cache keyed by tenant"}).encode()
        assert is_silent(run_hook(clone.path, "user-prompt-submit", name, data))
        said = json.loads(run_hook(clone.path, "session-start", name, data).stdout)
        assert "Cache keyed" in next(iter(said.values()))


def test_gemini_is_told_after_its_first_edit_since_it_cannot_be_told_before(clone: Clone) -> None:
    remember(clone, "Cache keyed by tenant", "app.py")
    tool = {"tool_name": "replace", "tool_input": {"file_path": "app.py"}}
    data = json.dumps({"session_id": "g", "cwd": str(clone.path), **tool}).encode()
    said = json.loads(run_hook(clone.path, "post-tool-use", "gemini", data).stdout)
    assert said["hookSpecificOutput"]["hookEventName"] == "AfterTool"
    assert run_hook(clone.path, "post-tool-use", "gemini", data).stdout == b""


def test_a_cursor_session_is_captured_from_its_several_events(clone: Clone) -> None:
    base = {"conversation_id": "c", "generation_id": "g", "workspace_roots": [str(clone.path)]}
    events: list[tuple[str, dict[str, Any]]] = [
        ("user-prompt-submit", {"prompt": "Key the cache by tenant, please"}),
        ("post-tool-use", {"file_path": str(clone.path / "src/cache.py"), "edits": []}),
        ("agent-response", {"text": "The cache is keyed by tenant, because rows were shared."}),
        ("stop", {"status": "completed"}),
        ("stop", {"status": "completed"}),
    ]
    for event, fields in events:
        data = json.dumps({**base, **fields}).encode()
        assert is_silent(run_hook(clone.path, event, "cursor", data))
    [record] = list_spooled(clone)
    assert record["actor"]["agent"] == "cursor"
    assert record["summary"].startswith("The cache is keyed by tenant")
    assert record["paths"] == [{"path": "src/cache.py"}]


LIGHT = {"sqlite3", "click", "subprocess", "email", "logging", "asyncio", "threading"}
HOT = {"click", "email", "logging", "asyncio"}
_PROBE = """
import json, sys
from gitmem.__main__ import main
main(sys.argv[2:])
with open(sys.argv[1], "w") as out:
    json.dump(sorted(sys.modules), out)
"""


@pytest.mark.parametrize("event", EVENTS)
def test_no_event_imports_what_it_does_not_need(agent: Agent, event: str, tmp_path: Path) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    out = tmp_path / "modules.json"
    fields = {"tool_name": "Edit", "tool_input": {"file_path": "app.py"}, "prompt": "/x"}
    data = json.dumps(agent.payload(**fields, last_assistant_message="Done.")).encode()
    words = [str(out), "hook", event, "--agent", "claude"]
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, *words],
        cwd=agent.clone.path,
        env=environment(),
        input=data,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    modules = set(json.loads(out.read_text()))
    forbidden = LIGHT if event in ("post-tool-use", "user-prompt-submit") else HOT
    assert modules & (HEAVY | forbidden) == set()
