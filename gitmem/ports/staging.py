"""The index that a commit is being made of, as a hook finds it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import msgspec


class StagedChange(msgspec.Struct, frozen=True):
    """One path by which the commit will differ from HEAD.

    `status` is git's letter (A, M, D, R, C, T); `old_path` is set for renames and copies;
    `blob` is the new content's id. Paths are as git's bytes decode (`core.paths`).
    """

    status: str
    path: str
    old_path: str | None
    blob: str


class AddedLines(msgspec.Struct, frozen=True):
    """The lines that a commit adds to one file: (number, text), numbers from 1. `encoded`
    marks a path whose bytes are not UTF-8."""

    path: str
    encoded: bool
    rows: tuple[tuple[int, str], ...]


class Staging(Protocol):
    """Reads and adds to the index of the commit in hand, and nothing else of it.

    Every method may raise OutOfTime, past the hook's own deadline, but the two that write,
    which end what they begin.
    """

    def list_changes(self) -> list[StagedChange]:
        """What the commit brings, compared with HEAD (everything, before the first)."""
        ...

    def list_folder(self) -> dict[str, str]:
        """Path → blob of all that any index of this commit has under `.gitmem/`."""
        ...

    def list_added_lines(self, pattern: str) -> list[AddedLines]:
        """The lines that the commit adds to text files in which the pattern (an extended
        regular expression) comes or goes; bounded, and none where that would take too long."""
        ...

    def list_not_reached(self, commits: Collection[str]) -> set[str]:
        """Those commits that are here and are not ancestors of HEAD, nor HEAD."""
        ...

    def list_abandoned(self, commits: Collection[str]) -> set[str]:
        """Those commits that are here and that no branch of this clone reaches."""
        ...

    def list_committed(self, paths: Sequence[str], since: Collection[str]) -> set[str]:
        """Those paths that a commit of HEAD or of any branch, local or remote, has added.
        Only what came after the commits `since` (none: everything) is looked at."""
        ...

    def read_folder_files(self, paths: Sequence[str]) -> Mapping[str, bytes] | None:
        """These files, all of them, from the first branch that has them; None if none does."""
        ...

    def read_blobs(self, blobs: Sequence[str]) -> list[bytes | None]:
        """Their content in the order asked; None where it is not in this clone. Raises
        RemoteUnreachable where git, in a partial clone, would have to fetch."""
        ...

    def add(self, files: Mapping[str, bytes]) -> None:
        """Stage files that stand in the work tree with these bytes, wherever this commit and
        the next look. Raises Refused where git ignores them, Contended where it is locked."""
        ...

    def remove(self, paths: Sequence[str]) -> None:
        """Take paths out of the index again; the work tree is not touched."""
        ...
