"""Take idle writers' records over and delete their refs, which burden everybody's push."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gitmem.core.records import Line
from gitmem.core.refnames import (
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_prefix,
    format_fetched_ref,
    parse_writer_ref,
)
from gitmem.core.segments import MAX_SEGMENT_BYTES, decode_segment
from gitmem.core.timestamps import parse_at
from gitmem.errors import Damaged
from gitmem.ports.transport import Transport
from gitmem.services.catch_up import catch_up
from gitmem.services.push import extend_chain, push
from gitmem.services.workspace import Workspace
from gitmem.store.project_file import Project
from gitmem.store.segment_reading import keep_project
from gitmem.store.trees import list_shelf, list_shelves
from gitmem.store.writer import find_writer

DAY_MS = 24 * 60 * 60 * 1000


class Retired(msgspec.Struct, frozen=True, kw_only=True):
    """`writers` whose refs are gone from the remote (or would be), and the `records` of theirs
    that this clone's own ref holds now; `kept` says why a writer was left alone."""

    writers: tuple[str, ...] = ()
    records: int = 0
    kept: dict[str, str] = {}


def retire_writers(
    workspace: Workspace,
    transport: Transport,
    remote: str,
    project: Project,
    *,
    idle_days: int,
    as_branch: bool,
    is_dry_run: bool,
    reopen: Callable[[], Workspace],
) -> Retired:
    """Adopt what writers of a remote recorded whose newest record is older than `idle_days`,
    push it, and only when that is confirmed delete their refs, each with a lease on the value
    that was read. A ref that moved meanwhile, or that cannot be read whole, stays.

    Raises RemoteError and its kinds; then every ref is still there.
    """
    memory = workspace.get_memory()
    place = format_fetched_prefix(remote)
    transport.fetch(remote, [(f"{OWN_PREFIX}*", f"{place}*"), (f"{HEADS_PREFIX}*", f"{place}*")])
    own = find_writer(memory.clone)
    before = workspace.clock.now_ms() - idle_days * DAY_MS
    idle: dict[str, tuple[str, str]] = {}
    lines: dict[str, Line] = {}
    kept: dict[str, str] = {}
    for ref, oid in sorted(transport.list_refs(remote, OWN_PREFIX, HEADS_PREFIX).items()):
        writer = parse_writer_ref(ref)
        if writer is None or writer == own:
            continue
        if workspace.sources.memory_refs.find_ref(format_fetched_ref(remote, writer)) != oid:
            kept[writer] = "its ref moved meanwhile"
            continue
        try:
            found = _read_writer(workspace, oid)
        except Damaged as error:
            kept[writer] = error.message
            continue
        if found and max(parse_at(line.record.at) for line in found) < before:
            idle[ref] = (writer, oid)
            lines.update((line.id, line) for line in found)
    writers = tuple(sorted({writer for writer, _ in idle.values()}))
    if is_dry_run or not idle:
        return Retired(writers=writers, records=len(lines), kept=kept)
    _adopt(reopen(), project, lines)
    push(reopen(), transport, remote, project, as_branch=as_branch, reopen=reopen)
    gone = set()
    for ref, (writer, oid) in idle.items():
        result = transport.delete(remote, ref, oid)
        if result.is_accepted:
            gone.add(writer)
            _forget(reopen(), remote, writer)
        else:
            kept[writer] = result.reason or "its ref moved meanwhile"
    return Retired(writers=tuple(sorted(gone)), records=len(lines), kept=kept)


def _read_writer(workspace: Workspace, oid: str) -> list[Line]:
    """Every record of a writer's tree. Raises Damaged where some of it cannot be read: what
    is not read here cannot be adopted."""
    objects = workspace.sources.memory_objects
    project_id = workspace.get_memory().project_id
    lines: list[Line] = []
    for shelf in list_shelves(objects, f"{oid}:records"):
        names = {ref.blob: ref for ref in list_shelf(objects, shelf)}
        for blob in objects.iter_blobs(list(names), MAX_SEGMENT_BYTES):
            ref = names[blob.oid]
            if blob.data is None:
                raise Damaged(f"segment {ref.name} is not here whole")
            segment = keep_project(decode_segment(ref, blob.data, ref.name), project_id)
            if segment.problems:
                raise Damaged(f"segment {ref.name}: {segment.problems[0].detail}")
            lines += segment.lines
    return lines


def _adopt(workspace: Workspace, project: Project, lines: dict[str, Line]) -> None:
    """Write the records on this clone's own ref; the redacted ones, whose text is to go with
    the ref, and those it has already, aside."""
    catch_up(workspace, with_history=False)
    own = workspace.records.list_ids("own")
    held = workspace.records.get_held(lines, workspace.place.worktree)
    redacted = {one.record.id for one in held if one.is_withheld}
    fresh = [line for line in lines.values() if line.id not in own | redacted]
    extend_chain(workspace, project, fresh)


def _forget(workspace: Workspace, remote: str, writer: str) -> None:
    refs = workspace.sources.memory_refs
    name = format_fetched_ref(remote, writer)
    oid = refs.find_ref(name)
    if oid is not None:
        refs.delete_ref(name, oid)
