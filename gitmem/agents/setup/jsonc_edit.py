"""Adding to and taking from JSON with comments, as text: every other byte stays.

What is added last is taken out again without a trace, commas included; only an empty `{}`
that was opened over several lines stays so.
"""

from __future__ import annotations

import json
from typing import Any

from gitmem.agents.setup.jsonc import Item, Node

Steps = tuple[str | int, ...]
"""Names and numbers that lead from the root to a value."""


def add_member(text: str, root: Node, path: Steps, key: str, value: Any) -> str:
    """The text with one more member, last, in the object at `path`."""
    return _add(text, root, path, value, key)


def add_element(text: str, root: Node, path: Steps, value: Any) -> str:
    """The text with one more element, last, in the list at `path`."""
    return _add(text, root, path, value, None)


def remove_item(text: str, container: Node, index: int) -> str:
    """The text without one member or element, and without the comma that goes with it.
    Comments beside it stay."""
    items = container.items
    item = items[index]
    cuts = [(_cut_start(text, item), item.node.end)]
    if item.comma is not None:
        cuts.append((item.comma, item.comma + 1))
    elif index > 0:
        before = items[index - 1].comma
        assert before is not None
        cuts.append((before, before + 1))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _cut_start(text: str, item: Item) -> int:
    """Behind the line end of a comment before the item, unless another line end follows."""
    after = item.node.end + (item.comma == item.node.end)
    if not item.is_shielded or text.startswith(("\n", "\r"), after):
        return item.lead
    return item.lead + (2 if text.startswith("\r\n", item.lead) else 1)


def find_node(root: Node, path: Steps) -> Node:
    """The value at a path that is there."""
    node = root
    for step in path:
        found = node.items[step].node if isinstance(step, int) else node.find(step)
        assert found is not None
        node = found
    return node


def _add(text: str, root: Node, path: Steps, value: Any, key: str | None) -> str:
    container = find_node(root, path)
    eol = "\r\n" if "\r\n" in text else "\n"
    is_spread = _is_spread(text, root, container)
    indent = _indent(text, root, path) if is_spread else ""
    new = _format(value, indent, _unit(text, root), eol) if is_spread else json.dumps(value)
    if key is not None:
        new = f"{json.dumps(key)}: {new}"
    lead = eol + indent if is_spread else " " if container.items else ""
    if not container.items:
        rest = text[container.tail : container.end - 1]
        if is_spread and "\n" not in rest:
            new += eol + _line_indent(text, container.start)
        return text[: container.tail] + lead + new + text[container.tail :]
    last = container.items[-1]
    if last.comma is not None:
        return text[: container.tail] + lead + new + "," + text[container.tail :]
    end = last.node.end
    return text[:end] + "," + text[end : container.tail] + lead + new + text[container.tail :]


def _is_spread(text: str, root: Node, container: Node) -> bool:
    """Whether a container has, or would naturally have, its items on lines of their own."""
    if container.items or "\n" in text[container.start : container.end]:
        return "\n" in text[container.start : container.end]
    return container is root or "\n" in text[root.start : root.end]


def _format(value: Any, indent: str, unit: str, eol: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (eol + indent).join(lines)


def _unit(text: str, root: Node) -> str:
    """One step of indentation, as the document has it; two spaces where it has none."""
    first = root.items[0] if root.items else None
    own = _own_line_indent(text, first) if first is not None else None
    return own or "  "


def _indent(text: str, root: Node, path: Steps) -> str:
    """The indentation of a new item in the container at `path`."""
    container = find_node(root, path)
    for item in container.items:
        own = _own_line_indent(text, item)
        if own is not None:
            return own
    return _line_indent(text, container.start) + _unit(text, root)


def _own_line_indent(text: str, item: Item) -> str | None:
    """The white space before an item that begins its line; None for another."""
    start = text.rfind("\n", 0, item.start) + 1
    before = text[start : item.start]
    return before if start and not before.strip(" \t") else None


def _line_indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]
