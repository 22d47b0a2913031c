"""Review what is pending: accept, edit, keep private or drop, one decision at a time."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gitmem.core.records import Decision
from gitmem.errors import NotFound
from gitmem.services.capture import Draft, build_decision
from gitmem.services.hits import Hit, find_hits
from gitmem.services.pending import Pending, list_pending
from gitmem.services.workspace import Workspace
from gitmem.store.reviewed import read_reviewed, write_reviewed
from gitmem.store.spool import remove_spooled, write_pending, write_private


class Reviewable(msgspec.Struct, frozen=True):
    """A pending decision, and as an answer shows it."""

    pending: Pending
    hit: Hit


def list_reviewable(workspace: Workspace, *, with_all: bool) -> list[Reviewable]:
    """This work tree's pending decisions that an agent captured and nobody accepted yet; with
    all, everybody's. What is on this clone's ref is shared already: retract or edit it."""
    accepted = set() if with_all else read_reviewed(workspace.clone)
    chosen = {}
    for one in list_pending(workspace):
        record = one.spooled.line.record
        if not isinstance(record, Decision) or one.places.own or record.id in accepted:
            continue
        if with_all or record.captured_by == "agent":
            chosen[record.id] = one
    hits = sorted(find_hits(workspace, chosen), key=lambda hit: (hit.seq, hit.id or ""))
    return [Reviewable(chosen[hit.id], hit) for hit in hits if hit.id in chosen]


def accept(workspace: Workspace, ids: Iterable[str]) -> None:
    """Note that a person stands by these; the records stay as they are."""
    pending = {one.spooled.line.id for one in list_pending(workspace, everywhere=True)}
    known = read_reviewed(workspace.clone) | set(ids)
    write_reviewed(workspace.clone, known & pending)


def rephrase(workspace: Workspace, one: Reviewable, draft: Draft) -> str:
    """Put a better wording in its place, under the same key; the new id. The new record is
    kept before the old one goes."""
    memory = workspace.get_memory()
    old = one.pending.spooled.line.record
    assert isinstance(old, Decision)
    draft = msgspec.structs.replace(draft, key=old.key, paths=old.paths)
    line, _ = build_decision(workspace, draft)
    if line.id != old.id:
        write_pending(memory.clone, memory.worktree, line)
        remove_spooled([one.pending.spooled])
    return line.id


def keep_private(workspace: Workspace, one: Reviewable) -> None:
    """Make it a record that never leaves this clone."""
    write_private(workspace.clone, one.pending.spooled.line)
    remove_spooled([one.pending.spooled])


def drop(workspace: Workspace, one: Reviewable) -> None:
    """Take it out. Raises NotFound where it went meanwhile."""
    if not one.pending.spooled.file.exists():
        raise NotFound(f"{one.hit.summary!r} is not pending any more")
    remove_spooled([one.pending.spooled])
