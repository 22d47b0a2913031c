"""What a pull request does to a memory: values only. What weakens it comes first."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitmem.core.changelog_entries import Coverage, Entry

WeakenedHow = Literal["identity", "redacted", "removed", "retracted", "edited", "superseded"]

GRAVITY: tuple[WeakenedHow, ...] = (
    "identity",
    "redacted",
    "removed",
    "retracted",
    "edited",
    "superseded",
)
"""The order in which a reviewer should read them."""


class Weakened(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the base that would no longer stand, or not as it does.

    `by` is the record or commit that does it, `instead` the summary of what takes its place.
    `is_others`: it was somebody else's than whoever does it.
    """

    how: WeakenedHow
    id: str = ""
    summary: str = ""
    author: str = ""
    by: str = ""
    by_author: str = ""
    instead: str = ""
    reason: str = ""
    is_others: bool = False


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """Decisions that would all be current once this is merged, though one should be."""

    ids: tuple[str, ...]
    summaries: tuple[str, ...]
    paths: tuple[str, ...] = ()


class Contradicted(msgspec.Struct, frozen=True, kw_only=True):
    """A current decision on files that are touched, which nothing here supersedes or names.
    `line` is where it holds in the first of the paths, 1 where it says none."""

    id: str
    summary: str
    author: str
    paths: tuple[str, ...]
    line: int = 1


class PrReport(msgspec.Struct, frozen=True, kw_only=True):
    """`records_added` counts all records that the head brings, `added` lists its decisions."""

    base: str
    head: str
    records_added: int = 0
    weakened: tuple[Weakened, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    contradicted: tuple[Contradicted, ...] = ()
    added: tuple[Entry, ...] = ()
    coverage: Coverage = Coverage()
    is_first: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that a reviewer would miss without a comment."""
        return not (self.records_added or self.weakened or self.conflicts or self.contradicted)
