"""Every document that retrieval can find, whatever its kind: its key and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from gitmem.core.ranking import Passage


class DocumentList(Protocol):
    """The documents of a memory, without those that were redacted, withheld or are gone."""

    def iter_keys(self, kind: str) -> Iterator[str]:
        """The keys of one kind, newest first (of decisions, those that nothing replaces or
        withdraws come before the others; of commits, only those with a reason; of notes, their
        chunks by vault, path and place). Memory stays bounded at any number; what is added
        meanwhile may be missing."""
        ...

    def get_passages(self, keys: Sequence[str]) -> list[Passage]:
        """Their texts, in the order asked; documents that are not there are left out."""
        ...

    def list_gone(self, keys: Sequence[str]) -> list[str]:
        """Those that are not there (any more)."""
        ...

    def list_withheld(self) -> list[str]:
        """The keys of all records that were redacted."""
        ...
