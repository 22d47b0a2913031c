"""A range of the code's history: which commits it holds, what they touched, what they recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from gitmem.core.history import Touch
from gitmem.core.segments import SegmentRef


class RangeCommit(msgspec.Struct, frozen=True):
    """A commit of a range. `at` is the committer's time in seconds since the epoch.

    `touches` are the files of the code it changed, none for merges; `added` and `removed` the
    segments of records, for merges those against all of their parents. The blob of a removed
    segment is the one it had; one that was written over is in both.
    """

    oid: str
    parents: tuple[str, ...]
    at: int
    author: str
    email: str
    message: str
    touches: tuple[Touch, ...] = ()
    added: tuple[SegmentRef, ...] = ()
    removed: tuple[SegmentRef, ...] = ()


class MergeSegments(msgspec.Struct, frozen=True):
    """What a merge itself did to the records."""

    added: tuple[SegmentRef, ...]
    removed: tuple[SegmentRef, ...]


class Ends(msgspec.Struct, frozen=True):
    """What bounds a range: all that the ends reach, and none of the excluded does. Full ids."""

    ends: tuple[str, ...]
    excluded: tuple[str, ...]


class RangeReader(Protocol):
    """Reads ranges from git itself, whatever the user's configuration says."""

    def find_ends(self, words: Sequence[str]) -> Ends | None:
        """What words of `git rev-list` mean; None where one of them names no commit. The words
        were checked (`core.ranges`). Raises Ambiguous for a prefix of several ids."""
        ...

    def iter_range(self, ends: Ends) -> Iterator[RangeCommit]:
        """The commits, ancestors first. Streams; renames are detected; the first commit of all
        has touches like any other; merges have no segments yet. Closing it ends git."""
        ...

    def read_merges(self, merges: Sequence[str]) -> Mapping[str, MergeSegments]:
        """Of these merges those that added or took away segments against all of their
        parents."""
        ...

    def find_last_tag(self, spec: str) -> str | None:
        """The nearest tag that a commit's history has, of any kind, without `refs/tags/`."""
        ...

    def find_tag_time(self, name: str) -> int | None:
        """When a tag was made (a light one: its commit), in seconds; None without the tag."""
        ...

    def list_outside(self, commits: Sequence[str], tips: Sequence[str]) -> set[str]:
        """Those of the commits (full ids, all of them here) that no tip reaches."""
        ...

    def list_segments(self, commit: str) -> list[SegmentRef]:
        """Every segment of records in a commit's tree."""
        ...

    def list_shallow(self) -> frozenset[str]:
        """Commits whose parents a shallow clone cut off."""
        ...


class Deepener(Protocol):
    """Fetches what a shallow clone lacks."""

    def deepen(self, remote: str, *, is_shallow: bool) -> None:
        """All branches and tags of a configured remote; for a shallow clone the history that
        was cut off, without the contents of files where the other side can leave them out.
        Tags that are here stay as they are. Raises RemoteError and its kinds."""
        ...
