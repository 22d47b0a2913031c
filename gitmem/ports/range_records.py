"""What the cache knows of records for a range of commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from gitmem.core.records import Line
from gitmem.core.segments import SegmentRef


class RangeRecords(Protocol):
    """Two ways from commits to decisions that containment does not tell, and the way from
    records to where they are written."""

    def list_naming(self, commits: Iterable[str]) -> list[str]:
        """Ids of decisions that name one of these commits, sorted."""
        ...

    def list_based(self, commits: Iterable[str]) -> list[str]:
        """Ids of decisions captured when HEAD was one of these commits, sorted; a few others
        may be among them, so look at the base."""
        ...

    def read_segments(self, refs: Iterable[SegmentRef]) -> Mapping[str, tuple[Line, ...]]:
        """Blob → records, of those segments that were read once and had any. A redacted
        record keeps who and when, and no bytes. Raises Damaged where the cache is."""
        ...

    def list_spoken_of(self, ids: Iterable[str]) -> set[str]:
        """Those of these records that another one may change: withdrawn or superseded by some
        record of the union, alike in key, or successors that may have rivals."""
        ...

    def list_segments(self, ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """Record → names of all segments that hold it; nothing for unknown ones."""
        ...
