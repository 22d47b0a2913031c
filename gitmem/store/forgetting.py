"""Taking the words of an agent's turn out of what this clone keeps beside the memory."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gitmem.store.durable import cannot_write
from gitmem.store.paths import ClonePaths
from gitmem.store.sessions import MAX_FILE_BYTES, Entry, request_file, sessions_folder

_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


def forget_request(clone: ClonePaths, key: str) -> None:
    """Remove the full request that is kept beside the decision of this key. Raises CannotWrite."""
    file = request_file(clone, key)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(file, error) from error


def forget_turn(clone: ClonePaths, key: str) -> None:
    """The same, and whatever the logs of sessions hold of what was said up to that turn's end.

    A log is written over in its place: hooks that append at the same moment lose nothing, and
    the words do not stay behind in a file that was replaced. Which turns were captured is not
    forgotten, so that none is captured again. Raises CannotWrite."""
    forget_request(clone, key)
    try:
        files = sorted(sessions_folder(clone).glob("*.ndjson"))
    except OSError:
        return
    for file in files:
        try:
            _write_over(file, key)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise cannot_write(file, error) from error


def _write_over(file: Path, key: str) -> None:
    with _open(file) as descriptor:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        with os.fdopen(descriptor, "r+b", closefd=False) as opened:
            lines = opened.read(2 * MAX_FILE_BYTES).split(b"\n")
            entries = [_decode(line) for line in lines]
            about = [at for at, one in enumerate(entries) if one is not None and one.name == key]
            place = 0
            for line, entry in zip(lines, entries[: max(about, default=-1) + 1], strict=False):
                if entry is not None and (entry.text or entry.answer):
                    opened.seek(place)
                    opened.write(_blank(entry, len(line)))
                place += len(line) + 1
            opened.flush()
            os.fsync(descriptor)


def _blank(entry: Entry, size: int) -> bytes:
    """The entry without what was said, in as many bytes. A digest of words is no word."""
    answer = entry.answer if entry.kind == "done" else ""
    bare = msgspec.structs.replace(entry, text="", answer=answer)
    return msgspec.json.encode(bare).ljust(size)[:size]


def _decode(line: bytes) -> Entry | None:
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.DecodeError, RecursionError):
        return None


@contextlib.contextmanager
def _open(file: Path) -> Iterator[int]:
    descriptor = os.open(file, os.O_RDWR | _FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
