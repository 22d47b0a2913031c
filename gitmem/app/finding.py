"""Wiring of what is found beyond records: vaults of notes, and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gitmem.config import Settings
from gitmem.errors import PartMissing
from gitmem.ports.notes import Vault
from gitmem.ports.retrieval import VectorIndex


def open_vaults(work_tree: Path | None, settings: Settings) -> Sequence[Vault]:
    """The folders of notes that are configured, the project's first."""
    return ()


def open_vectors(home: Path, settings: Settings, environ: Mapping[str, str]) -> VectorIndex:
    """The vectors of this clone under the configured model. Raises PartMissing."""
    raise PartMissing("the search extra is not installed")
