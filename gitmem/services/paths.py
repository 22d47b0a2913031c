"""The files a decision is about, from what was typed or what is being changed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from gitmem.core.paths import decode_path
from gitmem.core.records import PathRef
from gitmem.errors import Ambiguous, NotFound, UsageError
from gitmem.services.targets import relative_path
from gitmem.services.workspace import Workspace

MAX_CHANGED = 200

_SPAN = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)


def parse_path_refs(workspace: Workspace, words: Sequence[str]) -> tuple[PathRef, ...]:
    """`PATH` or `PATH:A-B` as typed → references. Without words: the staged files, else the
    modified ones. Raises PathOutside, UsageError."""
    if not words:
        return _changed(workspace)
    spans: dict[str, list[tuple[int, int]]] = {}
    for word in words:
        path, span = _split(workspace, word)
        if not path:
            continue  # the whole repository: a decision without paths
        spans.setdefault(path, [])
        if span is not None:
            spans[path].append(span)
    return tuple(_ref(path, tuple(sorted(set(lines))) or None) for path, lines in spans.items())


def resolve_ids(workspace: Workspace, prefixes: Sequence[str]) -> tuple[str, ...]:
    """Record ids from prefixes of 4 or more. Raises NotFound and Ambiguous."""
    return tuple(resolve_id(workspace, prefix) for prefix in prefixes)


def resolve_id(workspace: Workspace, prefix: str) -> str:
    """One record id from a prefix. Raises NotFound, with near ids where there are any,
    Ambiguous, and UsageError for what is no id."""
    text = prefix.strip().lower()
    if len(text) < 4 or not re.fullmatch(r"[0-9a-f]{4,64}", text):
        raise UsageError(
            f"no record or commit is called {prefix!r}: an id is 4 to 64 hexadecimal digits",
            hint="List what there is: gitmem log",
        )
    found = workspace.records.resolve_prefix(text, limit=6)
    if len(found) == 1:
        return found[0]
    if not found:
        near = workspace.records.resolve_prefix(text[:3], limit=3)
        hint = f"Near: {', '.join(i[:12] for i in near)}" if near else None
        raise NotFound(f"no record begins with {text}", hint=hint)
    shown = ", ".join(i[: max(12, len(text) + 2)] for i in found[:5])
    raise Ambiguous(f"{text} fits several records: {shown}")


def _changed(workspace: Workspace) -> tuple[PathRef, ...]:
    if workspace.place.work_tree is None:
        return ()
    about: list[str] = []
    for staged in (True, False):
        if not about:
            changed = workspace.tree.list_changed_paths(staged=staged)
            about = [path for path in changed if not path.startswith(".gitmem/")]
    if len(about) > MAX_CHANGED:
        raise UsageError(
            f"{len(about)} files are changed, too many for one decision to be about",
            hint="Name files or folders: gitmem capture -m … src/",
        )
    return tuple(_ref(path, None) for path in about)


def _split(workspace: Workspace, word: str) -> tuple[str, tuple[int, int] | None]:
    place = workspace.place
    match = _SPAN.fullmatch(word)
    if match is None or os.path.lexists(place.cwd / word):
        return _checked(workspace, word), None
    first = int(match.group(2))
    last = int(match.group(3) or first)
    if not 1 <= first <= last:
        raise UsageError(f"{word}: lines go upwards from 1, as in src/a.py:10-40")
    return _checked(workspace, match.group(1)), (first, last)


def _checked(workspace: Workspace, word: str) -> str:
    path = relative_path(workspace.place, word)
    root = workspace.place.work_tree
    full = root / path if path and root is not None else None
    if full is not None and full.is_dir() and not full.is_symlink():
        return path + "/"
    return path


def _ref(path: str, lines: tuple[tuple[int, int], ...] | None) -> PathRef:
    raw = os.fsencode(path)
    text, encoded = decode_path(raw)
    return PathRef(text, lines=lines, encoded=encoded)
