"""Which records a segment holds, by its name, which never changes its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import msgspec


class Decisions(msgspec.Struct, frozen=True):
    """The decisions of one segment: ids, sorted, and whether one of them was redacted,
    wherever that was said."""

    ids: tuple[str, ...]
    has_redacted: bool


class SegmentRecords(Protocol):
    """What was read of segments."""

    def list_decisions(self, names: Iterable[str]) -> Mapping[str, Decisions]:
        """File name → its decisions, of those segments that were read and match their name."""
        ...
