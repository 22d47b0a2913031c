"""What the cache knows of records for a range of commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol


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

    def list_segments(self, ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """Record → names of all segments that hold it; nothing for unknown ones."""
        ...
