"""Text of others inside Markdown of ours: shown as it is, and without effect.

Markdown's own marks are escaped, HTML becomes text, and what the git hosts make of plain words
(mentions, references, addresses) is broken by a zero-width space, which no escape can do: they
look for these only after the Markdown was read. What is read as a file as often as it is rendered
is escaped more lightly: `core.changelog_text`.
"""

from __future__ import annotations

import re

from gitmem.core.unsafe_text import clean_line

BREAK = "\u200b"
"""A space of no width."""
_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~$^-])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBERED = re.compile(r"^(\s*\d{1,9})([.)])")
# At the start of a line: what underlines a heading, and what a host or its runner, which reads
# every line that is printed, takes for a command.
_STARTING = re.compile(r"^(\s*)([=/:])")
_MENTION = re.compile(r"@(?=[\w-])")
_REFERENCE = re.compile(r"(\\#|!|GH-|GH\\-|gh\\-)(?=\d)")
_ADDRESS = re.compile(r"(https?|ftp|mailto|www)(?=[:.])", re.IGNORECASE)


def escape_markdown(text: str) -> str:
    """The text in one line, without effect."""
    text = clean_line(text)
    for char, entity in _HTML.items():
        text = text.replace(char, entity)
    text = _MARKS.sub(r"\\\1", text)
    text = _NUMBERED.sub(r"\1\\\2", text)
    text = _STARTING.sub(r"\1\\\2", text)
    text = _MENTION.sub("@" + BREAK, text)
    text = _REFERENCE.sub(lambda match: match.group(1) + BREAK, text)
    return _ADDRESS.sub(lambda match: match.group(1) + BREAK, text)


def code_span(text: str) -> str:
    """A path or an id as code, in running text (in a table a `|` would end its cell); backticks
    in it cannot end it."""
    plain = clean_line(text)
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain or ' '}{pad}{fence}"
