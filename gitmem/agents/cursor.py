"""Cursor's hooks: conversations, several roots, and context at a session's start alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_first, find_table, find_text, list_paths
from gitmem.core.agent_events import Event, Moment

NAME = "cursor"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "sessionStart",
    "user-prompt-submit": "beforeSubmitPrompt",
    "post-tool-use": "afterFileEdit",
    "agent-response": "afterAgentResponse",
    "stop": "stop",
    "subagent-stop": "subagentStop",
    "pre-compact": "preCompact",
    "session-end": "sessionEnd",
}
INJECTS: frozenset[Moment] = frozenset({"session-start"})
GUARDS_AT: Moment | None = None


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload. `generation_id` is the turn; a file that was edited stands at
    the top, and after other tools in `tool_input`."""
    root = find_first(payload, "workspace_roots")
    paths = list_paths(payload, find_table(payload, "tool_input"), names=("file_path",))
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "conversation_id", "session_id"),
        sub=find_text(payload, "subagent_id", "agent_id"),
        turn=find_text(payload, "generation_id"),
        cwd=find_text(payload, "cwd") or root,
        home=root or environ.get("CURSOR_PROJECT_DIR", ""),
        source=find_text(payload, "source"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "text", "last_assistant_message"),
        model=find_text(payload, "model"),
        paths=paths if moment == "post-tool-use" else (),
        transcript=find_text(payload, "agent_transcript_path", "transcript_path"),
    )


def encode_answer(event: Event, text: str) -> bytes:
    if event.moment not in INJECTS or not text:
        return b""
    return msgspec.json.encode({"additional_context": text})
