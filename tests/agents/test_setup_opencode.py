"""OpenCode's plugin, run by a JavaScript engine: what it hands on, with gitmem and without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.opencode import EVENT_NAMES
from gitmem.agents.setup.opencode_plugin import PLUGIN

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no JavaScript engine")

# Steps are [hook, input, output]; the outputs are printed as they are afterwards.
_RUNNER = """
import { Gitmem } from "./gitmem.mjs"
const hooks = await Gitmem({ directory: process.cwd() })
const steps = JSON.parse(process.argv[2])
for (const [name, input, output] of steps) await hooks[name](input, output)
console.log(JSON.stringify(steps.map((step) => step[2])))
"""
_PROGRAM = """#!/bin/sh
printf '%s ' "$@" >> calls
cat >> calls
echo >> calls
case $2 in
  session-start | pre-tool-use) printf '{"additionalContext": "of %s"}' "$2" ;;
  user-prompt-submit) echo "not JSON" ;;
  post-tool-use) exit 3 ;;
esac
"""


def _event(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}, None]


def _message(session: str, text: str, role: str = "assistant") -> list[list[Any]]:
    ident = f"{session}-{role}"
    part = {"type": "text", "messageID": ident, "sessionID": session, "text": text}
    return [
        _event("message.updated", info={"id": ident, "role": role, "sessionID": session}),
        _event("message.part.updated", part=part),
    ]


def _run(folder: Path, steps: list[list[Any]], *, path: str) -> tuple[list[Any], list[list[str]]]:
    """The outputs of the steps, and the calls of gitmem: event, and what it was given."""
    assert NODE is not None
    (folder / "gitmem.mjs").write_text(PLUGIN)
    (folder / "runner.mjs").write_text(_RUNNER)
    done = subprocess.run(
        [NODE, "runner.mjs", json.dumps(steps)],
        cwd=folder,
        env={"PATH": path},
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    calls = folder / "calls"
    lines = calls.read_text().splitlines() if calls.exists() else []
    return json.loads(done.stdout), [line.split(" ", 4) for line in lines]


@pytest.fixture
def path(tmp_path: Path) -> str:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "gitmem").write_text(_PROGRAM)
    (folder / "gitmem").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_session_is_handed_on_and_its_context_given_back_once(tmp_path: Path, path: str) -> None:
    transform = "experimental.chat.system.transform"
    edit = {"tool": "edit", "sessionID": "s", "args": {"filePath": "/a.py"}}
    steps = [
        _event("session.created", info={"id": "s"}),
        [transform, {"sessionID": "other"}, {"system": []}],
        [transform, {"sessionID": "s"}, {"system": ["own"]}],
        [transform, {"sessionID": "s"}, {"system": []}],
        ["chat.message", {"sessionID": "s"}, {"parts": [{"type": "text", "text": "why?"}]}],
        ["tool.execute.before", {"tool": "read", "sessionID": "s"}, {"args": {}}],
        ["tool.execute.before", edit, {"args": {"filePath": "/a.py"}}],
        ["tool.execute.after", edit, {"output": "done"}],
        [transform, {"sessionID": "s"}, {"system": []}],
        *_message("s", "why?", role="user"),
        *_message("s", "Because it leaked."),
        _event("session.idle", sessionID="s"),
        _event("session.deleted", info={"id": "s"}),
        _event("something.new", x=1),
        _event("session.idle"),
    ]
    outputs, calls = _run(tmp_path, steps, path=path)
    assert [outputs[i]["system"] for i in (1, 2, 3, 8)] == [
        [], ["own", "of session-start"], [], ["of pre-tool-use"],
    ]  # fmt: skip
    said = [(words[1], json.loads(words[4])) for words in calls]
    assert [event for event, _ in said[:6]] == [
        "session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "stop",
        "session-end",
    ]  # fmt: skip
    assert {event for event, _ in said} <= set(EVENT_NAMES)
    assert all(words[0] == "hook" and words[2:4] == ["--agent", "opencode"] for words in calls)
    given = dict(said[:6])
    assert all(payload["cwd"] for payload in given.values())
    assert given["user-prompt-submit"]["prompt"] == "why?"
    assert given["post-tool-use"]["tool_input"] == {"filePath": "/a.py"}
    assert given["stop"]["last_assistant_message"] == "Because it leaked."
    assert given["stop"]["session_id"] == "s"


def test_a_session_that_another_started_is_part_of_it(tmp_path: Path, path: str) -> None:
    steps = [
        _event("session.created", info={"id": "s"}),
        _event("session.created", info={"id": "child", "parentID": "s"}),
        ["tool.execute.after", {"tool": "write", "sessionID": "child", "args": {}}, {}],
        *_message("child", "Done."),
        *_message("s", "All of it."),
        _event("session.idle", sessionID="child"),
        _event("session.idle", sessionID="s"),
    ]
    _, calls = _run(tmp_path, steps, path=path)
    said = [(words[1], json.loads(words[4])["session_id"]) for words in calls]
    assert said == [("session-start", "s"), ("post-tool-use", "s"), ("stop", "s")]
    assert json.loads(calls[-1][4])["last_assistant_message"] == "All of it."


def test_without_gitmem_it_does_nothing_and_says_nothing(tmp_path: Path) -> None:
    steps = [
        _event("session.created", info={"id": "s"}),
        ["chat.message", {"sessionID": "s"}, {"parts": [{"type": "text", "text": "hello"}]}],
        ["experimental.chat.system.transform", {"sessionID": "s"}, {"system": []}],
        _event("session.idle", sessionID="s"),
    ]
    outputs, calls = _run(tmp_path, steps, path=str(tmp_path))
    assert outputs[2] == {"system": []}
    assert calls == []
