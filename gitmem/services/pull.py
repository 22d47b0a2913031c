"""Fetch every other writer's records from the remotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from gitmem.core.refnames import (
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_prefix,
    format_fetched_ref,
    parse_writer_ref,
)
from gitmem.core.remote_key import strip_userinfo
from gitmem.ports.transport import Transport
from gitmem.services.catch_up import catch_up
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.writer import find_writer

MAX_WRITERS = 100_000


class Pulled(msgspec.Struct, frozen=True, kw_only=True):
    """`added` records are new to this clone; `writers` is how many refs brought something.
    `has_memory` is False where neither this clone nor the remotes have one."""

    remotes: tuple[str, ...]
    writers: int
    added: int
    has_memory: bool
    notices: tuple[Notice, ...] = ()


def pull(
    workspace: Workspace,
    transport: Transport,
    remotes: Sequence[str],
    *,
    reopen: Callable[[], Workspace],
) -> Pulled:
    """Fetch what the remotes' writers have that this clone lacks, and project it.

    Raises RemoteError and its kinds of the first remote that fails, after those before it
    have been taken in.
    """
    before = _count(workspace)
    fetched = 0
    try:
        for remote in remotes:
            fetched += _fetch(workspace, transport, remote)
    finally:
        after = reopen() if fetched else workspace
        caught_up = catch_up(after)
    return Pulled(
        remotes=tuple(strip_userinfo(remote) for remote in remotes),
        writers=fetched,
        added=max(0, _count(after) - before),
        has_memory=after.memory is not None,
        notices=caught_up.notices,
    )


def _count(workspace: Workspace) -> int:
    if workspace.memory is None:
        return 0
    catch_up(workspace, with_history=False)
    return workspace.records.get_counts(workspace.place.worktree).records


def _fetch(workspace: Workspace, transport: Transport, remote: str) -> int:
    own = find_writer(workspace.clone)
    local = workspace.sources.memory_refs.list_refs(format_fetched_prefix(remote))
    refspecs: list[tuple[str, str]] = []
    for ref, oid in sorted(transport.list_refs(remote, OWN_PREFIX, HEADS_PREFIX).items()):
        writer = parse_writer_ref(ref)
        if writer is None or writer == own:
            continue
        destination = format_fetched_ref(remote, writer)
        if local.get(destination) != oid and len(refspecs) < MAX_WRITERS:
            refspecs.append((ref, destination))
    if refspecs:
        workspace.report(f"fetching {len(refspecs)} writers", 0, 0)
        transport.fetch(remote, refspecs)
    return len(refspecs)
