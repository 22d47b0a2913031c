"""What this clone captured and no commit has yet: the spool, less what is seen in a commit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from gitmem.core.view import Places
from gitmem.services.catch_up import catch_up
from gitmem.services.workspace import Workspace
from gitmem.store.spool import Spooled, iter_spooled
from gitmem.store.stamps import list_spool_folders

_NOWHERE = Places()


class Pending(msgspec.Struct, frozen=True):
    """A record in the spool, and the places that hold it."""

    spooled: Spooled
    places: Places


def list_pending(workspace: Workspace, *, everywhere: bool = False) -> list[Pending]:
    """What is pending in this work tree, or in all of this clone, oldest first."""
    memory = workspace.get_memory()
    if everywhere:
        folders = list_spool_folders(memory.clone)
    else:
        folders = [memory.clone.spool / memory.worktree]
    return [one for one in _list(workspace, folders) if not one.places.is_committed]


def list_settled(workspace: Workspace) -> list[Pending]:
    """What still lies in the spools of this clone and stands in a commit, too."""
    folders = list_spool_folders(workspace.get_memory().clone)
    return [one for one in _list(workspace, folders) if one.places.is_committed]


def _list(workspace: Workspace, folders: Iterable[Path]) -> list[Pending]:
    catch_up(workspace)
    found = [spooled for folder in folders for spooled in iter_spooled(folder)]
    ids = {spooled.line.id for spooled in found}
    held = workspace.records.get_held(ids, workspace.place.worktree)
    places = {one.record.id: one.places for one in held}
    return [Pending(spooled, places.get(spooled.line.id, _NOWHERE)) for spooled in found]
