"""Segments that git left unmerged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class ConflictedIndex(Protocol):
    """The unmerged part of an index, and how it is settled."""

    def list_versions(self, folder: str) -> Mapping[str, tuple[str, ...]]:
        """Unmerged path under a folder → the blobs of all its versions."""
        ...

    def settle(self, removed: Sequence[str], added: Sequence[str]) -> None:
        """Take paths out of the index and stage files of the work tree. Raises Contended
        where the index is locked."""
        ...
