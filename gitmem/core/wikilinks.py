"""Wikilinks: `[[target]]`, with alias, heading and block, wherever a text is not code.

The grammar is Obsidian's: `[[page|alias]]`, `[[page#heading]]`, `[[page^block]]`, `![[embed]]`,
and `\\|` for the bar in tables. One pass over the marks that matter: a text takes time in
proportion to its length, whatever it says.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from gitmem.core.markdown_blocks import list_blocks
from gitmem.core.notes import Link

MAX_LINKS = 10_000
MAX_INNER_CHARS = 1000

_MARK = re.compile(r"\\+|`+|\[{2,}|\]{2,}|<!--|-->|\n")


class _Mark(NamedTuple):
    """`is_escaped`: its first character stands after a backslash."""

    text: str
    start: int
    end: int
    line: int
    is_escaped: bool


def parse_links(text: str) -> tuple[Link, ...]:
    """The links of a text, in order; at most 10,000."""
    return tuple(link for _, link in iter_links(text))


def iter_links(text: str) -> Iterator[tuple[int, Link]]:
    """Each link with the offset of its brackets, in order; at most 10,000."""
    if "[[" not in text:
        return
    count = 0
    for block in list_blocks(text):
        if block.kind in ("text", "heading") and text.find("[[", block.start, block.end) != -1:
            for found in _iter_prose(text, block.start, block.end, block.line):
                yield found
                count += 1
                if count == MAX_LINKS:
                    return


def _iter_prose(text: str, start: int, end: int, line: int) -> Iterator[tuple[int, Link]]:
    """The links of one paragraph, where code may stand between backticks."""
    marks = _list_marks(text, start, end, line)
    closers = _Closers(marks)
    opened: _Mark | None = None
    at = 0
    while at < len(marks):
        mark = marks[at]
        sign = mark.text[0]
        if sign == "[":
            opened = mark if len(mark.text) - mark.is_escaped >= 2 else opened
        elif sign == "]":
            if opened is not None:
                begin = opened.end - 2
                is_embed = begin > start and text[begin - 1] == "!"
                link = _parse_inner(text, opened.end, mark.start, is_embed, opened.line)
                if link is not None:
                    yield begin, link
            opened = None
        elif sign == "\n":
            opened = None
        else:
            closer = closers.find(at)
            if closer is not None:
                if marks[closer].line != mark.line:
                    opened = None
                at = closer
        at += 1


def _list_marks(text: str, start: int, end: int, line: int) -> list[_Mark]:
    marks: list[_Mark] = []
    escaped_at = -1
    for match in _MARK.finditer(text, start, end):
        found = match.group()
        if found[0] == "\\":
            # A pair of them is one backslash; an odd one escapes what follows.
            escaped_at = match.end() if len(found) % 2 else -1
            continue
        is_escaped = match.start() == escaped_at
        marks.append(_Mark(found, match.start(), match.end(), line, is_escaped))
        line += found == "\n"
    return marks


class _Closers:
    """Where what hides links ends: code, at as many backticks as began it; a comment."""

    def __init__(self, marks: list[_Mark]) -> None:
        self._marks = marks
        self._places: dict[str, list[int]] = {}
        for at, mark in enumerate(marks):
            if mark.text[0] in "`-":
                self._places.setdefault(mark.text, []).append(at)

    def find(self, at: int) -> int | None:
        """The mark that ends what the mark at this place begins; None where it begins
        nothing."""
        mark = self._marks[at]
        wanted = mark.text
        if wanted == "-->":
            return None
        if wanted == "<!--":
            wanted = "" if mark.is_escaped else "-->"
        elif mark.is_escaped:
            wanted = wanted[1:]
        places = self._places.get(wanted, ())
        after = bisect_right(places, at)
        return places[after] if after < len(places) else None


def _parse_inner(text: str, start: int, end: int, is_embed: bool, line: int) -> Link | None:
    """What stands between the brackets. None where it names no page: a heading of the page
    itself, an address of the web, nothing at all."""
    if end - start > MAX_INNER_CHARS:
        return None
    page, _, alias = text[start:end].replace("\\|", "|").partition("|")
    target, has_heading, rest = page.partition("#")
    if has_heading:
        heading, _, block = rest.partition("^")
    else:
        heading = ""
        target, _, block = page.partition("^")
    target = target.strip()
    if not target or "[" in target or "]" in target or "://" in target:
        return None
    return Link(target, alias.strip(), heading.strip(), block.strip(), is_embed, line)
