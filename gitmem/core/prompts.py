"""Which prompts are worth a search: some are too short to ask anything, some are commands."""

from __future__ import annotations

import re

LEAST_CHARS = 12
LEAST_WORDS = 3
_COMMAND = re.compile(r"[/!]|#(?![0-9])")
"""A number after the sign is that of an issue."""


def is_skipped(prompt: str) -> bool:
    """Whether a prompt asks nothing that a memory could answer: fewer than three words, or a
    command (`/clear`), shell line (`!ls`) or note (`#…`) of the agent that takes it."""
    text = prompt.lstrip()
    if _COMMAND.match(text):
        return True
    text = text[:1000].strip()
    if not text.isascii():
        # Scripts without spaces say much in few characters.
        return sum(1 + 2 * (ord(char) >= 0x2E80) for char in text) < LEAST_CHARS
    return len(text) < LEAST_CHARS or len(text.split(None, LEAST_WORDS)) < LEAST_WORDS
