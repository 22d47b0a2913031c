"""What each agent's hooks are called, and the commands that are entered for them.

One command for every shell: it names no path, needs no quotes, and what follows the semicolon
makes a missing program end well in sh, Git Bash and PowerShell alike. An agent that starts
programs without a shell shows an error at every event where gitmem is not installed, and an
older one passes over the list of arguments, so commands are whole lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gitmem.core.agent_events import Moment

EDIT_TOOLS = "Edit|Write|MultiEdit|NotebookEdit"
TIMEOUT_SECONDS = 5
LAST_TIMEOUT_SECONDS = 1
"""Claude Code gives all hooks at a session's end one and a half seconds together."""


class Event(msgspec.Struct, frozen=True):
    """An agent's own name of an event, gitmem's name of it, and what it is for."""

    name: str
    gitmem: Moment
    matcher: str | None = None

    @property
    def timeout_seconds(self) -> int:
        return LAST_TIMEOUT_SECONDS if self.gitmem == "session-end" else TIMEOUT_SECONDS


class HookTable(msgspec.Struct, frozen=True):
    """The hooks of one agent. `is_grouped`: handlers stand in groups that share a matcher;
    else an event lists handlers. `header` is what a new file begins with."""

    agent: str
    events: tuple[Event, ...]
    build_handler: Callable[[str, Event], dict[str, Any]]
    is_grouped: bool = True
    header: tuple[tuple[str, Any], ...] = ()

    def build_entry(self, event: Event) -> dict[str, Any]:
        """What stands in an event's list."""
        handler = self.build_handler(self.agent, event)
        if not self.is_grouped:
            return handler
        matcher = {} if event.matcher is None else {"matcher": event.matcher}
        return {**matcher, "hooks": [handler]}


def format_command(agent: str, event: Event) -> str:
    """The command of one hook; ends with 0 where there is no gitmem."""
    return f"gitmem hook {event.gitmem} --agent {agent}; exit 0"


def _claude(agent: str, event: Event) -> dict[str, Any]:
    return {
        "type": "command",
        "command": format_command(agent, event),
        "timeout": event.timeout_seconds,
    }


def _codex(agent: str, event: Event) -> dict[str, Any]:
    # On Windows its shell may be cmd or PowerShell: `cmd /c` is read alike by both.
    windows = f'cmd /d /c "gitmem hook {event.gitmem} --agent {agent} & exit /b 0"'
    return {**_claude(agent, event), "commandWindows": windows}


def _cursor(agent: str, event: Event) -> dict[str, Any]:
    # Goes on whatever a hook ends with, and its shell on Windows is not documented.
    command = f"gitmem hook {event.gitmem} --agent {agent}"
    matcher = {} if event.matcher is None else {"matcher": event.matcher}
    return {"command": command, "timeout": event.timeout_seconds, **matcher}


def _gemini(agent: str, event: Event) -> dict[str, Any]:
    milliseconds = event.timeout_seconds * 1000
    return {"name": "gitmem", **_claude(agent, event), "timeout": milliseconds}


def _copilot(agent: str, event: Event) -> dict[str, Any]:
    command = format_command(agent, event)
    return {
        "type": "command",
        "bash": command,
        "powershell": command,
        "timeoutSec": event.timeout_seconds,
    }


_VERSION = (("version", 1),)
CLAUDE = HookTable(
    "claude",
    (
        Event("SessionStart", "session-start"),
        Event("SubagentStart", "subagent-start"),
        Event("UserPromptSubmit", "user-prompt-submit"),
        Event("PreToolUse", "pre-tool-use", EDIT_TOOLS),
        Event("PostToolUse", "post-tool-use", EDIT_TOOLS),
        Event("Stop", "stop"),
        Event("SubagentStop", "subagent-stop"),
        Event("PreCompact", "pre-compact"),
        Event("SessionEnd", "session-end"),
    ),
    _claude,
)
CODEX = HookTable(
    "codex",
    (
        Event("SessionStart", "session-start"),
        Event("SubagentStart", "subagent-start"),
        Event("UserPromptSubmit", "user-prompt-submit"),
        Event("PreToolUse", "pre-tool-use", "apply_patch|Edit|Write"),
        Event("PostToolUse", "post-tool-use", "apply_patch|Edit|Write"),
        Event("Stop", "stop"),
        Event("SubagentStop", "subagent-stop"),
        Event("PreCompact", "pre-compact"),
    ),
    _codex,
)
CURSOR = HookTable(
    "cursor",
    (
        Event("sessionStart", "session-start"),
        Event("beforeSubmitPrompt", "user-prompt-submit"),
        Event("afterFileEdit", "post-tool-use"),
        Event("afterAgentResponse", "agent-response"),
        Event("stop", "stop"),
        Event("subagentStop", "subagent-stop"),
        Event("preCompact", "pre-compact"),
        Event("sessionEnd", "session-end"),
    ),
    _cursor,
    is_grouped=False,
    header=_VERSION,
)
GEMINI = HookTable(
    "gemini",
    (
        Event("SessionStart", "session-start"),
        Event("BeforeAgent", "user-prompt-submit"),
        Event("AfterTool", "post-tool-use", "write_file|replace"),
        Event("AfterAgent", "stop"),
        Event("PreCompress", "pre-compact"),
        Event("SessionEnd", "session-end"),
    ),
    _gemini,
)
COPILOT = HookTable(
    "copilot",
    (
        Event("sessionStart", "session-start"),
        Event("userPromptSubmitted", "user-prompt-submit"),
        Event("postToolUse", "post-tool-use"),
        Event("agentStop", "stop"),
        Event("subagentStop", "subagent-stop"),
        Event("preCompact", "pre-compact"),
        Event("sessionEnd", "session-end"),
    ),
    _copilot,
    is_grouped=False,
    header=_VERSION,
)
