"""What the commit hook staged in one work tree, noted in the clone until it is in a commit.

A commit may be aborted after its hook ran; the note is how the next run knows what of the
index and the work tree is the hook's own, and may be taken back.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from gitmem.store.durable import write_durably
from gitmem.store.paths import ClonePaths

MAX_NOTE_BYTES = 1024 * 1024


class StagedNote(msgspec.Struct, frozen=True, omit_defaults=True):
    """`files`: path from the repository's root → SHA-256 of its bytes; `made` are those of
    them that the hook wrote itself. `comments`: ids of decisions it made of comments.
    `placed`: record id → (path of its segment, HEAD at that time), kept as long as the record
    is in the spool, so that what stands on one branch is not copied to another."""

    files: dict[str, str] = {}
    made: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    placed: dict[str, tuple[str, str]] = {}


def marks_folder(clone: ClonePaths) -> Path:
    return clone.home / "marks"


def read_note(clone: ClonePaths, worktree: str) -> StagedNote:
    """The note of a work tree (a `spool_folder_name`); an empty one where there is none."""
    try:
        with open(_file(clone, worktree), "rb") as file:
            return msgspec.json.decode(file.read(MAX_NOTE_BYTES), type=StagedNote)
    except (OSError, msgspec.DecodeError):
        return StagedNote()


def write_note(clone: ClonePaths, worktree: str, note: StagedNote) -> None:
    """Replace the note; an empty one is removed. Raises CannotWrite."""
    file = _file(clone, worktree)
    if note == StagedNote():
        file.unlink(missing_ok=True)
    else:
        write_durably(file, msgspec.json.encode(note, order="sorted"))


def _file(clone: ClonePaths, worktree: str) -> Path:
    return marks_folder(clone) / f"staged-{worktree}.json"
