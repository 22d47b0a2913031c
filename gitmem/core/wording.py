"""Counts in words that people read: `1 record`, `2 records`."""

from __future__ import annotations


def format_count(number: int, word: str) -> str:
    """The number and the word, in the plural where it takes one."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
