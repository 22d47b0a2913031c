"""The code's own history: commits, their paths, blame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from gitmem.core.history import BlamedLine, Commit


class HistoryReader(Protocol):
    """Reads history from git itself."""

    def iter_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> Iterator[Commit]:
        """Commits reachable from the tips and not from the excluded, ancestors first.

        Streams. Renames are detected. Merges carry only the segments they themselves added;
        commits at a shallow boundary carry no touches. Closing the iterator ends git.
        """
        ...

    def iter_path_commits(
        self, path: str, *, limit: int, deadline_seconds: float
    ) -> Iterator[Commit]:
        """The path-limited look: commits of HEAD that touched a path (or anything under a
        directory), newest first, following renames of a file; ends at the limit or deadline."""
        ...

    def list_outside(self, tips: Sequence[str], head: str | None) -> list[str] | None:
        """Commits reachable from the tips but not from `head` (all of them if it is None).
        None where a tip is not here any more, so that what it reached cannot be told."""
        ...

    def get_commits(self, oids: Sequence[str]) -> list[Commit]:
        """These commits with their touches, in the order asked; unknown ones are left out."""
        ...

    def blame_line(self, path: str, line: int) -> BlamedLine | None:
        """Who last changed a line (1-based) of the file in the work tree; None where the file
        has no such line or git does not track it."""
        ...

    def list_shallow(self) -> frozenset[str]:
        """Commits whose parents were cut off by a shallow clone."""
        ...
