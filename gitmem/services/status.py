"""`status`: what this memory holds, where it stands, and what has not been shared."""

from __future__ import annotations

import msgspec

from gitmem.core.records import Tombstone
from gitmem.core.wording import format_count
from gitmem.services.catch_up import catch_up
from gitmem.services.hits import Hit, find_hits
from gitmem.services.pending import list_pending
from gitmem.services.push import find_remote_key
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.writer import find_writer

MAX_SHOWN = 20


class PendingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A captured record that is not in a commit yet, and how far it has come. It goes with
    the next commit of one of the paths; without any, with the next commit."""

    id: str
    summary: str
    worktree: str
    on_own_ref: bool
    pushed: bool
    goes_with: tuple[str, ...] = ()


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """`records` counts the union. `unpushed` is what no remote is known to have, of what this
    clone captured; `alarms` are others' redactions that are not on the default branch."""

    project_id: str
    name: str
    remote_key: str | None
    branch: str | None
    head: str | None
    default_branch: str | None
    detached: bool
    writer: str | None
    records: int
    pending: int
    unpushed: int
    private: int
    quarantined: int
    pending_records: tuple[PendingRecord, ...] = ()
    alarms: tuple[Hit, ...] = ()
    notices: tuple[Notice, ...] = ()


def get_status(workspace: Workspace, name: str) -> Status:
    """The state of the memory here. Raises NoMemory."""
    memory = workspace.get_memory()
    caught_up = catch_up(workspace, with_history=False)
    counts = workspace.records.get_counts(workspace.place.worktree)
    writer = find_writer(memory.clone)
    own = workspace.records.list_ids("own")
    confirmed = _confirmed(workspace, writer)
    pending = _pending(workspace, confirmed)
    spooled = workspace.records.list_ids("spool:*")
    notices = list(caught_up.notices)
    if counts.quarantined:
        notices.append(
            Notice(
                "quarantine",
                f"{format_count(counts.quarantined, 'problem')} with damaged or foreign records, "
                "which are kept apart: gitmem verify",
            )
        )
    default = workspace.facts.get_memo("default-ref") or None
    return Status(
        project_id=memory.project_id,
        name=name,
        remote_key=find_remote_key(workspace),
        branch=workspace.place.branch,
        head=workspace.present.head,
        default_branch=default.removeprefix("refs/") if default else None,
        detached=memory.is_detached,
        writer=writer,
        records=counts.records,
        pending=len(pending),
        unpushed=len((spooled | own) - confirmed),
        private=counts.private,
        quarantined=counts.quarantined,
        pending_records=tuple(pending),
        alarms=_alarms(workspace),
        notices=tuple(notices),
    )


def _confirmed(workspace: Workspace, writer: str | None) -> set[str]:
    """What any remote was seen to have of this clone's own."""
    if writer is None:
        return set()
    places = workspace.facts.get_place_keys()
    mine = [p for p in places if p.startswith("fetched:") and p.endswith(f"/{writer}")]
    return set().union(*(workspace.records.list_ids(place) for place in mine))


def _pending(workspace: Workspace, confirmed: set[str]) -> list[PendingRecord]:
    rows = []
    for one in list_pending(workspace, everywhere=True):
        record = one.spooled.line.record
        if isinstance(record, Tombstone):
            found = find_hits(workspace, [record.id])
            summary = found[0].summary if found else f"{record.mode}s {record.target[:7]}"
        else:
            summary = getattr(record, "summary", record.kind)
        rows.append(
            PendingRecord(
                id=record.id,
                summary=summary,
                worktree=one.spooled.file.parent.name,
                on_own_ref=one.places.own,
                pushed=record.id in confirmed,
                goes_with=tuple(ref.path for ref in getattr(record, "paths", ())),
            )
        )
    return rows


def _alarms(workspace: Workspace) -> tuple[Hit, ...]:
    """Redactions of others' records that nobody reviewed: nothing is silenced unseen."""
    ids, _ = workspace.records.list_recent(limit=200, kind="tombstone")
    hits = find_hits(workspace, ids)
    return tuple(h for h in hits if h.unreviewed and h.summary.startswith("redact"))[:MAX_SHOWN]
