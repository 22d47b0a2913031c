"""What a commit is to us, and the names its files had."""

from __future__ import annotations

import msgspec

UNCOMMITTED = "0" * 40


class Touch(msgspec.Struct, frozen=True, array_like=True):
    """One path that a commit changed.

    `status` is git's letter: A, M, D, T, R (renamed) or C (copied); `old_path` is set for the
    last two. `blob` is the new content's object id (zeros for a deletion).
    """

    status: str
    path: str
    old_path: str | None
    blob: str


class Commit(msgspec.Struct, frozen=True, array_like=True):
    """A commit as `why` needs it. `at` is the committer's time in seconds since the epoch.

    `touches` is empty for merges, except for segments that a merge itself added against all
    of its parents, and for commits at a shallow boundary, whose parents are not here.
    """

    oid: str
    parents: tuple[str, ...]
    at: int
    author: str
    email: str
    message: str
    touches: tuple[Touch, ...]

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        return self.message.partition("\n")[2].strip("\n")


class BlamedLine(msgspec.Struct, frozen=True):
    """Who last changed a line. `commit` is None where the line is not committed yet."""

    commit: str | None
    at: int
    author: str
    original_path: str
    original_line: int


class IndexedCommit(msgspec.Struct, frozen=True):
    """A commit as the index has it. `order` rises from ancestors to descendants; `path` is
    the path, of those asked for, that it touched."""

    oid: str
    order: int
    at: int
    author: str
    message: str
    has_reason: bool
    is_merge: bool
    path: str


class PathSpan(msgspec.Struct, frozen=True):
    """A name a file had, from the commit of order `since` until before that of order
    `before` (None: to this day). `is_copy`: another file's history, before it was copied."""

    path: str
    before: int | None = None
    since: int | None = None
    is_copy: bool = False
