"""Reading an agent's JSON leniently: what is missing, or of another kind, is empty."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

import msgspec

from gitmem.core.agent_events import MAX_PATH_CHARS, MAX_PATHS, MAX_TEXT_CHARS

MAX_DEPTH = 12
_MAX_STRINGS = 1_000
_PATCHED = re.compile(
    r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.{1,4096}?)\s*$", re.MULTILINE
)


# An escape of JSON: a pair of surrogates, one by itself, or another. Programs that count in
# UTF-16 cut texts between the two, and write what is left.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def decode_payload(raw: bytes) -> Any:
    """The JSON of an event or of a transcript's line. A byte order mark is passed over; half a
    surrogate pair, and what is not UTF-8, become U+FFFD. Raises msgspec.DecodeError, and
    RecursionError."""
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        mended = raw.decode("utf-8", "replace").encode()
        mended = _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], mended)
        return msgspec.json.decode(mended)


def find_text(payload: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that is a text, cut where it is too long to be looked at."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value[:MAX_TEXT_CHARS]
    return ""


def find_table(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that is an object; an empty one where it is not."""
    value = payload.get(name)
    return value if isinstance(value, dict) else {}


def find_first(payload: Mapping[str, Any], name: str) -> str:
    """The first text of a field that is a list of texts."""
    value = payload.get(name)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value[0][:MAX_PATH_CHARS]
    return ""


def list_paths(*tables: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """The paths in fields of these names, of whichever table has them, each once."""
    found = [table.get(name) for table in tables for name in names]
    return tuple(dict.fromkeys(path for path in found if _is_path(path)))[:MAX_PATHS]


def list_patched(value: Any) -> tuple[str, ...]:
    """The files that the texts of a patch tool's input name as updated, added, deleted or
    moved to, wherever in the input they stand."""
    found = [path for text in _iter_strings(value) for path in _PATCHED.findall(text)]
    return tuple(dict.fromkeys(path for path in found if _is_path(path)))[:MAX_PATHS]


def _is_path(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= MAX_PATH_CHARS and "\0" not in value


def _iter_strings(value: Any) -> Iterator[str]:
    waiting: list[tuple[Any, int]] = [(value, 0)]
    seen = 0
    while waiting and seen < _MAX_STRINGS:
        one, depth = waiting.pop(0)
        if isinstance(one, str):
            seen += 1
            yield one
        elif depth < MAX_DEPTH and isinstance(one, dict):
            waiting.extend((inner, depth + 1) for inner in list(one.values())[:_MAX_STRINGS])
        elif depth < MAX_DEPTH and isinstance(one, list):
            waiting.extend((inner, depth + 1) for inner in one[:_MAX_STRINGS])
