"""The blocks of a Markdown text: which lines are code, which are headings, which are prose.

As much of CommonMark's block structure as links and chunks need: fenced and indented code, HTML
comments, headings, list items, block quotes. One pass over the lines, no backtracking.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["text", "heading", "fence", "code", "comment", "blank"]

MAX_HEADING_CHARS = 200
_TAB = 4
_CODE_INDENT = 4
_MAX_LEVEL = 6
_LEAST_FENCE = 3


class Block(NamedTuple):
    """`start` and `end` are offsets; a block ends where the next begins, so that together they
    are the whole text. `line` is 1-based. `heading` is a heading's words."""

    kind: Kind
    start: int
    end: int
    line: int
    heading: str = ""


def list_blocks(text: str) -> list[Block]:
    """The blocks of a text whose lines end in a line feed. A paragraph, a heading, a list item
    and a run of code are one each; blank lines belong to the block before them."""
    return _Reader(text).read()


class _Line(NamedTuple):
    """What stands on a line: its words after block-quote marks and indentation."""

    words: str
    indent: int
    quotes: int


class _Fence(NamedTuple):
    char: str
    length: int
    indent: int
    quotes: int


class _Begun(NamedTuple):
    """A block of which the end is not known yet: it is where the next one begins."""

    kind: Kind
    start: int
    line: int
    heading: str


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._begun: list[_Begun] = []
        self._is_open = False
        """Whether the last block is a paragraph that the next line may go on with."""
        self._after_blank = True
        self._fence: _Fence | None = None
        self._items: list[int] = []
        """How far the contents of the list items around are indented, the innermost last."""

    def read(self) -> list[Block]:
        text, at, number = self._text, 0, 1
        while at < len(text):
            stop = text.find("\n", at)
            end = len(text) if stop == -1 else stop + 1
            line = _read_line(text[at:end])
            if self._fence is None and line.words.startswith("<!--"):
                end = self._skip_comment(at, end, number)
            else:
                self._take(line, at, number)
            number += text.count("\n", at, end)
            at = end
        ends = [*(one.start for one in self._begun[1:]), len(text)]
        return [
            Block(one.kind, one.start, end, one.line, one.heading)
            for one, end in zip(self._begun, ends, strict=False)
        ]

    def _skip_comment(self, at: int, end: int, number: int) -> int:
        """A comment that begins a line and goes on over several: a block up to its end. One
        that ends where it begins is part of the prose."""
        close = self._text.find("-->", at)
        if close != -1 and close < end:
            if not self._is_open:
                self._begin("text", at, number, is_open=True)
            return end
        self._begin("comment", at, number)
        return len(self._text) if close == -1 else close + len("-->")

    def _take(self, line: _Line, at: int, number: int) -> None:
        if self._fence is not None:
            if line.quotes >= self._fence.quotes or not line.words:
                if _closes(line, self._fence):
                    self._fence = None
                return
            self._fence = None
        if not line.words:
            if not self._begun:
                self._begin("blank", at, number)
            self._is_open, self._after_blank = False, True
            return
        marker = _marker_width(line.words)
        if self._after_blank or marker:
            while self._items and line.indent < self._items[-1]:
                self._items.pop()
        within = self._items[-1] if self._items else 0
        if line.indent >= within + _CODE_INDENT and not self._is_open:
            if not self._begun or self._begun[-1].kind != "code":
                self._begin("code", at, number)
        elif marker:
            self._take_item(line, marker, at, number)
        else:
            self._take_words(line, at, number)
        self._after_blank = False

    def _take_item(self, line: _Line, marker: int, at: int, number: int) -> None:
        """A list item, which may begin with a fence."""
        content = line.indent + marker
        self._items.append(content)
        self._fence = _fence(_Line(line.words[marker:].lstrip(), content, line.quotes))
        kind: Kind = "text" if self._fence is None else "fence"
        self._begin(kind, at, number, is_open=self._fence is None)

    def _take_words(self, line: _Line, at: int, number: int) -> None:
        heading = _heading(line.words)
        self._fence = _fence(line)
        if heading is not None:
            self._begin("heading", at, number, heading=heading)
        elif self._fence is not None:
            self._begin("fence", at, number)
        elif self._is_open and _is_underline(line.words) and not self._items:
            last = self._begun[-1]
            words = " ".join(self._text[last.start : at].split())[:MAX_HEADING_CHARS]
            self._begun[-1] = last._replace(kind="heading", heading=words)
            self._is_open = False
        elif not self._is_open:
            self._begin("text", at, number, is_open=True)

    def _begin(
        self, kind: Kind, at: int, number: int, *, heading: str = "", is_open: bool = False
    ) -> None:
        self._begun.append(_Begun(kind, at, number, heading))
        self._is_open = is_open
        self._after_blank = False


def _read_line(line: str) -> _Line:
    at = indent = quotes = 0
    while at < len(line):
        char = line[at]
        if char == ">" and indent < _CODE_INDENT:
            quotes += 1
            indent = -1 if line[at + 1 : at + 2] == " " else 0
        elif char == " ":
            indent += 1
        elif char == "\t":
            indent += _TAB - indent % _TAB
        else:
            break
        at += 1
    return _Line(line[at:].rstrip(), max(0, indent), quotes)


def _marker_width(words: str) -> int:
    """How wide a list item's mark is, with the space after it; 0 where there is none."""
    width = 1
    if words[0].isdigit():
        while width < len(words) and width < 10 and words[width].isdigit():
            width += 1
        if words[width : width + 1] not in (".", ")"):
            return 0
        width += 1
    elif words[0] not in "-*+":
        return 0
    rest = words[width : width + 1]
    return width + 1 if rest in ("", " ", "\t") else 0


def _heading(words: str) -> str | None:
    """The words of a heading that begins with number signs."""
    level = len(words) - len(words.lstrip("#")) if words[0] == "#" else 0
    if not 0 < level <= _MAX_LEVEL or words[level : level + 1] not in ("", " ", "\t"):
        return None
    text = words[level:].strip()
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in " \t"):
        text = bare.strip()
    return text[:MAX_HEADING_CHARS]


def _fence(line: _Line) -> _Fence | None:
    """What a line opens that begins with three backticks or tildes, or more."""
    char = line.words[:1]
    if char not in ("`", "~"):
        return None
    length = len(line.words) - len(line.words.lstrip(char))
    if length < _LEAST_FENCE or (char == "`" and "`" in line.words[length:]):
        return None
    return _Fence(char, length, line.indent, line.quotes)


def _closes(line: _Line, fence: _Fence) -> bool:
    words = line.words
    return (
        len(words) >= fence.length
        and words == fence.char * len(words)
        and line.indent - fence.indent < _CODE_INDENT
    )


def _is_underline(words: str) -> bool:
    """Whether a line makes a heading of the paragraph above it."""
    return len(words) >= 2 and words in ("=" * len(words), "-" * len(words))
