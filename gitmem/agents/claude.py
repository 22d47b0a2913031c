"""Claude Code's hooks: what its events bring, and the one form in which it takes context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_table, find_text, list_paths
from gitmem.core.agent_events import Event, Moment

NAME = "claude"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "SessionStart",
    "subagent-start": "SubagentStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "stop": "Stop",
    "subagent-stop": "SubagentStop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
INJECTS: frozenset[Moment] = frozenset(
    {"session-start", "subagent-start", "user-prompt-submit", "pre-tool-use", "post-tool-use"}
)
GUARDS_AT: Moment | None = "pre-tool-use"
EDIT_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_PATHS = ("file_path", "notebook_path")


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload. `CLAUDE_PROJECT_DIR` says where the session was started."""
    paths: tuple[str, ...] = ()
    if find_text(payload, "tool_name") in EDIT_TOOLS:
        paths = list_paths(find_table(payload, "tool_input"), names=_PATHS)
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "session_id"),
        sub=find_text(payload, "agent_id"),
        turn=find_text(payload, "prompt_id"),
        cwd=find_text(payload, "cwd"),
        home=environ.get("CLAUDE_PROJECT_DIR", ""),
        source=find_text(payload, "source"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "last_assistant_message"),
        model=find_text(payload, "model"),
        paths=paths,
        transcript=find_text(payload, "agent_transcript_path", "transcript_path"),
    )


def encode_answer(event: Event, text: str) -> bytes:
    """The answer that brings this text before the model. It says nothing of permissions: what
    a person has to allow stays theirs to allow."""
    if event.moment not in INJECTS or not text:
        return b""
    inner = {"hookEventName": event.name, "additionalContext": text}
    return msgspec.json.encode({"hookSpecificOutput": inner})
