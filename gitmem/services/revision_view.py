"""A workspace as it would be at some commit: its records in view, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from gitmem.services.workspace import Workspace
from gitmem.store.stamps import head_place
from gitmem.store.union import forget_revision, show_revision


@contextmanager
def view_at(workspace: Workspace, *oids: str) -> Iterator[Workspace]:
    """Questions asked of the workspace given see the folder of this commit as the view, or
    that of the merge of several: what is current, superseded or gone is told from there.
    Everything else in the union is elsewhere. Raises NoMemory; Damaged where a commit's folder
    is not all here."""
    memory = workspace.get_memory()
    shown = show_revision(
        memory,
        workspace.sources,
        workspace.projection,
        workspace.facts,
        oids,
        f"{oids[0]}-{workspace.clock.random_hex(12)}",
        workspace.report,
    )
    place = msgspec.structs.replace(workspace.place, worktree=shown.worktree)
    try:
        yield msgspec.structs.replace(workspace, memory=shown, place=place)
    finally:
        forget_revision(shown, workspace.projection)


def list_ids_at(shown: Workspace) -> set[str]:
    """Ids of all records in the folder that `view_at` shows."""
    return shown.records.list_ids(head_place(shown.get_memory()))
