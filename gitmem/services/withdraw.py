"""Take back: undo what is pending, retract and restore what is shared, redact for good."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gitmem.core.records import Decision, Line
from gitmem.errors import NotFound, Refused
from gitmem.services.capture import build_tombstone, find_last_pending
from gitmem.services.catch_up import catch_up
from gitmem.services.embedding import forget_withheld
from gitmem.services.hits import Hit, find_hits
from gitmem.services.paths import resolve_id
from gitmem.services.workspace import Workspace
from gitmem.store.forgetting import forget_request, forget_turn
from gitmem.store.spool import (
    find_spooled,
    iter_spooled,
    remove_spooled,
    write_pending,
    write_private,
)


class Withdrawn(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to `target`. `id` is the tombstone's, None where a pending record was
    simply taken out; `in_history` says whether its bytes still stand in git."""

    action: str
    target: str
    summary: str
    id: str | None = None
    in_history: bool = False


def undo(workspace: Workspace) -> Withdrawn:
    """Take out the last record this work tree captured, while it is pending.

    Raises NotFound where nothing is pending that nothing has carried further."""
    last = find_last_pending(workspace)
    remove_spooled([last])
    record = last.line.record
    if isinstance(record, Decision):
        forget_request(workspace.get_memory().clone, record.key)
    summary = record.summary if isinstance(record, Decision) else record.kind
    return Withdrawn(action="undone", target=record.id, summary=summary)


def retract(workspace: Workspace, prefix: str, reason: str) -> Withdrawn:
    """Hide a record by a tombstone. Raises NotFound, Ambiguous, and Refused where it is
    retracted already."""
    hit = _find(workspace, prefix)
    if hit.state in ("retracted", "redacted"):
        raise Refused(f"{hit.summary!r} is {hit.state} already", hint=f"gitmem show {prefix}")
    return _write_tombstone(workspace, hit, "retract", reason, "retracted")


def restore(workspace: Workspace, prefix: str, reason: str) -> Withdrawn:
    """Undo a retraction: every tombstone that retracts the record is itself retracted.

    Raises Refused where the record is not retracted, or is redacted, which is final."""
    hit = _find(workspace, prefix)
    if hit.state == "redacted":
        raise Refused("a redaction is final: the body is gone", hint="Capture it anew.")
    if not hit.retracted_by:
        raise Refused(f"{hit.summary!r} is not retracted", hint=f"gitmem show {prefix}")
    done = None
    for tombstone_id in hit.retracted_by:
        line = build_tombstone(workspace, tombstone_id, "retract", reason)
        _keep(workspace, line, hit)
        done = line.id
    return Withdrawn(action="restored", target=hit.id or "", summary=hit.summary, id=done)


def redact(
    workspace: Workspace,
    prefix: str,
    reason: str,
    confirm: Callable[[Hit], bool],
) -> Withdrawn:
    """Remove a record's body everywhere in this clone, and tell every other one to.

    `confirm` is shown the record and may say no. The tombstone is durable before anything is
    removed; projecting it takes the body out of the cache and its full-text index, its vectors
    are overwritten, and what is kept of the agent's session goes with it.
    """
    memory = workspace.get_memory()
    hit = _find(workspace, prefix)
    if hit.state == "redacted":
        raise Refused("this record is redacted already", hint=f"gitmem show {prefix}")
    if not confirm(hit):
        raise Refused("nothing was redacted")
    keys = _list_keys(workspace, hit)
    done = _write_tombstone(workspace, hit, "redact", reason, "redacted")
    shared = hit.where in ("here", "default", "elsewhere") or _is_shared(workspace, done.target)
    remove_spooled(find_spooled(memory.clone, [done.target]))
    remove_spooled(s for s in iter_spooled(memory.clone.private) if s.line.id == done.target)
    for key in keys:
        forget_turn(memory.clone, key)
    catch_up(workspace, with_history=False)
    forget_withheld(workspace)
    return msgspec.structs.replace(done, in_history=shared)


def _list_keys(workspace: Workspace, hit: Hit) -> list[str]:
    held = workspace.records.get_held([hit.id or ""], workspace.place.worktree)
    return [one.record.key for one in held if isinstance(one.record, Decision)]


def _is_shared(workspace: Workspace, record_id: str) -> bool:
    return any(record_id in workspace.records.list_ids(place) for place in ("own", "default"))


def _find(workspace: Workspace, prefix: str) -> Hit:
    workspace.get_memory()
    catch_up(workspace, with_history=False)
    hits = find_hits(workspace, [resolve_id(workspace, prefix)])
    if not hits:
        raise NotFound(f"no record {prefix} is in this memory any more")
    return hits[0]


def _write_tombstone(
    workspace: Workspace, hit: Hit, mode: str, reason: str, action: str
) -> Withdrawn:
    assert hit.id is not None
    line = build_tombstone(workspace, hit.id, mode, reason)
    _keep(workspace, line, hit)
    return Withdrawn(action=action, target=hit.id, summary=hit.summary, id=line.id)


def _keep(workspace: Workspace, line: Line, hit: Hit) -> None:
    """A tombstone goes where its target is: that of a private record stays private."""
    memory = workspace.get_memory()
    if hit.where == "private":
        write_private(memory.clone, line)
    else:
        write_pending(memory.clone, memory.worktree, line)
