"""What is known of segments by their names, which never change their meaning."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import msgspec


class Holdings(msgspec.Struct, frozen=True):
    """`by_id` and `by_key`: which segments hold a record id, or a decision's key, of those
    asked for. `known`: the names of all segments whose content was ever read. `max_seq`: the
    highest seq among all that was read. `redacted`: those of the ids that a redaction,
    wherever it stands, took back."""

    by_id: Mapping[str, Collection[str]]
    by_key: Mapping[str, Collection[str]]
    known: Collection[str]
    max_seq: int = 0
    redacted: Collection[str] = frozenset()


class FindHoldings(Protocol):
    """Looks ids and keys up; writes nothing, and never fails: what it does not know, it
    leaves out."""

    def __call__(self, ids: Collection[str], keys: Collection[str]) -> Holdings: ...
