"""JSON with comments and trailing commas, parsed to positions: for editing text in place."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import msgspec

MAX_DEPTH = 100

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"true|false|null")
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)


class JsoncError(ValueError):
    """Text that is not JSON with comments; the message names the line."""


class Node(msgspec.Struct, frozen=True):
    """A value and where it stands: `text[start:end]`. `items` are an object's members or a
    list's elements; `tail` is the end of the last token or comment before the closing
    bracket. `value` is what `json.loads` would give."""

    kind: Literal["object", "list", "plain"]
    start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()
    tail: int = 0

    def find(self, key: str) -> Node | None:
        """The value of a member. Raises JsoncError where the name stands twice: readers
        differ in which one they take."""
        found = [item.node for item in self.items if item.key == key]
        if len(found) > 1:
            raise JsoncError(f"{key!r} stands twice in one object")
        return found[0] if found else None


class Item(msgspec.Struct, frozen=True):
    """A member or element. `lead` is the end of the token or comment before it, `is_shielded`
    whether that is a comment that ends with its line; `comma` is where the comma after it
    stands, None where there is none."""

    key: str | None
    node: Node
    start: int
    lead: int
    is_shielded: bool
    comma: int | None = None


def parse_jsonc(text: str) -> Node:
    """The one value of a text. Raises JsoncError."""
    parser = _Parser(text)
    parser.skip()
    node = parser.parse_value(0)
    parser.skip()
    if parser.at != len(text):
        raise parser.fail("something stands after the end")
    return node


class _Parser:
    """`at` is the next character; `last` is the end of the last token or comment."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.last = 0
        self.is_line_comment = False

    def fail(self, what: str) -> JsoncError:
        return JsoncError(f"line {self.text.count(chr(10), 0, self.at) + 1}: {what}")

    def skip(self) -> None:
        """Go over white space and comments."""
        self.last = self.at
        self.is_line_comment = False
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return
            self.at = self.last = comment.end()
            self.is_line_comment = comment.group().startswith("//")

    def parse_value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fail("nested too deeply")
        start = self.at
        opening = self.text[start : start + 1]
        if opening == "{":
            return self._parse_container(depth, "object", "}")
        if opening == "[":
            return self._parse_container(depth, "list", "]")
        for pattern in (_STRING, _NUMBER, _WORD):
            match = pattern.match(self.text, start)
            if match is not None:
                self.at = match.end()
                return Node("plain", start, self.at, self._decode(match.group()))
        raise self.fail("a value is missing" if opening else "the text ends too early")

    def _decode(self, token: str) -> Any:
        try:
            return json.loads(token)
        except ValueError:  # a bad escape, or a number of thousands of digits
            raise self.fail("not a JSON value") from None

    def _parse_container(self, depth: int, kind: Literal["object", "list"], closing: str) -> Node:
        start = self.at
        self.at += 1
        self.skip()
        items: list[Item] = []
        while self.text[self.at : self.at + 1] != closing:
            if items and items[-1].comma is None:
                raise self.fail(f"a comma or {closing} is missing")
            items.append(self._parse_item(depth, kind))
        tail = self.last
        self.at += 1
        value: Any = [item.node.value for item in items]
        if kind == "object":
            value = {item.key: item.node.value for item in items}
        return Node(kind, start, self.at, value, tuple(items), tail)

    def _parse_item(self, depth: int, kind: str) -> Item:
        lead, is_shielded, start, key = self.last, self.is_line_comment, self.at, None
        if kind == "object":
            match = _STRING.match(self.text, self.at)
            if match is None:
                raise self.fail("a name in quotes is missing")
            key = self._decode(match.group())
            self.at = match.end()
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.fail("a colon is missing")
            self.at += 1
            self.skip()
        node = self.parse_value(depth + 1)
        self.skip()
        comma = None
        if self.text[self.at : self.at + 1] == ",":
            comma = self.at
            self.at += 1
            self.skip()
        return Item(key, node, start, lead, is_shielded, comma)
