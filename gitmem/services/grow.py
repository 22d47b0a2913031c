"""Growing what is derived: the projection of records, and the index of history.

Loaded only when something changed since the last command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitmem.store.union import Refreshed, project_segments, refresh

if TYPE_CHECKING:
    from gitmem.core.history import Commit
    from gitmem.services.workspace import Workspace

BATCH_COMMITS = 2000


def refresh_memory(workspace: Workspace) -> Refreshed:
    """Project what records came since the cache last looked. Raises NoMemory."""
    return refresh(
        workspace.get_memory(),
        workspace.sources,
        workspace.projection,
        workspace.facts,
        workspace.present,
        workspace.report,
    )


def grow_history(workspace: Workspace) -> int:
    """Index all of HEAD's history that is missing, however long it takes; resumable. The
    number of commits added."""
    head = workspace.present.head
    growth = workspace.growth
    tips = workspace.commits.get_tips()
    if head is None:
        growth.set_head(workspace.place.worktree, None, tips)
        return 0
    added = 0
    batch: list[Commit] = []
    for commit in workspace.history.iter_commits([head], tips):
        batch.append(commit)
        if len(batch) == BATCH_COMMITS:
            growth.add_commits(batch)
            added += len(batch)
            workspace.report("indexing history", added, 0)
            batch = []
    if batch:
        growth.add_commits(batch)
        added += len(batch)
    outside = workspace.history.list_outside(tips, head) if tips else []
    growth.set_head(workspace.place.worktree, head, outside)
    _project_history(workspace)
    return added


def _project_history(workspace: Workspace) -> None:
    """Read segments that a commit of the past added and no place has any more: their records
    are `reverted`, or were on a branch that is gone."""
    if workspace.memory is None or workspace.memory.is_detached:
        return
    lost = workspace.growth.list_added_segments(unprojected=True)
    if lost:
        project_segments(
            workspace.memory,
            workspace.sources.objects,
            workspace.projection,
            lost,
            workspace.report,
        )
