"""Hits: records and commits as answers show them, with their standing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from gitmem.core.fold import Standing, State, Statement, fold
from gitmem.core.history import IndexedCommit
from gitmem.core.records import Actor, Decision, PathRef, Rejected, Tombstone
from gitmem.core.timestamps import format_at, parse_at
from gitmem.core.trailers import cut_trailers, find_decision
from gitmem.core.view import Held, Where
from gitmem.errors import UsageError
from gitmem.services.workspace import Workspace

REDACTED = "(redacted)"
_PORTION = 200


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found. Field names equal the record's where they mean the same.

    `project` is "." for this one; `mention` is what of this project a peer's decision names.
    `commit` is the commit that a decision stands in, or that the hit is. `commits_since`
    counts the commits to the asked path after it. `target` is the record that a tombstone is
    about. A chunk of a note begins at `line` of its path, under `heading`.
    """

    project: str = "."
    kind: str
    id: str | None = None
    commit: str | None = None
    type: str | None = None
    summary: str = ""
    why: str | None = None
    at: str = ""
    seq: int = 0
    actor: Actor | None = None
    paths: tuple[PathRef, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    tags: tuple[str, ...] = ()
    branch: str | None = None
    state: State = "current"
    where: Where = "here"
    uncommitted: bool = False
    unreviewed: bool = False
    superseded_by: tuple[str, ...] = ()
    superseded_elsewhere: tuple[str, ...] = ()
    retracted_by: tuple[str, ...] = ()
    redacted_by: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    reverted_by: str | None = None
    reason: str | None = None
    commits_since: int | None = None
    via: str | None = None
    target: str | None = None
    mention: str | None = None
    heading: str | None = None
    line: int | None = None


def find_hits(workspace: Workspace, ids: Iterable[str], *, as_of: int | None = None) -> list[Hit]:
    """The records with these ids and their standing, newest first by (seq, id). A tombstone
    names what it is about. `as_of` (milliseconds): those that were there then, and the
    standing that they had, but for redactions, which hold for all times."""
    hits = _find(workspace, ids, as_of)
    targets = {hit.target for hit in hits if hit.target is not None}
    if not targets:
        return hits
    names = {hit.id: hit.summary for hit in _find(workspace, targets, as_of)}
    return [_name_target(hit, names) for hit in hits]


def iter_hits(workspace: Workspace, ids: Iterable[str]) -> Iterator[Hit]:
    """The same for any number of records, in portions, each newest first: what is about many
    records at once is bounded in all, so that rivals of a few would be left out."""
    waiting = list(dict.fromkeys(ids))
    for start in range(0, len(waiting), _PORTION):
        yield from find_hits(workspace, waiting[start : start + _PORTION])


def _counts_at(held: Held, as_of: int) -> bool:
    record = held.record
    if isinstance(record, Tombstone) and record.mode == "redact":
        return True
    try:
        return parse_at(record.at) <= as_of
    except ValueError:
        return False


def _name_target(hit: Hit, names: Mapping[str | None, str]) -> Hit:
    if hit.target is None or names.get(hit.target, REDACTED) == REDACTED:
        return hit
    return msgspec.structs.replace(hit, summary=f"{hit.summary}: {names[hit.target]}")


def _find(workspace: Workspace, ids: Iterable[str], as_of: int | None) -> list[Hit]:
    wanted = set(ids)
    if not wanted:
        return []
    about = workspace.records.list_about(wanted)
    held = workspace.records.get_held(about | wanted, workspace.place.worktree)
    if as_of is not None:
        held = [one for one in held if _counts_at(one, as_of)]
    standings = fold((_statement(one, workspace.is_detached) for one in held), wanted)
    by_id = {one.record.id: one for one in held}
    reviewer = _Reviewer(workspace)
    hits = [
        _build_hit(by_id, one, standings[one.record.id], reviewer)
        for one in held
        if one.record.id in wanted
    ]
    return sorted(hits, key=lambda hit: (-hit.seq, hit.id or ""))


def commit_hit(commit: IndexedCommit, *, via: str | None = None) -> Hit:
    """A commit as a hit: its subject, and its body as the why. Where its trailers state a
    decision, it is that decision, identified by the commit."""
    # Some tools write messages with the line ends of another system.
    message = commit.message.replace("\r\n", "\n")
    subject, _, body = message.partition("\n")
    hit = Hit(
        kind="commit",
        commit=commit.oid,
        summary=subject.strip(),
        why=body.strip("\n") or None,
        at=format_at(commit.at * 1000),
        actor=Actor(commit.author or "unknown"),
        paths=(PathRef(commit.path),) if commit.path else (),
        via=via,
    )
    said = find_decision(message)
    if said is None:
        return hit
    prose = cut_trailers(message).partition("\n")[2].strip("\n")
    reasons = [said.why, *said.more] if said.why else [prose, *said.more]
    return msgspec.structs.replace(
        hit,
        type="decision",
        summary=said.summary or hit.summary,
        why="\n".join(reason for reason in reasons if reason) or None,
        rejected=said.rejected,
        tags=said.tags,
    )


def _statement(held: Held, detached: bool) -> Statement:
    reverted = held.places.is_reverted(detached=detached)
    return Statement(
        held.record,
        held.places.is_in_view(detached=detached),
        (held.removed_by or held.added_by or "unknown") if reverted else None,
    )


def _build_hit(by_id: dict[str, Held], held: Held, standing: Standing, reviewer: _Reviewer) -> Hit:
    record = held.record
    hit = Hit(
        kind=record.kind,
        id=record.id,
        at=record.at,
        seq=record.seq,
        actor=record.actor,
        commit=held.added_by,
        state=standing.state,
        reverted_by=held.removed_by if standing.state == "reverted" else None,
        where=held.places.where(detached=reviewer.is_detached),
        uncommitted=held.places.is_uncommitted,
        unreviewed=reviewer.is_unreviewed(held),
        superseded_by=standing.superseded_by,
        superseded_elsewhere=standing.superseded_elsewhere,
        retracted_by=standing.retracted_by,
        redacted_by=standing.redacted_by,
        conflicts_with=standing.conflicts_with,
        reason=_reason(by_id, standing),
    )
    if isinstance(record, Decision) and not standing.redacted_by:
        return msgspec.structs.replace(
            hit,
            type=record.type,
            summary=record.summary,
            why=record.why,
            paths=record.paths,
            rejected=record.rejected,
            tags=record.tags,
            branch=record.branch,
            commit=held.added_by or (record.commits[0] if record.commits else None),
        )
    if isinstance(record, Tombstone):
        return msgspec.structs.replace(
            hit,
            summary=f"{record.mode}s {record.target[:7]}",
            why=record.reason or None,
            target=record.target,
        )
    if held.is_withheld or standing.redacted_by:
        return msgspec.structs.replace(hit, summary=REDACTED)
    return msgspec.structs.replace(hit, summary=f"({record.kind}: not known to this version)")


def _reason(by_id: dict[str, Held], standing: Standing) -> str | None:
    for tombstone_id in (*standing.redacted_by, *standing.retracted_by):
        tombstone = by_id[tombstone_id].record
        if isinstance(tombstone, Tombstone):
            why = f": {tombstone.reason}" if tombstone.reason else ""
            return f"{tombstone.mode}ed by {tombstone.actor.name}{why}"
    return None


class _Reviewer:
    """Tells whose records are unreviewed; asks git who is at work only where it matters."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._me: Actor | None = None
        self.is_detached = workspace.is_detached

    def is_unreviewed(self, held: Held) -> bool:
        places = held.places
        if self.is_detached or places.default or places.is_ours:
            return False
        actor = held.record.actor
        me = self._get_me()
        if actor.email and me.email:
            return actor.email.lower() != me.email.lower()
        return actor.name != me.name

    def _get_me(self) -> Actor:
        if self._me is None:
            try:
                self._me = self._workspace.get_actor()
            except UsageError:
                self._me = Actor("")
        return self._me
