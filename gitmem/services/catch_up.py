"""Bring what is derived in step, before any answer: free where nothing changed."""

from __future__ import annotations

import hashlib

import msgspec

from gitmem.errors import CannotWrite, PartMissing
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.stamps import is_fresh

GROWING = Notice(
    "history-growing",
    "the index of history is still being built, so commits may be missing here "
    "(finish it now: gitmem cache grow)",
)
CUT = Notice(
    "history-cut",
    "this is a shallow clone: history before its boundary is not here "
    "(get it: git fetch --unshallow)",
)
UNREAD = Notice(
    "history-unread",
    "there is no git executable on the PATH: commit messages and blame are not read",
)
BOUNDARY = "history-boundary"
"""The memo that says at which boundary the index of history was made."""
STALE = "the cache cannot grow, so what came last may be missing from this answer"


class CaughtUp(msgspec.Struct, frozen=True):
    """`is_complete`: the history index knows all of HEAD's history."""

    is_complete: bool
    notices: tuple[Notice, ...] = ()


def catch_up(workspace: Workspace, *, with_history: bool = True) -> CaughtUp:
    """What every command does first. Reading ones take history along, and answer from what
    the cache had, saying so, where it cannot grow (a full disk)."""
    if not with_history:
        _catch_up_records(workspace)
        return CaughtUp(True)
    is_complete = False
    notices: tuple[Notice, ...] = ()
    try:
        _catch_up_records(workspace)
        is_complete = _catch_up_history(workspace)
        notices = () if is_complete else (GROWING,)
    except PartMissing:
        notices = (UNREAD,)
    except CannotWrite as error:
        notices = (Notice("cache-stale", f"{STALE}: {error.message}"),)
    if workspace.place.is_shallow:
        notices = (*notices, CUT)
    return CaughtUp(is_complete, notices)


def _catch_up_records(workspace: Workspace) -> None:
    memory, facts = workspace.memory, workspace.facts
    if memory is not None and not is_fresh(
        memory, workspace.present, facts.get_place_keys(), facts.get_memo("refs")
    ):
        workspace.refresh(workspace)


def find_boundary(workspace: Workspace) -> str:
    """Where the history that is here was cut off: a digest; "" for a whole one."""
    if not workspace.place.is_shallow:
        return ""
    text = "\n".join(sorted(workspace.history.list_shallow()))
    return hashlib.sha256(text.encode()).hexdigest()


def _catch_up_history(workspace: Workspace) -> bool:
    """Whether all of HEAD's history is in the index now."""
    head = workspace.present.head
    if head is None or (
        workspace.commits.get_head(workspace.place.worktree) == head
        and find_boundary(workspace) == (workspace.facts.get_memo(BOUNDARY) or "")
    ):
        return True
    if not workspace.commits.is_settled() and workspace.is_large():
        workspace.grow_in_background()
        return False
    workspace.grow(workspace)
    return True
