"""List and show: `log` and `show`."""

from __future__ import annotations

import msgspec

from gitmem.core.history import IndexedCommit, PathSpan
from gitmem.core.paths import fold_path
from gitmem.errors import NotFound, UsageError
from gitmem.services.catch_up import catch_up
from gitmem.services.hits import Hit, commit_hit, find_hits
from gitmem.services.paths import resolve_id
from gitmem.services.targets import resolve_target
from gitmem.services.workspace import Notice, Workspace


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Hits in order, and how many there are in all."""

    hits: tuple[Hit, ...]
    total: int
    notices: tuple[Notice, ...] = ()


def list_log(workspace: Workspace, path: str | None, *, limit: int) -> Listing:
    """Decisions and tombstones, newest first, of everything or of a path; without a memory,
    the commits that carry a reason."""
    caught_up = catch_up(workspace)
    notices = caught_up.notices
    if workspace.memory is None:
        return _list_reasons(workspace, path, limit, notices)
    if path is None:
        ids, total = workspace.records.list_recent(limit=limit)
    else:
        target = resolve_target(workspace, path)
        paths = [fold_path(target.name)]
        if target.kind != "folder":
            spans = workspace.commits.list_names(target.name, workspace.place.worktree)
            paths = list(dict.fromkeys(fold_path(span.path) for span in spans))
        ids, total = workspace.records.list_by_paths(paths, limit=limit)
    return Listing(hits=tuple(find_hits(workspace, ids)), total=total, notices=notices)


def _list_reasons(
    workspace: Workspace, path: str | None, limit: int, notices: tuple[Notice, ...]
) -> Listing:
    worktree = workspace.place.worktree
    spans = [PathSpan("")]
    if path is not None:
        target = resolve_target(workspace, path)
        is_folder = target.kind == "folder"
        name = target.name
        spans = [PathSpan(name)] if is_folder else workspace.commits.list_names(name, worktree)
    found = workspace.commits.list_commits(spans, worktree, limit=limit, with_reason=True)
    total = workspace.commits.count_commits(spans, worktree)[1]
    return Listing(hits=tuple(commit_hit(one) for one in found), total=total, notices=notices)


def show(workspace: Workspace, prefix: str) -> tuple[Hit, tuple[Notice, ...]]:
    """One record, or one commit. Raises NotFound, Ambiguous."""
    caught_up = catch_up(workspace)
    try:
        record_id = resolve_id(workspace, prefix)
    except (NotFound, UsageError):
        commit = _find_commit(workspace, prefix)
        if commit is None:
            raise
        return commit_hit(commit), caught_up.notices
    hits = find_hits(workspace, [record_id])
    if not hits:
        raise NotFound(f"no record {prefix} is in this memory any more")
    return hits[0], caught_up.notices


def _find_commit(workspace: Workspace, prefix: str) -> IndexedCommit | None:
    oid = workspace.sources.objects.find_commit(prefix)
    if oid is None:
        return None
    found = workspace.commits.find_commits(oid, limit=1)
    return found[0] if found else None
