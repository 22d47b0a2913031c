"""What this clone captured and no commit has yet: the spool, less what is seen in a commit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from gitmem.core.records import Tombstone
from gitmem.core.view import Places
from gitmem.services.catch_up import catch_up
from gitmem.services.workspace import Workspace
from gitmem.store.spool import Spooled, iter_spooled, remove_spooled
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
    """What still lies in the spools of this clone and stands in a commit that a branch
    reaches, too. A detached HEAD is none: the commits of a rebase may yet be given up."""
    found = _list(workspace, list_spool_folders(workspace.get_memory().clone))
    # What the history index says holds for the HEAD that it has seen.
    known = workspace.commits.get_head(workspace.place.worktree)
    is_history_of_branch = workspace.place.branch is not None and known == workspace.present.head
    return [
        one
        for one in found
        if one.places.branched or one.places.default or (one.places.added and is_history_of_branch)
    ]


def drop_redacted(workspace: Workspace) -> int:
    """Take out of the spools and the private records what was redacted, wherever that was
    said; how many files went."""
    clone = workspace.get_memory().clone
    folders = (*list_spool_folders(clone), clone.private)
    kept = [spooled for folder in folders for spooled in iter_spooled(folder)]
    held = workspace.records.get_held({one.line.id for one in kept}, workspace.place.worktree)
    redacted = {one.record.id for one in held if one.is_withheld}
    # A tombstone that is itself redacted stays in force.
    gone = [
        one
        for one in kept
        if one.line.id in redacted and not isinstance(one.line.record, Tombstone)
    ]
    remove_spooled(gone)
    return len(gone)


def _list(workspace: Workspace, folders: Iterable[Path]) -> list[Pending]:
    catch_up(workspace)
    found = [spooled for folder in folders for spooled in iter_spooled(folder)]
    ids = {spooled.line.id for spooled in found}
    held = workspace.records.get_held(ids, workspace.place.worktree)
    places = {one.record.id: one.places for one in held}
    return [Pending(spooled, places.get(spooled.line.id, _NOWHERE)) for spooled in found]
