"""Codex's hooks: Claude Code's form with turns, edits that arrive as patches, no extra key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import find_table, find_text, list_patched, list_paths
from gitmem.core.agent_events import MAX_PATHS, Event, Moment

NAME = "codex"
EVENT_NAMES: Mapping[Moment, str] = {
    "session-start": "SessionStart",
    "subagent-start": "SubagentStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    "stop": "Stop",
    "subagent-stop": "SubagentStop",
    "pre-compact": "PreCompact",
}
INJECTS: frozenset[Moment] = frozenset(
    {"session-start", "subagent-start", "user-prompt-submit", "pre-tool-use", "post-tool-use"}
)
GUARDS_AT: Moment | None = "pre-tool-use"
EDIT_TOOLS = frozenset({"apply_patch", "Edit", "Write"})


def decode_event(moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]) -> Event:
    """The event of one payload; a patch is looked for in every text of the tool's input."""
    paths: tuple[str, ...] = ()
    if find_text(payload, "tool_name") in EDIT_TOOLS:
        given = payload.get("tool_input")
        named = list_paths(find_table(payload, "tool_input"), names=("file_path", "path"))
        paths = tuple(dict.fromkeys((*named, *list_patched(given))))[:MAX_PATHS]
    return Event(
        agent=NAME,
        moment=moment,
        name=EVENT_NAMES.get(moment, ""),
        session=find_text(payload, "session_id"),
        sub=find_text(payload, "agent_id"),
        turn=find_text(payload, "turn_id"),
        cwd=find_text(payload, "cwd"),
        source=find_text(payload, "source"),
        prompt=find_text(payload, "prompt"),
        message=find_text(payload, "last_assistant_message"),
        model=find_text(payload, "model"),
        paths=paths,
        transcript=find_text(payload, "agent_transcript_path", "transcript_path"),
    )


def encode_answer(event: Event, text: str) -> bytes:
    """Its output schema allows these two keys and refuses an answer with any other."""
    if event.moment not in INJECTS or not text:
        return b""
    inner = {"hookEventName": event.name, "additionalContext": text}
    return msgspec.json.encode({"hookSpecificOutput": inner})
