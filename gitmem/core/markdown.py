"""Text of others inside Markdown of ours: shown as it is, and without effect.

Markdown's own marks are escaped, HTML becomes text, and what the git hosts make of plain words
(mentions, references, addresses) is broken by a zero-width space, which no escape can do: they
look for these only after the Markdown was read.
"""

from __future__ import annotations

import re

from gitmem.core.unsafe_text import clean, clean_line

_BREAK = "\u200b"
_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~$^-])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBERED = re.compile(r"^(\s*\d{1,9})([.)])", re.MULTILINE)
_MENTION = re.compile(r"@(?=[\w-])")
_REFERENCE = re.compile(r"(\\#|!|GH-|GH\\-|gh\\-)(?=\d)")
_ADDRESS = re.compile(r"(https?|ftp|mailto|www)(?=[:.])", re.IGNORECASE)


def escape_markdown(text: str) -> str:
    """The text in one line, without effect."""
    return _escape(clean_line(text))


def escape_lines(text: str) -> list[str]:
    """The same, line by line; empty lines stay."""
    return [_escape(line.strip()) for line in clean(text).replace("\t", " ").split("\n")]


def _escape(text: str) -> str:
    for char, entity in _HTML.items():
        text = text.replace(char, entity)
    text = _MARKS.sub(r"\\\1", text)
    text = _NUMBERED.sub(r"\1\\\2", text)
    text = _MENTION.sub("@" + _BREAK, text)
    text = _REFERENCE.sub(lambda match: match.group(1) + _BREAK, text)
    return _ADDRESS.sub(lambda match: match.group(1) + _BREAK, text)


def code_span(text: str) -> str:
    """A path or an id as code; backticks in it cannot end it."""
    plain = clean_line(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain or ' '}{pad}{fence}"
