"""A coding agent at work in a repository with a memory: its hooks run as it would run them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitmem.app.agent_hooking import Hooking
from gitmem.app.memory import open_memory
from gitmem.core.agent_events import Moment
from tests.support.commandline import Clone, environment

FENCE = "<gitmem-context-"


class Agent:
    """One session of one agent. `hook` runs an event in this process, `run` in one of its own."""

    def __init__(self, clone: Clone, name: str = "claude", session: str = "session-1") -> None:
        self.clone = clone
        self.name = name
        self.session = session

    def payload(self, **fields: Any) -> dict[str, Any]:
        return {"session_id": self.session, "cwd": str(self.clone.path), **fields}

    def answer(self, moment: Moment, cwd: Path | None = None, **fields: Any) -> bytes:
        """The bytes for stdout. Raises whatever goes wrong."""
        environ = {**os.environ, **self.clone.env}
        hooking = Hooking(moment, self.name, cwd or self.clone.path, environ)
        return hooking.answer(json.dumps(self.payload(**fields)).encode())

    def hook(self, moment: Moment, **fields: Any) -> str:
        """The text that reaches the model, "" for none."""
        said = self.answer(moment, **fields)
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"]) if said else ""

    def prompt(self, text: str, **fields: Any) -> str:
        return self.hook("user-prompt-submit", prompt=text, **fields)

    def before_edit(self, path: str | Path, tool: str = "Edit", **fields: Any) -> str:
        return self.hook("pre-tool-use", **self._tool(path, tool), **fields)

    def edit(self, path: str, text: str, **fields: Any) -> None:
        """Write a file and tell, as an edit tool does."""
        file = self.clone.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.hook("post-tool-use", **self._tool(file, "Write"), **fields)

    def stop(self, message: str, **fields: Any) -> None:
        assert self.answer("stop", last_assistant_message=message, **fields) == b""

    def _tool(self, path: str | Path, tool: str) -> dict[str, Any]:
        name = "notebook_path" if tool == "NotebookEdit" else "file_path"
        full = path if isinstance(path, str) and os.path.isabs(path) else self.clone.path / path  # noqa: PTH117
        return {"tool_name": tool, "tool_input": {name: str(full)}}

    def run(self, moment: str, data: bytes, *words: str, **env: str | None) -> Any:
        """`gitmem hook MOMENT --agent NAME` as a process; what it ended with."""
        return run_hook(self.clone.path, moment, self.name, data, *words, **env)


def run_hook(
    cwd: Path, moment: str, agent: str, data: bytes, *words: str, **env: str | None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "gitmem", "hook", moment, "--agent", agent, *words],
        cwd=cwd,
        env=environment(env),
        input=data,
        capture_output=True,
        timeout=60,
    )


def list_spooled(clone: Clone) -> list[dict[str, Any]]:
    """The records in all spools, oldest first."""
    files = sorted((clone.home / "spool").glob("*/*.ndjson"))
    return [json.loads(file.read_text()) for file in files]


def list_private(clone: Clone) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted((clone.home / "private").glob("*"))]


def read_log(clone: Clone) -> str:
    file = clone.home / "log" / "hooks.log"
    return file.read_text() if file.exists() else ""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the repository that each test gets a copy of is made once."""
    return tmp_path_factory.mktemp("built")


@pytest.fixture
def clone(built: Path, tmp_path: Path) -> Clone:
    """Ada's repository with a memory committed."""
    origin = built / "repo"
    if not origin.exists():
        origin.mkdir()
        first = Clone(origin)
        first.git("init", "-q", "-b", "main")
        first.git("config", "user.name", "Ada")
        first.git("config", "user.email", "ada@example.com")
        first.commit("Begin", {"app.py": "one\n", "src/cache.py": "two\n", "docs/a.md": "x\n"})
        first.init()
    subprocess.run(["cp", "-a", str(origin), str(tmp_path / "repo")], check=True)
    return Clone(tmp_path / "repo")


@pytest.fixture
def agent(clone: Clone) -> Agent:
    return Agent(clone)


@pytest.fixture
def make_agent(clone: Clone) -> Callable[..., Agent]:
    return lambda *words: Agent(clone, *words)


def remember(clone: Clone, summary: str, *paths: str, **fields: Any) -> str:
    """Capture a decision of Ada's; its id."""
    with open_memory(clone.path) as memory:
        memory.why(".")  # what is superseded must be known
        return memory.capture(summary, paths=paths, **fields).id
