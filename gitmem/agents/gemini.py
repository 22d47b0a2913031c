"""Gemini CLI's hooks: nothing but JSON on stdout, and context before a turn and after a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_table, find_text, list_paths
from gitmem.core.agent_events import Event, Moment

NAME = "gemini"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "SessionStart",
    "user-prompt-submit": "BeforeAgent",
    "post-tool-use": "AfterTool",
    "stop": "AfterAgent",
    "pre-compact": "PreCompress",
    "session-end": "SessionEnd",
}
INJECTS: frozenset[Moment] = frozenset({"session-start", "user-prompt-submit", "post-tool-use"})
GUARDS_AT: Moment | None = "post-tool-use"
EDIT_TOOLS = frozenset({"write_file", "replace", "edit"})


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload; `AfterAgent` brings the request and the response together."""
    paths: tuple[str, ...] = ()
    if find_text(payload, "tool_name") in EDIT_TOOLS:
        paths = list_paths(find_table(payload, "tool_input"), names=("file_path", "path"))
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "session_id"),
        cwd=find_text(payload, "cwd"),
        home=environ.get("GEMINI_PROJECT_DIR", ""),
        source=find_text(payload, "source", "trigger"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "prompt_response"),
        model=find_text(payload, "model"),
        paths=paths,
        transcript=find_text(payload, "transcript_path"),
    )


def encode_answer(event: Event, text: str) -> bytes:
    if event.moment not in INJECTS or not text:
        return b""
    inner = {"hookEventName": event.name, "additionalContext": text}
    return msgspec.json.encode({"hookSpecificOutput": inner})
