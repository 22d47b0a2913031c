"""Fetch every other writer's records from the remotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from gitmem.core.refnames import (
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_prefix,
    parse_fetched_ref,
)
from gitmem.core.remote_key import strip_userinfo
from gitmem.ports.transport import Transport
from gitmem.services.catch_up import catch_up
from gitmem.services.pending import drop_redacted
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.writer import find_writer


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
    if after.memory is not None:
        drop_redacted(after)
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
    """Fetch every writer's ref in one conversation; how many others' brought something.

    The remote's copy of this clone's own ref comes along, to a name beside the others': it
    says what has been confirmed there, and is never mixed with the ref itself.
    """
    refs = workspace.sources.memory_refs
    place = format_fetched_prefix(remote)
    before = refs.list_refs(place)
    workspace.report("fetching", 0, 0)
    transport.fetch(remote, [(f"{OWN_PREFIX}*", f"{place}*"), (f"{HEADS_PREFIX}*", f"{place}*")])
    own = find_writer(workspace.clone)
    return sum(
        1
        for ref, oid in refs.list_refs(place).items()
        if before.get(ref) != oid and _is_others(ref, own)
    )


def _is_others(ref: str, own: str | None) -> bool:
    parsed = parse_fetched_ref(ref)
    return parsed is not None and parsed[1] != own
