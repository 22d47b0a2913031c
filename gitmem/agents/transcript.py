"""An agent's transcript, read as leniently as can be: a fall-back for what a hook did not say.

Its makers call the format unstable. So each line stands for itself, every field may be missing
or of another kind, and what cannot be read is counted and passed over.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from gitmem.agents.reading import decode_payload
from gitmem.core.agent_events import MAX_TEXT_CHARS

MAX_TAIL_BYTES = 48 * 1024 * 1024
MAX_LINE_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_TEXTS = ("text", "input_text", "output_text")


class Said(msgspec.Struct, frozen=True):
    """The last exchange: what the person asked and the agent's last words, "" where they are
    not there. `lines` were looked at, of which `bad` could not be read."""

    prompt: str = ""
    message: str = ""
    lines: int = 0
    bad: int = 0


def read_last_exchange(path: str, *, is_sidechain: bool = False) -> Said:
    """The last request of a person in a transcript and the last answer after it. Of the file
    the end is read; a link, or what is no regular file, is not. Raises nothing."""
    prompt = message = ""
    lines = bad = 0
    for raw in _iter_lines(path):
        lines += 1
        entry = _decode(raw)
        if entry is None:
            bad += 1
            continue
        role, text = _read_entry(entry, is_sidechain=is_sidechain)
        if role == "user" and text:
            prompt, message = text, ""
        elif role == "assistant" and text:
            message = text
    return Said(prompt, message, lines, bad)


def _decode(raw: bytes) -> Mapping[str, Any] | None:
    if len(raw) > MAX_LINE_BYTES:
        return None
    try:
        value = decode_payload(raw)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _read_entry(entry: Mapping[str, Any], *, is_sidechain: bool) -> tuple[str, str]:
    """Who said what; ("", "") for the many lines that are neither."""
    if entry.get("isMeta") is True or (entry.get("isSidechain") is True and not is_sidechain):
        return "", ""
    for name in ("message", "payload", "data"):
        inner = entry.get(name)
        if isinstance(inner, dict):
            role = inner.get("role") or entry.get("type")
            role = role.removesuffix(".message") if isinstance(role, str) else ""
            if role in ("user", "assistant"):
                return role, _read_content(inner.get("content"))
    return "", ""


def _read_content(content: Any) -> str:
    """The text of a message: a string, or its blocks of text; a tool's result is none."""
    if isinstance(content, str):
        return content[:MAX_TEXT_CHARS]
    if not isinstance(content, list):
        return ""
    texts = [
        block["text"][:MAX_TEXT_CHARS]
        for block in content[:200]
        if isinstance(block, dict)
        and block.get("type") in _TEXTS
        and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)[:MAX_TEXT_CHARS]


def _iter_lines(path: str) -> Iterator[bytes]:
    """Lines, ended by the byte 10 and nothing else; of a line that is too long the beginning,
    which tells that it is. Where only the end of the file is read, it begins with a whole
    line."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        skipping = about.st_size > MAX_TAIL_BYTES
        if skipping:
            file.seek(about.st_size - MAX_TAIL_BYTES)
        held: list[bytes] = []
        size = 0
        left = MAX_TAIL_BYTES
        while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
            left -= len(chunk)
            first, *rest = chunk.split(b"\n")
            if size <= MAX_LINE_BYTES:
                held.append(first)
            size += len(first)
            for part in rest:
                if not skipping and size:
                    yield b"".join(held)
                skipping = False
                held, size = [part], len(part)
        if size and not skipping:
            yield b"".join(held)
