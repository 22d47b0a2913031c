"""gitmem's hooks in an agent's JSON settings: put in, taken out, looked for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from gitmem.agents.setup.file_text import UNCHANGED, decode_text, split_mark
from gitmem.agents.setup.hook_table import Event, HookTable
from gitmem.agents.setup.jsonc import JsoncError, Node, parse_jsonc
from gitmem.agents.setup.jsonc_edit import (
    Steps,
    add_element,
    add_member,
    find_node,
    remove_item,
)
from gitmem.errors import Refused
from gitmem.ports.agent_setup import FileState

_COMMANDS = ("command", "args", "bash", "powershell", "commandWindows")
_HEAD = '{"hooks":'
_OURS = re.compile(r"(?:^|[\s/\\\"'&;])gitmem(?:\.exe)?[\"']?\s+hook\s+[a-z-]+\s.*--agent\b")


class _Found(msgspec.Struct, frozen=True):
    """A handler of ours. `path` leads to it; `group` is the path of its group, if it has one,
    and `is_alone` tells whether the group has no other."""

    event: str
    path: Steps
    group: Steps | None
    is_alone: bool
    handler: dict[str, Any]


def _no_obstacle(settings: dict[str, Any]) -> str:
    return ""


class HookSettings:
    """The hooks of one table in one JSON file; a ManagedFile."""

    def __init__(
        self,
        path: str,
        table: HookTable,
        find_obstacle: Callable[[dict[str, Any]], str] = _no_obstacle,
    ) -> None:
        self.path = path
        self._table = table
        self._find_obstacle = find_obstacle

    def install(self, data: bytes | None) -> bytes:
        mark, text = split_mark(decode_text(data, self.path))
        if not text.strip():
            text = json.dumps(dict(self._table.header), indent=2) + "\n"
        root = self._parse(text)
        if next(self._iter_stale(root), None) is not None:
            text = self._take_out(text, root, self._iter_stale, frozenset())
            root = self._parse(text)
        while missing := next(self._iter_missing(root), None):
            text = self._put_in(text, root, missing)
            root = self._parse(text)
        return (mark + text).encode()

    def remove(self, data: bytes, original: bytes | None) -> bytes | None:
        mark, text = split_mark(decode_text(data, self.path))
        if not text.strip():
            return data
        root = self._parse(text)
        kept = self._list_containers(original)
        before = text
        text = self._take_out(text, root, self._iter_ours, kept)
        root = self._parse(text)
        hooks = root.find("hooks")
        is_left = hooks is not None and not hooks.items and _is_clear(hooks, text)
        if text != before and is_left and "hooks" not in kept:
            text = _cut(text, root, ("hooks",))
            root = self._parse(text)
        is_bare = root.value in ({}, dict(self._table.header)) and not _has_comments(root, text)
        if text != before and is_bare and original is None:
            return None
        return (mark + text).encode()

    def check(self, data: bytes | None) -> FileState:
        _, text = split_mark(decode_text(data, self.path))
        if not text.strip():
            return "missing"
        root = self._parse(text)
        if next(self._iter_ours(root), None) is None:
            return "missing"
        if next(self._iter_stale(root), None) is not None:
            return "outdated"
        return "installed" if next(self._iter_missing(root), None) is None else "partly"

    def find_obstacle(self, data: bytes) -> str:
        _, text = split_mark(decode_text(data, self.path))
        value = self._parse(text).value if text.strip() else {}
        return self._find_obstacle(value)

    def _parse(self, text: str) -> Node:
        """The document, its hooks of the right types. Raises Refused."""
        try:
            root = parse_jsonc(text)
            if root.kind != "object":
                raise JsoncError("the file is not an object")
            hooks = root.find("hooks")
            if hooks is not None and hooks.kind != "object":
                raise JsoncError('"hooks" is not an object')
            for event in self._table.events:
                self._check_event(hooks, event)
            return root
        except JsoncError as error:
            raise Refused(f"{self.path}: {error}", hint=UNCHANGED) from None

    def _check_event(self, hooks: Node | None, event: Event) -> None:
        listed = hooks.find(event.name) if hooks is not None else None
        if listed is None:
            return
        if listed.kind != "list":
            raise JsoncError(f'"hooks.{event.name}" is not a list')
        for item in listed.items:
            if item.node.kind != "object":
                raise JsoncError(f'"hooks.{event.name}" lists something that is no object')
            handlers = item.node.find("hooks") if self._table.is_grouped else None
            if self._table.is_grouped and (handlers is None or handlers.kind != "list"):
                raise JsoncError(f'"hooks.{event.name}" has a group without a list of hooks')

    def _iter_ours(self, root: Node) -> Iterator[_Found]:
        """Every handler that calls gitmem, whatever version entered it."""
        hooks = root.find("hooks")
        for event in hooks.items if hooks is not None else ():
            for index, item in enumerate(event.node.items):
                name = event.key or ""
                path: Steps = ("hooks", name, index)
                if not self._table.is_grouped:
                    if _is_ours(item.node.value):
                        yield _Found(name, path, None, True, item.node.value)
                    continue
                handlers = item.node.find("hooks") if item.node.kind == "object" else None
                for place, handler in enumerate(handlers.items if handlers is not None else ()):
                    if handlers is not None and _is_ours(handler.node.value):
                        alone = len(handlers.items) == 1
                        where = (*path, "hooks", place)
                        yield _Found(name, where, path, alone, handler.node.value)

    def _iter_stale(self, root: Node) -> Iterator[_Found]:
        """Those that are not as they would be entered today, and second ones."""
        wanted = {event.name: self._words(event) for event in self._table.events}
        seen: set[str] = set()
        for found in self._iter_ours(root):
            if _words_of(found.handler) != wanted.get(found.event) or found.event in seen:
                yield found
            seen.add(found.event)

    def _iter_missing(self, root: Node) -> Iterator[Event]:
        there = {
            event.name
            for found in self._iter_ours(root)
            for event in self._table.events
            if event.name == found.event and _words_of(found.handler) == self._words(event)
        }
        return (event for event in self._table.events if event.name not in there)

    def _words(self, event: Event) -> dict[str, Any]:
        return _words_of(self._table.build_handler(self._table.agent, event))

    def _put_in(self, text: str, root: Node, event: Event) -> str:
        """One event more; all at once where there are no hooks yet."""
        entry = self._table.build_entry(event)
        hooks = root.find("hooks")
        if hooks is None:
            every = {one.name: [self._table.build_entry(one)] for one in self._table.events}
            return add_member(text, root, (), "hooks", every)
        if hooks.find(event.name) is None:
            return add_member(text, root, ("hooks",), event.name, [entry])
        return add_element(text, root, ("hooks", event.name), entry)

    def _take_out(
        self,
        text: str,
        root: Node,
        iterate: Callable[[Node], Iterator[_Found]],
        kept: frozenset[str],
    ) -> str:
        """The text without some handlers and what they leave empty, but for events in `kept`.
        The hooks are taken apart by themselves: settings may be long."""
        hooks = root.find("hooks")
        if hooks is None:
            return text
        part = f"{_HEAD}{text[hooks.start : hooks.end]}}}"
        while found := next(iterate(self._parse(part)), None):
            path = found.group if found.group is not None and found.is_alone else found.path
            part = _cut(part, self._parse(part), path)
            left = self._parse(part)
            event = find_node(left, ("hooks", found.event))
            if not event.items and found.event not in kept and _is_clear(event, part):
                part = _cut(part, left, ("hooks", found.event))
        return text[: hooks.start] + part[len(_HEAD) : -1] + text[hooks.end :]

    def _list_containers(self, original: bytes | None) -> frozenset[str]:
        """What was there before the installation: `hooks`, and the names of its events."""
        try:
            _, text = split_mark(decode_text(original, self.path))
            hooks = parse_jsonc(text).find("hooks") if text.strip() else None
        except (Refused, JsoncError):
            return frozenset()
        names = [item.key or "" for item in hooks.items] if hooks is not None else []
        return frozenset(["hooks", *names]) if hooks is not None else frozenset()


def _cut(text: str, root: Node, path: Steps) -> str:
    container = find_node(root, path[:-1])
    step = path[-1]
    if isinstance(step, str):
        step = next(i for i, item in enumerate(container.items) if item.key == step)
    return remove_item(text, container, step)


def _is_clear(node: Node, text: str) -> bool:
    """Whether nothing stands between the brackets, comments included."""
    return not text[node.start + 1 : node.end - 1].strip()


def _has_comments(root: Node, text: str) -> bool:
    """Whether more than the values is there; asked of a file of two lines at most."""
    around = text[: root.start] + text[root.end :]
    return bool(around.strip()) or "//" in text or "/*" in text


def _words_of(handler: dict[str, Any]) -> dict[str, Any]:
    """What a handler runs. Time-outs and matchers may be the user's own."""
    return {key: handler[key] for key in _COMMANDS if key in handler}


def _is_ours(handler: Any) -> bool:
    if not isinstance(handler, dict):
        return False
    args = handler.get("args")
    words = " ".join(str(one) for one in args) if isinstance(args, list) else ""
    lines = [f"{handler[key]} {words}" for key in _COMMANDS if isinstance(handler.get(key), str)]
    return any(_OURS.search(line) for line in lines)
