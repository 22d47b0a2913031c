"""Bring what is derived in step: the records' projection, then the history index."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitmem.core.history import Commit
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.union import Refreshed, project_segments, refresh

BATCH_COMMITS = 2000
GROWING = "history-growing"


class CaughtUp(msgspec.Struct, frozen=True):
    """`is_complete`: the history index knows all of HEAD's history."""

    refreshed: Refreshed | None
    is_complete: bool
    notices: tuple[Notice, ...] = ()


def catch_up(workspace: Workspace, *, with_history: bool = True) -> CaughtUp:
    """What every reading command does first. Costs nothing where nothing changed."""
    refreshed = None
    if workspace.memory is not None:
        refreshed = refresh(
            workspace.memory, workspace.sources, workspace.projection, workspace.present
        )
    if not with_history:
        return CaughtUp(refreshed, True)
    notices = []
    is_complete = _catch_up_history(workspace)
    if not is_complete:
        notices.append(
            Notice(
                GROWING,
                "the history index is still growing; commits and containment may be incomplete "
                "(finish it now: gitmem cache grow)",
            )
        )
    if workspace.place.is_shallow:
        notices.append(
            Notice(
                "history-cut",
                "this is a shallow clone: history before its boundary is not here "
                "(get it: git fetch --unshallow)",
            )
        )
    return CaughtUp(refreshed, is_complete, tuple(notices))


def grow_history(workspace: Workspace) -> int:
    """Index all of HEAD's history that is missing, however long it takes; resumable. The
    number of commits added."""
    head = workspace.present.head
    if head is None:
        workspace.commits.set_head(workspace.place.worktree, None, workspace.commits.get_tips())
        return 0
    tips = workspace.commits.get_tips()
    added = 0
    batch: list[Commit] = []
    stream: Iterator[Commit] = workspace.history.iter_commits([head], tips)
    for commit in stream:
        batch.append(commit)
        if len(batch) == BATCH_COMMITS:
            workspace.commits.add_commits(batch)
            added += len(batch)
            workspace.report("indexing history", added, 0)
            batch = []
    if batch:
        workspace.commits.add_commits(batch)
        added += len(batch)
    outside = workspace.history.list_outside(tips, head) if tips else []
    workspace.commits.set_head(workspace.place.worktree, head, outside)
    _project_history(workspace)
    return added


def _catch_up_history(workspace: Workspace) -> bool:
    head = workspace.present.head
    if workspace.commits.get_head(workspace.place.worktree) == head and head is not None:
        return True
    if head is None:
        return True
    if not workspace.commits.is_settled() and workspace.is_large():
        workspace.grow_in_background()
        return False
    grow_history(workspace)
    return True


def _project_history(workspace: Workspace) -> None:
    """Read segments that a commit of the past added and no place has any more: their records
    are `reverted`, or were on a branch that is gone."""
    if workspace.memory is None or workspace.memory.is_detached:
        return
    lost = workspace.commits.list_added_segments(unprojected=True)
    if lost:
        project_segments(workspace.memory, workspace.sources.objects, workspace.projection, lost)
