"""Ranges: which commits are meant, what they touched, and which records they added."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitmem.core.records import Line
from gitmem.ports.range_reader import Ends, RangeCommit


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """A range, resolved. `text` is what was asked for, `A..B`; `older` and `newer` name its two
    ends where it has two (for links and headings); `is_at_head` where it ends at HEAD."""

    text: str
    ends: Ends
    older: str | None = None
    newer: str | None = None
    is_at_head: bool = False


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What a range holds. `commits` are ancestors first.

    `added` are the records that the range has and its start had not, by id, each with the
    earliest commit that added it in `added_by`; those that it also took away again are in
    `removed_by` too. `lost` are records from before the range whose segment it removed, and
    no other took over, with the commit in `removed_by`.
    """

    range: Range
    commits: tuple[RangeCommit, ...]
    added: dict[str, Line]
    lost: dict[str, Line]
    added_by: dict[str, str]
    removed_by: dict[str, str]


def resolve_range(workspace: object, words: Sequence[str]) -> Range:
    """The range that the words mean, as `git rev-list` has it. Raises UsageError, Ambiguous,
    NotFound for a missing end, HistoryCut where a shallow clone lacks it."""
    raise NotImplementedError


def read_range(workspace: object, asked: Range) -> Contents:
    """All of a range, in one pass of git. Raises HistoryCut where a shallow clone cut it."""
    raise NotImplementedError
