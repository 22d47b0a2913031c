"""The clone's own records on disk: the spool of each work tree, and private records.

One file a capture, `<seq>-<segment>.ndjson`: no lock is needed, a capture never rewrites
another's file, and the Lamport clock can be read from names alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from gitmem.core.records import MAX_SEQ, Line
from gitmem.core.segments import encode_segment, segment_name
from gitmem.store.durable import remove_durably, write_durably
from gitmem.store.files import read_segment, segment_name_of
from gitmem.store.paths import ClonePaths
from gitmem.store.stamps import list_spool_folders


class Spooled(msgspec.Struct, frozen=True):
    """A record in the spool (or private), and the file that holds it."""

    line: Line
    file: Path


def write_pending(clone: ClonePaths, worktree: str, line: Line) -> Path:
    """Keep a captured record, durably; the file. `worktree` is a `spool_folder_name`.
    Raises CannotWrite."""
    return _write(clone.spool / worktree, line)


def write_private(clone: ClonePaths, line: Line) -> Path:
    """Keep a record that never leaves this clone, durably. Raises CannotWrite."""
    return _write(clone.private, line)


def _write(folder: Path, line: Line) -> Path:
    data = encode_segment([line])
    file = folder / f"{line.record.seq:015d}-{segment_name(data)}"
    write_durably(file, data)
    return file


def iter_spooled(folder: Path) -> Iterator[Spooled]:
    """Every good record in one folder of ours, oldest first."""
    for file_name in sorted(_list_names(folder)):
        name = segment_name_of(file_name)
        if name is None:
            continue
        segment = read_segment(folder / file_name, name, file_name)
        for line in segment.lines if segment else ():
            yield Spooled(line, folder / file_name)


def find_spooled(clone: ClonePaths, ids: Iterable[str]) -> list[Spooled]:
    """The pending records with these ids, in whichever work tree's spool."""
    wanted = set(ids)
    return [
        spooled
        for folder in list_spool_folders(clone)
        for spooled in iter_spooled(folder)
        if spooled.line.id in wanted
    ]


def remove_spooled(spooled: Iterable[Spooled]) -> None:
    """Take records out. Callers prove first that nothing is lost by it."""
    for file in {s.file for s in spooled}:
        remove_durably(file)


def _list_names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return []


def highest_spooled_seq(clone: ClonePaths) -> int:
    """The highest seq among file names in the spools and the private folder; 0 for none."""
    highest = 0
    for folder in (*list_spool_folders(clone), clone.private):
        for name in _list_names(folder):
            head = name.partition("-")[0]
            if head.isascii() and head.isdigit() and int(head) <= MAX_SEQ:
                highest = max(highest, int(head))
    return highest
