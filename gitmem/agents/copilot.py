"""Copilot CLI's hooks: camel case, arguments as JSON in a text, context at a session's start."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_text, list_patched, list_paths
from gitmem.core.agent_events import MAX_PATHS, Event, Moment

NAME = "copilot"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "sessionStart",
    "user-prompt-submit": "userPromptSubmitted",
    "pre-tool-use": "preToolUse",
    "post-tool-use": "postToolUse",
    "stop": "agentStop",
    "subagent-stop": "subagentStop",
    "pre-compact": "preCompact",
    "session-end": "sessionEnd",
}
INJECTS: frozenset[Moment] = frozenset({"session-start"})
GUARDS_AT: Moment | None = None
EDIT_TOOLS = frozenset({"edit", "create", "write", "apply_patch", "str_replace", "insert"})
_PATHS = ("path", "file_path", "filePath")


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload, in either of the two spellings that it comes in."""
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "sessionId", "session_id"),
        sub=find_text(payload, "agentId", "agent_id"),
        cwd=find_text(payload, "cwd"),
        source=find_text(payload, "source"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "lastAssistantMessage", "last_assistant_message"),
        model=find_text(payload, "model"),
        paths=_list_paths(payload),
        transcript=find_text(payload, "transcriptPath", "transcript_path"),
    )


def encode_answer(event: Event, text: str) -> bytes:
    if event.moment not in INJECTS or not text:
        return b""
    return msgspec.json.encode({"additionalContext": text})


def _list_paths(payload: Mapping[str, Any]) -> tuple[str, ...]:
    if find_text(payload, "toolName", "tool_name") not in EDIT_TOOLS:
        return ()
    given = payload.get("toolArgs", payload.get("tool_input"))
    if isinstance(given, str):
        with contextlib.suppress(msgspec.DecodeError, RecursionError):  # a patch, as it is
            given = msgspec.json.decode(given)
    named = list_paths(given, names=_PATHS) if isinstance(given, dict) else ()
    return tuple(dict.fromkeys((*named, *list_patched(given))))[:MAX_PATHS]
