"""Decisions that stand in the code: comments that begin with `WHY:` or `DECISION:`.

Only lines that a commit adds are looked at, so that each comment is found once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

import msgspec

from gitmem.core.paths import fold_path

MAX_COMMENTS = 50
MAX_COMMENT_LINES = 20
MAX_LINE_CHARS = 1000

_MARK = r"(?P<mark>#+|//+!?|--+|;+|%+|/\*+!?|<!--+|\*|\{-|\(\*|\"\"\"|rem\b|dnl\b)"
_BEGIN = re.compile(r"(?:^|.*?\s|.*?[;,{}()])" + _MARK + r"\s{0,8}(?:WHY|DECISION):\s*(?P<text>.*)")
_GOES_ON = re.compile(r"\s*(?P<mark>#+|//+!?|--+|;+|%+|\*|rem\b|dnl\b)?\s?(?P<text>.*)")
_CLOSE = re.compile(r"\s*(?:\*+/|-->|-\}|\*\)|\"\"\")\s*$")
_OPENERS = ("/*", "<!--", "{-", "(*", '"""')

# In prose a `#` is a heading, and an example stands for itself; in data nobody comments.
_PROSE = (".md", ".markdown", ".rst", ".adoc", ".txt", ".json", ".ndjson", ".csv", ".ipynb")

# What `git diff -G` is asked for: it is cheap, and leaves most commits without any patch.
GREP = "(WHY|DECISION):"


class CodeComment(msgspec.Struct, frozen=True):
    """One comment: where it stands, 1-based and inclusive, and its text in one paragraph."""

    path: str
    first: int
    last: int
    text: str

    @property
    def key(self) -> str:
        """The decision's key: of the path and the text, whatever its layout."""
        words = " ".join(self.text.split()).casefold()
        raw = f"comment\0{fold_path(self.path)}\0{words}".encode("utf-8", "surrogateescape")
        return hashlib.sha256(raw).hexdigest()[:16]


def find_comments(path: str, lines: Iterable[tuple[int, str]]) -> Iterator[CodeComment]:
    """The comments among added lines of one file, (number, text) in order; none in prose."""
    if path.lower().endswith(_PROSE):
        return
    rows = [(number, text[:MAX_LINE_CHARS]) for number, text in lines]
    position = 0
    while position < len(rows):
        match = _BEGIN.match(rows[position][1]) if ":" in rows[position][1] else None
        if match is None:
            position += 1
            continue
        comment, position = _read_comment(path, rows, position, match)
        if comment.text:
            yield comment


def _read_comment(
    path: str, rows: list[tuple[int, str]], position: int, match: re.Match[str]
) -> tuple[CodeComment, int]:
    """The comment that begins here, with the lines that carry it on, and where it ends."""
    mark = match["mark"]
    first = last = rows[position][0]
    is_block = mark.startswith(_OPENERS)
    is_closed = is_block and _CLOSE.search(match["text"]) is not None
    words = [_CLOSE.sub("", match["text"]).strip()]
    position += 1
    while position < len(rows) and len(words) < MAX_COMMENT_LINES and not is_closed:
        number, text = rows[position]
        more = _GOES_ON.fullmatch(text)
        if number != last + 1 or more is None or _BEGIN.match(text):
            break
        if not is_block and more["mark"] != mark:
            break
        is_closed = is_block and _CLOSE.search(text) is not None
        line = _CLOSE.sub("", more["text"] if more["mark"] else text).strip()
        if mark == "*" and text.strip().startswith("*/"):
            break
        if not line and not is_closed:
            break
        last = number
        words.append(line)
        position += 1
    return CodeComment(path, first, last, " ".join(word for word in words if word)), position
