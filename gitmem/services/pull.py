"""Fetch every other writer's records from the remotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.refnames import (
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_prefix,
    parse_fetched_ref,
)
from gitmem.core.remote_key import strip_userinfo
from gitmem.core.wording import format_count
from gitmem.errors import Damaged, ForeignFolder, NewerFormat
from gitmem.ports.transport import Transport
from gitmem.services.catch_up import catch_up
from gitmem.services.pending import drop_redacted
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.project_file import PROJECT_NAME, parse_project
from gitmem.store.writer import find_writer

if TYPE_CHECKING:
    from gitmem.services.take_vectors import Taken

MAX_ASKED = 1000
"""Of so many writers of a remote it is asked whose project they belong to."""
MAX_ANSWERS = 50
MAX_ANSWER_BYTES = 16 * 1024


class Pulled(msgspec.Struct, frozen=True, kw_only=True):
    """`added` records are new to this clone; `writers` is how many refs brought something.
    `has_memory` is False where neither this clone nor the remotes have one. `vectors` is how
    many were taken over from what writers share."""

    remotes: tuple[str, ...]
    writers: int
    added: int
    has_memory: bool
    vectors: int = 0
    notices: tuple[Notice, ...] = ()


def pull(
    workspace: Workspace,
    transport: Transport,
    remotes: Sequence[str],
    *,
    take_vectors: Callable[[Workspace], Taken | None],
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
    notices = caught_up.notices
    vectors = 0
    if after.memory is not None:
        drop_redacted(after)
        if fetched:
            taken = take_vectors(after)
            if taken is not None:
                vectors, notices = taken.taken, (*notices, *taken.notices)
        notices += tuple(
            notice
            for remote in remotes
            if (notice := _note_strangers(after, remote, after.memory.project_id)) is not None
        )
    return Pulled(
        remotes=tuple(strip_userinfo(remote) for remote in remotes),
        writers=fetched,
        added=max(0, _count(after) - before),
        has_memory=after.memory is not None,
        vectors=vectors,
        notices=notices,
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


def _note_strangers(workspace: Workspace, remote: str, project_id: str) -> Notice | None:
    """A notice where writers of a remote say that they belong to another project: none of
    their records is taken."""
    objects = workspace.sources.memory_objects
    refs = workspace.sources.memory_refs.list_refs(format_fetched_prefix(remote))
    tips = list(refs.values())[:MAX_ASKED]
    said = [objects.find_oid(f"{tip}:{PROJECT_NAME}") for tip in tips]
    blobs = list(dict.fromkeys(oid for oid in said if oid is not None))[:MAX_ANSWERS]
    strange = {
        blob.oid
        for blob in objects.iter_blobs(blobs, MAX_ANSWER_BYTES)
        if blob.data is not None and _find_project_id(blob.data) not in (None, project_id)
    }
    count = sum(oid in strange for oid in said)
    if not count:
        return None
    return Notice(
        "other-project",
        f"of another project, and not taken: the records of {format_count(count, 'clone')} on "
        f"{strip_userinfo(remote)} (compare project_id in .gitmem/project.toml)",
    )


def _find_project_id(data: bytes) -> str | None:
    try:
        return parse_project(data).project_id
    except (ForeignFolder, Damaged, NewerFormat):
        return None


def _is_others(ref: str, own: str | None) -> bool:
    parsed = parse_fetched_ref(ref)
    return parsed is not None and parsed[1] != own
