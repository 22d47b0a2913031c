"""Capture a decision: build the record, keep it durably, and only then say so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

import msgspec

from gitmem.core.codec import build_line
from gitmem.core.records import (
    DECISION_TYPES,
    FORMAT_VERSION,
    MAX_SEQ,
    Decision,
    Line,
    PathRef,
    Rejected,
)
from gitmem.core.redaction import redact_text
from gitmem.core.timestamps import format_at
from gitmem.errors import BadRecord, NotFound, Refused, UsageError
from gitmem.services.catch_up import catch_up
from gitmem.services.likeness import find_alike
from gitmem.services.pending import list_pending
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.folder_writing import write_segments
from gitmem.store.spool import (
    Spooled,
    highest_spooled_seq,
    remove_spooled,
    write_pending,
    write_private,
)

MAX_SUMMARY = 500


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of a decision. `commits` are the explained ones, full ids. `agent`
    is the one that wrote it down for the person, with its `model` where that is known."""

    summary: str
    why: str | None = None
    type: str = "decision"
    rejected: tuple[Rejected, ...] = ()
    paths: tuple[PathRef, ...] = ()
    supersedes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    is_private: bool = False
    key: str | None = None
    agent: str | None = None
    model: str | None = None


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """The record that was kept. `replaced` names a pending one that it took the place of."""

    id: str
    summary: str
    type: str
    paths: tuple[str, ...]
    private: bool
    replaced: str | None = None
    notices: tuple[Notice, ...] = ()


def capture(workspace: Workspace, draft: Draft) -> Captured:
    """Keep a decision in this work tree's spool, or among the private records.

    Raises UsageError for a draft that is no decision, NoMemory, CannotWrite. Whatever looks
    like a secret is taken out before a byte is written, and named in a notice.
    """
    catch_up(workspace, with_history=False)
    line, notices = build_decision(workspace, draft)
    is_private = _keep(workspace, draft, line)
    notices += (*_unknown_files(workspace, draft.paths), *find_alike(workspace, line))
    return _captured(line, is_private, None, notices)


def _unknown_files(workspace: Workspace, refs: Sequence[PathRef]) -> list[Notice]:
    """A notice for each name that no file has or ever had: mistyped, perhaps."""
    root = workspace.place.work_tree
    if root is None:
        return []
    missing = [r.path for r in refs if not r.encoded and not os.path.lexists(root / r.path)]
    return [
        Notice("no-such-file", f"there is no {path} here; the decision names it all the same")
        for path in missing
        if path not in workspace.records.match_paths(path, limit=50)
    ]


def _keep(workspace: Workspace, draft: Draft, line: Line) -> bool:
    """Keep a record where it belongs; whether that is among the private ones. What takes the
    place of a private record is private, too: it would tell of it."""
    memory = workspace.get_memory()
    replaced = workspace.records.get_held(draft.supersedes, memory.worktree)
    is_private = draft.is_private or any(
        one.places.where(detached=memory.is_detached) == "private" for one in replaced
    )
    if is_private:
        write_private(memory.clone, line)
    else:
        write_pending(memory.clone, memory.worktree, line)
    return is_private


def amend(workspace: Workspace, change: Callable[[Decision], Draft]) -> Captured:
    """Replace the last decision this work tree captured, while it is pending.

    The new record is kept before the old one is withdrawn."""
    catch_up(workspace, with_history=False)
    last = find_last_pending(workspace)
    old = last.line.record
    if not isinstance(old, Decision):
        raise Refused(
            "the last thing captured here is no decision", hint="Take it back: gitmem undo"
        )
    draft = msgspec.structs.replace(change(old), key=old.key)
    line, notices = build_decision(workspace, draft)
    is_private = draft.is_private
    if line.id != old.id or is_private:
        is_private = _keep(workspace, draft, line)
        remove_spooled([last])
    return _captured(line, is_private, old.id, notices)


def find_last_pending(workspace: Workspace) -> Spooled:
    """The newest decision in this work tree's spool that nothing has carried further.

    Raises NotFound where there is none."""
    mine = [one.spooled for one in list_pending(workspace) if not one.places.own]
    if not mine:
        raise NotFound(
            "nothing is pending here that could still be changed",
            hint="Change a shared decision with: gitmem edit ID",
        )
    return max(mine, key=lambda s: (s.line.record.seq, s.line.id))


