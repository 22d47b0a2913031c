"""Growing what is derived: the projection of records, and the index of history.

Loaded only when something changed since the last command."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitmem.errors import CannotWrite, Contended
from gitmem.services.catch_up import BOUNDARY, find_boundary
from gitmem.services.embedding import forget_withheld
from gitmem.store.peer_union import refresh_peer
from gitmem.store.union import Refreshed, project_segments, refresh

if TYPE_CHECKING:
    from gitmem.core.history import Commit
    from gitmem.services.workspace import Workspace

BATCH_COMMITS = 2000
MAX_TRIES = 8


def refresh_memory(workspace: Workspace) -> Refreshed:
    """Project what records came since the cache last looked, and purge the vectors of those
    that are redacted now. Raises NoMemory."""
    refreshed = refresh(
        workspace.get_memory(),
        workspace.sources,
        workspace.projection,
        workspace.facts,
        workspace.present,
        workspace.report,
    )
    with contextlib.suppress(CannotWrite, Contended):  # the next refresh tries again
        forget_withheld(workspace)
    return refreshed


def refresh_peer_memory(workspace: Workspace) -> Refreshed:
    """The same for a peer, of which only objects are read. Raises NoMemory."""
    return refresh_peer(
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
    boundary = find_boundary(workspace)
    if boundary != (workspace.facts.get_memo(BOUNDARY) or ""):
        # Commits at a boundary have no touches, and what was behind it is excluded for ever.
        workspace.growth.keep_commits((), ())
        workspace.facts.set_memo(BOUNDARY, boundary)
    if head is None:
        workspace.growth.set_head(workspace.place.worktree, None, ())
        return 0
    added = _add_commits(workspace, head)
    _settle_head(workspace, head)
    _project_history(workspace)
    return added


def _add_commits(workspace: Workspace, head: str) -> int:
    growth = workspace.growth
    added = 0
    batch: list[Commit] = []
    for commit in workspace.history.iter_commits([head], workspace.commits.get_tips()):
        batch.append(commit)
        if len(batch) == BATCH_COMMITS:
            growth.add_commits(batch)
            added += len(batch)
            workspace.report("indexing history", added, 0)
            batch = []
    if batch:
        growth.add_commits(batch)
        added += len(batch)
    return added


def _settle_head(workspace: Workspace, head: str) -> None:
    """Say what HEAD reaches, of an index that other processes make grow meanwhile, and that
    may know commits which git has thrown away since."""
    history, growth = workspace.history, workspace.growth
    for _ in range(MAX_TRIES):
        tips = workspace.commits.get_tips()
        outside = history.list_outside(tips, head)
        if outside is None:
            here = [*(commit.oid for commit in history.get_commits(tips)), head]
            kept = history.list_outside(here, None)
            if kept is not None:
                growth.keep_commits(kept, here)
        elif growth.set_head(workspace.place.worktree, head, outside, tips=tips):
            return
    raise Contended("other processes make the index of history grow all the time")


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
