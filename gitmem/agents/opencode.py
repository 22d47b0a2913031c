"""OpenCode's events as our own plugin sends them, and the answer that the plugin reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_table, find_text, list_patched, list_paths
from gitmem.core.agent_events import MAX_PATHS, Event, Moment

NAME = "opencode"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "session.created",
    "user-prompt-submit": "chat.message",
    "pre-tool-use": "tool.execute.before",
    "post-tool-use": "tool.execute.after",
    "stop": "session.idle",
    "session-end": "session.deleted",
}
INJECTS: frozenset[Moment] = frozenset(
    {"session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use"}
)
GUARDS_AT: Moment | None = "pre-tool-use"
EDIT_TOOLS = frozenset({"edit", "write", "patch", "apply_patch", "multiedit"})


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload of the plugin."""
    paths: tuple[str, ...] = ()
    if find_text(payload, "tool_name") in EDIT_TOOLS:
        given = payload.get("tool_input")
        named = list_paths(find_table(payload, "tool_input"), names=("filePath", "file_path"))
        paths = tuple(dict.fromkeys((*named, *list_patched(given))))[:MAX_PATHS]
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "session_id"),
        cwd=find_text(payload, "cwd"),
        source=find_text(payload, "source"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "last_assistant_message"),
        model=find_text(payload, "model"),
        paths=paths,
    )


def encode_answer(event: Event, text: str) -> bytes:
    if event.moment not in INJECTS or not text:
        return b""
    return msgspec.json.encode({"additionalContext": text})
