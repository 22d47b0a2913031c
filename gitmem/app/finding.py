"""Wiring of what is found beyond records: vaults of notes, and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.app.adapters import load
from gitmem.config import Settings
from gitmem.errors import PartMissing

if TYPE_CHECKING:
    from gitmem.ports.notes import Vault
    from gitmem.ports.retrieval import VectorIndex


def open_vaults(
    work_tree: Path | None, settings: Settings, environ: Mapping[str, str]
) -> Sequence[Vault]:
    """The folders of notes that are configured, the project's first."""
    if not settings.project_folders and not settings.own_folders:
        return ()
    vaults: Sequence[Vault] = load("locate-vaults")(
        work_tree, settings.project_folders, settings.own_folders, settings.hubs, environ
    )
    return vaults


def open_vectors(home: Path, settings: Settings, environ: Mapping[str, str]) -> VectorIndex:
    """The vectors of this clone under the configured model. Raises PartMissing."""
    raise PartMissing("the search extra is not installed")
