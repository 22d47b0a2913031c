"""Wiring of the folders of notes that are searched beside records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.app.adapters import load
from gitmem.config import Settings

if TYPE_CHECKING:
    from gitmem.ports.notes import Vault


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