def flush(workspace: Workspace, ids: Iterable[str] | None = None) -> list[str]:
    """Write what is pending in this work tree into the tracked folder, as new segments; the
    paths to stage. The spool keeps its copies until they are safe elsewhere."""
    memory = workspace.get_memory()
    if memory.folder is None:
        raise UsageError("this memory has no tracked folder", hint="Share it with: gitmem push")
    wanted = set(ids) if ids is not None else None
    lines = [
        one.spooled.line
        for one in list_pending(workspace)
        if not one.places.work and (wanted is None or one.spooled.line.id in wanted)
    ]
    return write_segments(memory.folder.parent, lines) if lines else []


def build_decision(workspace: Workspace, draft: Draft) -> tuple[Line, tuple[Notice, ...]]:
    """The record of a draft, redacted; nothing is written. Raises UsageError."""
    _check(draft)
    clean, kinds = _redact(draft)
    actor = workspace.get_actor()
    if draft.agent is not None:
        actor = msgspec.structs.replace(actor, agent=draft.agent, model=draft.model)
    fields = {
        "kind": "decision",
        **_heading(workspace),
        "actor": actor,
        "key": draft.key or workspace.clock.random_hex(16),
        "type": clean.type,
        "summary": clean.summary,
        "why": clean.why or None,
        "rejected": clean.rejected or None,
        "paths": clean.paths,
        "supersedes": clean.supersedes or None,
        "tags": clean.tags or None,
        "commits": clean.commits or None,
        "branch": workspace.place.branch,
        "base": workspace.present.head or "",
        "captured_by": "human" if draft.agent is None else "agent",
    }
    notices: tuple[Notice, ...] = ()
    if kinds:
        message = f"taken out before writing: {', '.join(kinds)} (rotate it if it was real)"
        notices = (Notice("secret-redacted", message),)
    try:
        return build_line(fields), notices
    except BadRecord as error:
        raise UsageError(f"this is not a decision that can be kept: {error.message}") from None


def build_tombstone(workspace: Workspace, target: str, mode: str, reason: str) -> Line:
    """The record that withdraws another; nothing is written."""
    return build_line(
        {
            "kind": "tombstone",
            **_heading(workspace),
            "actor": workspace.get_actor(),
            "target": target,
            "mode": mode,
            "reason": redact_text(reason)[0] or None,
        }
    )


def _heading(workspace: Workspace) -> dict[str, object]:
    """What every record begins with. The seq is beyond all this clone has seen of its project
    and, being so, beyond all the record refers to."""
    memory = workspace.get_memory()
    seen = workspace.records.get_counts(workspace.place.worktree).max_seq
    highest = max(seen, highest_spooled_seq(memory.clone))
    return {
        "v": FORMAT_VERSION,
        "project": memory.project_id,
        "at": format_at(workspace.clock.now_ms()),
        "seq": min(highest + 1, MAX_SEQ),
    }


def _check(draft: Draft) -> None:
    if not draft.summary.strip():
        raise UsageError(
            "a decision needs a summary", hint='Say it in one line: gitmem capture -m "…"'
        )
    if "\n" in draft.summary or len(draft.summary) > MAX_SUMMARY:
        raise UsageError(f"the summary must be one line of at most {MAX_SUMMARY} characters")
    if draft.type not in DECISION_TYPES:
        raise UsageError(
            f"unknown type {draft.type!r}", hint=f"One of: {', '.join(DECISION_TYPES)}"
        )


def _redact(draft: Draft) -> tuple[Draft, list[str]]:
    kinds: set[str] = set()

    def clean(text: str) -> str:
        redacted, found = redact_text(text)
        kinds.update(found)
        return redacted

    cleaned = msgspec.structs.replace(
        draft,
        summary=clean(draft.summary.strip()),
        why=clean(draft.why.strip()) if draft.why else None,
        rejected=tuple(Rejected(clean(r.option), clean(r.reason)) for r in draft.rejected),
        tags=tuple(clean(tag) for tag in draft.tags),
    )
    return cleaned, sorted(kinds)


def _captured(
    line: Line, private: bool, replaced: str | None, notices: tuple[Notice, ...]
) -> Captured:
    record = line.record
    assert isinstance(record, Decision)
    return Captured(
        id=record.id,
        summary=record.summary,
        type=record.type,
        paths=tuple(ref.path for ref in record.paths),
        private=private,
        replaced=replaced,
        notices=notices,
    )
