"""What the words of a question mean: a path, a line, a folder, a commit, a record."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.core.paths import decode_path
from gitmem.errors import Ambiguous, PathOutside, UsageError
from gitmem.services.workspace import Place, Workspace

_LINE = re.compile(r"(.+):(\d{1,9})(?:-\d{1,9})?", re.DOTALL)
_HEX = re.compile(r"[0-9a-f]{4,64}")


class Target(msgspec.Struct, frozen=True):
    """`path` is relative to the root with forward slashes; a folder's ends in `/`, and the
    root itself is "". `oid` is set for commits, `id` for records."""

    kind: Literal["path", "line", "folder", "commit", "record", "unknown"]
    text: str
    path: str = ""
    line: int = 0
    oid: str = ""
    id: str = ""

    @property
    def name(self) -> str:
        """The path as records and history spell it."""
        return _spell(self.path)


def _spell(path: str) -> str:
    """A path of this system as records and history spell it."""
    return decode_path(path.encode("utf-8", "surrogateescape"))[0]


def resolve_target(workspace: Workspace, text: str) -> Target:
    """Decide what a word means. What exists in the work tree wins, then what memory and
    history know, then ids, then unique suffixes of known paths.

    Raises Ambiguous, naming the candidates, PathOutside, and UsageError for an empty text.
    """
    if not text.strip():
        raise UsageError("an empty name says nothing", hint="The whole repository is: .")
    place = workspace.place
    exact = _in_work_tree(place, text)
    if exact is not None:
        return exact
    if _HEX.fullmatch(text.lower()):
        found = _by_id(workspace, text.lower())
        if found is not None:
            return found
    known = _by_known_path(workspace, text)
    if known is not None:
        return known
    oid = workspace.sources.objects.find_commit(text)
    if oid is not None:
        return Target("commit", text, oid=oid)
    return Target("unknown", text, path=relative_path(place, text))


def relative_path(place: Place, text: str) -> str:
    """A path as typed (absolute, relative to the current folder, through a link, with either
    separator), relative to the root. Raises PathOutside."""
    if os.sep == "\\" or ("\\" in text and not os.path.lexists(place.cwd / text)):
        text = text.replace("\\", "/")
    if place.work_tree is None:
        return os.path.normpath(text).replace(os.sep, "/")
    joined = place.cwd / text
    # The last part stays as it is: a tracked symbolic link is a path of its own.
    parent = os.path.realpath(joined.parent)
    path = os.path.normpath(os.path.join(parent, joined.name)) if joined.name else parent  # noqa: PTH118
    if joined.name == "..":
        path = os.path.realpath(joined)
    root = os.path.realpath(place.work_tree)
    if path == root:
        return ""
    if not path.startswith(root.rstrip(os.sep) + os.sep):
        raise PathOutside(f"{text} is outside this repository ({root})")
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    if relative == ".git" or relative.startswith(".git/"):
        raise PathOutside(f"{text} is git's own, not the repository's content")
    return relative


def _in_work_tree(place: Place, text: str) -> Target | None:
    if place.work_tree is None:
        return None
    whole = _existing(place, text)
    if whole is not None:
        return whole
    match = _LINE.fullmatch(text)
    if match:
        file = _existing(place, match.group(1))
        if file is not None and file.kind == "path":
            return msgspec.structs.replace(file, kind="line", text=text, line=int(match.group(2)))
    return None


def _existing(place: Place, text: str) -> Target | None:
    try:
        path = relative_path(place, text)
    except PathOutside:
        if os.path.lexists(place.cwd / text) or text.startswith(("..", "/")):
            raise
        return None
    root = place.work_tree or place.cwd
    full = root / path
    if os.path.isdir(full) and not os.path.islink(full):  # noqa: PTH112, PTH114 - never raise
        return Target("folder", text, path=path + "/" if path else "")
    if os.path.lexists(full):
        return Target("path", text, path=path)
    return None


def _by_id(workspace: Workspace, prefix: str) -> Target | None:
    ids = workspace.records.resolve_prefix(prefix, limit=5)
    commits = workspace.commits.find_commits(prefix, limit=5) if len(prefix) <= 64 else []
    if len(ids) + len(commits) > 1:
        names = [f"record {i[:12]}" for i in ids] + [f"commit {c.oid[:12]}" for c in commits]
        raise Ambiguous(f"{prefix} could be {', '.join(names)}")
    if ids:
        return Target("record", prefix, id=ids[0])
    if commits:
        return Target("commit", prefix, oid=commits[0].oid)
    return None


def _by_known_path(workspace: Workspace, text: str) -> Target | None:
    match = _LINE.fullmatch(text)
    whole = (text, None)
    for name, line in (whole, (match.group(1), int(match.group(2))) if match else ("", None)):
        if not name:
            continue
        candidates = _known(workspace, name)
        if len(candidates) > 1:
            shown = ", ".join(candidates[:5])
            raise Ambiguous(f"{name} could be {shown}", hint="Type more of the path.")
        if candidates:
            kind: Literal["path", "line"] = "path" if line is None else "line"
            return Target(kind, text, path=candidates[0], line=line or 0)
    return None


def _known(workspace: Workspace, name: str) -> list[str]:
    tidy = name.replace("\\", "/").removeprefix("./").rstrip("/")
    try:
        exact = relative_path(workspace.place, name)
    except PathOutside:
        exact = tidy
    exact, tidy = _spell(exact), _spell(tidy)
    found = workspace.records.match_paths(exact, limit=50) if exact else []
    if exact in found:
        return [exact]
    suffixes = found or (workspace.records.match_paths(tidy, limit=50) if tidy else [])
    if tidy in suffixes:
        return [tidy]
    # Of several, those that the work tree still has are meant.
    root = workspace.place.work_tree
    if len(suffixes) > 1 and root is not None:
        standing = [path for path in suffixes if os.path.lexists(Path(root) / path)]
        return standing if len(standing) == 1 else suffixes
    return suffixes
