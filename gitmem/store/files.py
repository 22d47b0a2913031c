"""Reading folders of segments from the file system: bounded, and never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gitmem.core.records import Problem
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    Segment,
    SegmentRef,
    decode_segment,
    is_segment_name,
)


class Listing(msgspec.Struct, frozen=True):
    """What a folder of segments holds: file by segment name; `problems` are odd entries."""

    files: dict[str, Path]
    problems: tuple[Problem, ...] = ()


def list_segments(folder: Path, place: str) -> Listing:
    """The segment files of a folder and of its sub-folders (any name; the month is only a
    shelf). Links are not followed; names that are not segments' are left alone."""
    files: dict[str, Path] = {}
    problems: list[Problem] = []
    if folder.is_symlink():
        return Listing({}, (Problem(place, 0, "link", "a symbolic link is not read through"),))
    for path in _walk(folder):
        name = segment_name_of(path.name)
        if name is None:
            continue
        where = f"{place}/{path.relative_to(folder).as_posix()}"
        if path.is_symlink():
            problems.append(Problem(where, 0, "link", "a symbolic link is not read through"))
        elif path.is_file():
            files[name] = path
    return Listing(files, tuple(problems))


def segment_name_of(file_name: str) -> str | None:
    """The segment name in a file's name: spool files carry the record's seq before it."""
    name = file_name.rpartition("-")[2]
    return name if is_segment_name(name) else None


def _walk(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            try:
                yield from sorted(entry.iterdir())
            except FileNotFoundError:
                continue
        else:
            yield entry


def read_segment(path: Path, name: str, place: str) -> Segment | None:
    """Decode one file; None where it is gone. At most the size bound of it is loaded."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)  # never wait for a FIFO somebody put there
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        problem = Problem(place, 0, "unreadable", error.strerror or "cannot be opened")
        return Segment(SegmentRef(name), (), (problem,))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return decode_segment(SegmentRef(name), file.read(MAX_SEGMENT_BYTES + 1), place)
