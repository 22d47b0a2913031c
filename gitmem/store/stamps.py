"""Whether anything changed since the cache last looked: by times and ids, without reading."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from gitmem.store.paths import ClonePaths, Memory

# A stamp is trusted only when everything in it is older than this: a change within the same
# tick of the file system's clock leaves no trace (git's racy-timestamp rule; FAT ticks in 2 s).
RACY_NS = 2_000_000_000

RACY = "racy "
"""What a fingerprint or stamp begins with that was taken in the moment of a change."""

SUFFIX = ".ndjson"
ABSENT = "absent"
SPOOL_PLACE = "spool:"
PRIVATE_PLACE = "private"


class Present(msgspec.Struct, frozen=True):
    """The clone's state that a refresh compares with: HEAD's commit (None before the first),
    a fingerprint of all refs (one that differs from every other where it cannot be trusted),
    and the time of looking."""

    head: str | None
    refs_fingerprint: str
    now_ns: int


def is_fresh(
    memory: Memory, present: Present, keys: Mapping[str, str], refs_memo: str | None
) -> bool:
    """Whether the cache, whose places have these keys, already has everything there is."""
    if refs_memo != present.refs_fingerprint:
        return False
    if not memory.is_detached and keys.get(head_place(memory)) != head_key(present):
        return False
    return all(
        keys.get(place, ABSENT) == (stamp_folder(folder, present.now_ns) or ABSENT)
        for place, folder in iter_folders(memory)
    )


def head_place(memory: Memory) -> str:
    """The name of the place that HEAD's folder is, for this work tree."""
    return f"head:{memory.worktree}"


def head_key(present: Present) -> str:
    return present.head or "unborn"


def iter_folders(memory: Memory) -> Iterator[tuple[str, Path]]:
    """(place, folder) of every folder of segments: the work tree's, the spools, private."""
    if memory.folder is not None:
        yield f"work:{memory.worktree}", memory.folder / "records"
    for folder in list_spool_folders(memory.clone):
        yield SPOOL_PLACE + folder.name, folder
    yield PRIVATE_PLACE, memory.clone.private


def list_spool_folders(clone: ClonePaths) -> list[Path]:
    """The spool folders of all work trees, those of removed ones too."""
    try:
        return sorted(p for p in clone.spool.iterdir() if p.is_dir() and not p.is_symlink())
    except FileNotFoundError:
        return []


def stamp_folder(folder: Path, now_ns: int) -> str | None:
    """A string that changes with the folder's entries, one level of sub-folders included.

    None where there is no such folder. A racy stamp says so, and equals no other.
    """
    try:
        parts = [("", *_stamp(folder.stat(follow_symlinks=False)))]
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(SUFFIX) and entry.is_dir(follow_symlinks=False):
                    parts.append((entry.name, *_stamp(entry.stat(follow_symlinks=False))))
    except (FileNotFoundError, NotADirectoryError):
        return None
    newest = max(mtime_ns for _, mtime_ns, _ in parts)
    racy = f"{RACY}{now_ns} " if now_ns - newest < RACY_NS else ""
    return racy + repr(sorted(parts))


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return (status.st_mtime_ns, status.st_ino)
