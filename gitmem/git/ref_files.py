"""Refs, read from git's own files without starting git."""

# Strings, not Path objects: half the time, before every edit.
# ruff: noqa: PTH113, PTH114, PTH115, PTH116, PTH118

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import msgspec

from gitmem.git.layout import Layout, read_small

_MAX_PACKED_BYTES = 128 * 1024 * 1024
_MAX_FOLDERS = 1000
_MAX_HOPS = 5
_OID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_NAME = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]+")
# These belong to one work tree; all other refs are shared by all of them.
_OWN_PREFIXES = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")


class Head(msgspec.Struct, frozen=True):
    """What HEAD is: `oid` is None where no commit exists yet, `branch` (a short name) None
    where HEAD is detached."""

    oid: str | None
    branch: str | None


class RefsFingerprint(msgspec.Struct, frozen=True):
    """A text that changes whenever a ref that matters may have changed, and the newest time
    in it, for git's rule: what was written in the moment of looking is looked at again."""

    text: str
    newest_mtime_ns: int


def read_head(layout: Layout) -> Head | None:
    """HEAD, or None where plain files cannot tell (another ref storage)."""
    if layout.format.ref_storage != "files":
        return None
    text = _read_ref(os.path.join(layout.git_dir, "HEAD"))
    if text is None:
        return None
    if _OID.fullmatch(text):
        return Head(text, None)
    target = _target_of(text)
    if target is None or target == "refs/heads/.invalid":
        return None
    branch = target.removeprefix("refs/heads/")
    return Head(find_ref(layout, target), branch if branch != target else None)


def find_ref(layout: Layout, name: str) -> str | None:
    """The oid a full ref name stands for, symbolic refs followed; None where there is no
    such ref, or plain files cannot tell."""
    if layout.format.ref_storage != "files":
        return None
    for _ in range(_MAX_HOPS):
        path = _path_of(layout, name)
        if path is None:
            return None
        text = _read_ref(path)
        if text is None:
            return _find_packed(layout, name)
        if _OID.fullmatch(text):
            return text
        target = _target_of(text)
        if target is None:
            return None
        name = target
    return None


def find_symbolic(layout: Layout, name: str) -> str | None:
    """The ref that a symbolic ref names, whether or not that exists; None for any other."""
    path = _path_of(layout, name)
    text = _read_ref(path) if path is not None else None
    return _target_of(text) if text is not None else None


def read_packed(layout: Layout) -> Iterator[tuple[str, str]]:
    """(name, oid) of every packed ref."""
    for line in _read_packed_file(layout).split(b"\n"):
        oid, _, name = line.partition(b" ")
        if name and not line.startswith((b"#", b"^")):
            yield name.decode("utf-8", "surrogateescape"), oid.decode("ascii", "replace")


def fingerprint_refs(layout: Layout) -> RefsFingerprint:
    """The state of HEAD, branches, remote branches and gitmem's own refs, from a few `stat`
    calls: a loose ref changes by a rename, which changes its folder."""
    git_dir, common = str(layout.git_dir), str(layout.common_dir)
    head = _read_ref(os.path.join(git_dir, "HEAD")) or ""
    parts = [head]
    newest = 0
    for path in _iter_watched(layout, git_dir, common, head):
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            parts.append("-")
            continue
        parts.append(f"{status.st_mtime_ns:x}.{status.st_size:x}.{status.st_ino:x}")
        newest = max(newest, status.st_mtime_ns)
    return RefsFingerprint(" ".join(parts), newest)


def list_watched(layout: Layout) -> list[str]:
    """The files and folders whose times tell whether a ref may have changed."""
    git_dir, common = str(layout.git_dir), str(layout.common_dir)
    place = os.path.join(git_dir, "HEAD")
    return [place, *_iter_watched(layout, git_dir, common, _read_ref(place) or "")]


def _iter_watched(layout: Layout, git_dir: str, common: str, head: str) -> Iterator[str]:
    for name in (
        "config",
        "packed-refs",
        "shallow",
        "refs/gitmem/w",
        "reftable/tables.list",
    ):
        yield os.path.join(common, name)
    yield os.path.join(git_dir, "config.worktree")
    yield os.path.join(git_dir, "reftable", "tables.list")
    for target in (_target_of(head), *_iter_remote_heads(common)):
        path = None if target is None else _path_of(layout, target)
        if path is not None:
            yield path
    # Of remote branches only the default one matters.
    yield os.path.join(common, "refs", "remotes")
    for name in _list_folders(os.path.join(common, "refs", "remotes")):
        yield os.path.join(common, "refs", "remotes", name)
    # A branch with slashes in its name changes a folder deeper down, and the name of an
    # address is split over several folders where it is long.
    yield from _iter_folders(os.path.join(common, "refs", "heads"))
    yield from _iter_folders(os.path.join(common, "refs", "gitmem-remotes"))


def _iter_folders(top: str) -> Iterator[str]:
    """A folder and all below it, in an order that lasts; bounded."""
    waiting = [top]
    for _ in range(_MAX_FOLDERS):
        if not waiting:
            break
        folder = waiting.pop()
        yield folder
        waiting += [os.path.join(folder, name) for name in _list_folders(folder)]


def _iter_remote_heads(common: str) -> Iterator[str | None]:
    remotes = os.path.join(common, "refs", "remotes")
    for name in _list_folders(remotes):
        yield _target_of(_read_ref(os.path.join(remotes, name, "HEAD")) or "")


def _list_folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_dir(follow_symlinks=False))[:_MAX_FOLDERS]
    except OSError:
        return []


def _path_of(layout: Layout, name: str) -> str | None:
    """The loose file of a ref; None for what cannot be a ref's name."""
    if not _NAME.fullmatch(name) or not (name == "HEAD" or name.startswith("refs/")):
        return None
    parts = name.split("/")
    if any(not p or p[0] == "." or p.endswith((".lock", ".")) or ".." in p for p in parts):
        return None
    is_own = name == "HEAD" or name.startswith(_OWN_PREFIXES)
    return os.path.join(layout.git_dir if is_own else layout.common_dir, *parts)


def _read_ref(path: str) -> str | None:
    """The content of a loose ref; an old-style symbolic link reads as `ref: target`."""
    try:
        if os.path.islink(path):
            target = os.readlink(path)
            if target.startswith("refs/"):
                return f"ref: {target}"
    except OSError:
        return None
    text = read_small(path)
    return None if text is None else text.strip()


def _target_of(text: str) -> str | None:
    return text[4:].strip() if text.startswith("ref:") else None


def _find_packed(layout: Layout, name: str) -> str | None:
    data = _read_packed_file(layout)
    end = data.find(b" " + name.encode("utf-8", "surrogateescape") + b"\n")
    if end < 0:
        return None
    line = data[data.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace")
    return line if _OID.fullmatch(line) else None


def _read_packed_file(layout: Layout) -> bytes:
    path = os.path.join(layout.common_dir, "packed-refs")
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_PACKED_BYTES)
    except OSError:
        return b""
