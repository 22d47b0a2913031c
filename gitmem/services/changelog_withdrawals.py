"""What a range takes back of decisions from before it: withdrawn, or reverted in the code."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.core.changelog_entries import Entry
from gitmem.core.commit_types import find_group
from gitmem.core.reasons import find_reason
from gitmem.core.records import Decision, Record, Tombstone
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.range_standing import RangeStanding
from gitmem.services.ranges import Contents
from gitmem.services.workspace import Workspace


def list_withdrawals(
    workspace: Workspace, contents: Contents, standing: RangeStanding
) -> tuple[list[Entry], set[str]]:
    """Entries for older decisions that the range withdrew, restored, or reverted; and the
    commits of the range that did the latter."""
    if workspace.memory is None:
        return [], set()
    withdrawn = [
        entry
        for record in _list_tombstones(contents, standing)
        if (entry := _withdraw(record, contents, standing)) is not None
    ]
    reverted, commits = _list_reverted(contents, standing)
    return [*withdrawn, *reverted], commits


def _list_tombstones(contents: Contents, standing: RangeStanding) -> list[Tombstone]:
    """Retractions of the range that are themselves not withdrawn."""
    found = [
        line.record
        for line in contents.added.values()
        if isinstance(line.record, Tombstone) and line.record.mode == "retract"
    ]
    standings = standing.fold({one.id for one in found}) if found else {}
    return [
        one for one in found if standings[one.id].state == "current" and standing.is_in_view(one)
    ]


def _withdraw(record: Tombstone, contents: Contents, standing: RangeStanding) -> Entry | None:
    """None where what it withdraws is of the range itself, or may not be shown."""
    if record.target in contents.added:
        return None
    target = _find_record(record.target, contents, standing)
    verb = "Withdrawn"
    if isinstance(target, Tombstone) and target.mode == "retract":
        verb, target = "Restored", _find_record(target.target, contents, standing)
    if not isinstance(target, Decision) or target.id in contents.added:
        return None
    if standing.fold([target.id])[target.id].state == "redacted":
        return None
    return _build(target, verb, record.reason or None, contents.added_by[record.id], record)


def _list_reverted(contents: Contents, standing: RangeStanding) -> tuple[list[Entry], set[str]]:
    """Older decisions that the end no longer has because a commit took their segment away."""
    gone = {
        record_id: line.record
        for record_id, line in contents.lost.items()
        if isinstance(line.record, Decision) and not standing.is_in_view(line.record)
    }
    if not gone:
        return [], set()
    by_oid: Mapping[str, RangeCommit] = {commit.oid: commit for commit in contents.commits}
    standings = standing.fold(gone)
    entries, commits = [], set()
    for record_id, record in gone.items():
        if standings[record_id].state == "current":
            commit = by_oid[contents.removed_by[record_id]]
            why = find_reason(commit.message.partition("\n")[2]) or None
            entries.append(_build(record, "Reverted", why, commit.oid))
            commits.add(commit.oid)
    return entries, commits


def _find_record(record_id: str, contents: Contents, standing: RangeStanding) -> Record | None:
    line = contents.lost.get(record_id)
    if line is not None:
        return line.record
    held = standing.find_held([record_id]).get(record_id)
    return held.record if held is not None and not held.is_withheld else None


def _build(
    target: Decision, verb: str, why: str | None, commit: str, by: Tombstone | None = None
) -> Entry:
    group = find_group(target.type, target.summary, target.tags)
    return Entry(
        id=by.id if by else target.id,
        commit=commit,
        type="revert",
        group="Removed" if group == "Added" and verb != "Restored" else "Changed",
        summary=f"{verb}: {target.summary}",
        why=why,
        matched="containment",
        commits=(commit,),
        paths=tuple(ref.path for ref in target.paths),
        reverts=target.id,
        at=by.at if by else target.at,
        author=by.actor.name if by else target.actor.name,
    )
