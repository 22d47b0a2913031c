"""What a range takes from a memory: withdrawals, removals, edits of others' decisions."""

from __future__ import annotations

from gitmem.core.pr_report import GRAVITY, Weakened, WeakenedHow
from gitmem.core.records import Actor, Decision, Record, Tombstone
from gitmem.errors import GitmemError
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.hits import Hit, iter_hits
from gitmem.services.ranges import Contents, list_boundary
from gitmem.services.workspace import Workspace
from gitmem.store.project_file import PROJECT_FILE, parse_project

MAX_PROJECT_BYTES = 1024 * 1024
MAX_BOUNDARY = 100
UNREADABLE = ""
_STANDING = ("current", "conflict")


def names_another_project(workspace: Workspace, base: str, head: str) -> Weakened | None:
    """Whether the head calls the memory another project's: then all of its records would be
    foreign, and nothing else can be told."""
    before, after = _project_at(workspace, base), _project_at(workspace, head)
    if before in (None, UNREADABLE) or after in (None, before):
        return None
    what = "can no longer be read" if after == UNREADABLE else "names another project"
    return Weakened(how="identity", summary=f"{PROJECT_FILE} {what}", by=head)


def takes_identity_away(workspace: Workspace, contents: Contents, head: str) -> Weakened | None:
    """Whether the range took away the file that says whose memory this is. A head without it
    may merely be older; what else it took away is told record by record."""
    if _project_at(workspace, head) is not None:
        return None
    before = sorted(list_boundary(contents.commits))[:MAX_BOUNDARY]
    if all(_project_at(workspace, commit) is None for commit in before):
        return None
    return Weakened(how="identity", summary=f"{PROJECT_FILE} is taken away", by=head)


def _project_at(workspace: Workspace, commit: str) -> str | None:
    objects = workspace.sources.objects
    oid = objects.find_oid(f"{commit}:{PROJECT_FILE}")
    if oid is None:
        return None
    data = next(iter(objects.iter_blobs([oid], MAX_PROJECT_BYTES))).data
    try:
        return parse_project(data).project_id if data is not None else UNREADABLE
    except GitmemError:
        return UNREADABLE


def list_added(contents: Contents) -> list[Record]:
    """The records that a range brings and leaves."""
    gone = contents.removed_by
    return [line.record for name, line in contents.added.items() if name not in gone]


def list_weakened(at_base: Workspace, contents: Contents) -> tuple[Weakened, ...]:
    """Gravest first. `at_base` is the view of the base: only what stands there can be taken."""
    records = list_added(contents)
    targets = {target for record in records for target in list_targets(record)} | set(contents.lost)
    hits = {hit.id: hit for hit in iter_hits(at_base, sorted(targets)) if hit.where == "here"}
    found = [
        _weakened(record, hits[target])
        for record in records
        for target in list_targets(record)
        if target in hits and (hits[target].state in _STANDING or _is_redaction(record))
    ]
    by_oid = {commit.oid: commit for commit in contents.commits}
    found += [
        _removed(hits[lost], by_oid.get(contents.removed_by.get(lost, "")))
        for lost in contents.lost
        if lost in hits and hits[lost].kind == "decision"
    ]
    return tuple(
        sorted(found, key=lambda one: (GRAVITY.index(one.how), not one.is_others, one.id, one.by))
    )


def list_targets(record: Record) -> tuple[str, ...]:
    """What a record withdraws or takes the place of."""
    if isinstance(record, Tombstone):
        return (record.target,)
    return record.supersedes if isinstance(record, Decision) else ()


def _is_redaction(record: Record) -> bool:
    return isinstance(record, Tombstone) and record.mode == "redact"


def _weakened(record: Record, target: Hit) -> Weakened:
    instead = record.summary if isinstance(record, Decision) else ""
    return Weakened(
        how=_how(record, target),
        id=target.id or "",
        summary=target.summary,
        author=target.actor.name if target.actor else "",
        by=record.id,
        by_author=record.actor.name,
        instead=instead,
        reason=record.reason if isinstance(record, Tombstone) else "",
        is_others=_is_others(record.actor, target.actor),
    )


def _how(record: Record, target: Hit) -> WeakenedHow:
    """An edit says the same decision anew: what it says of the same files, somebody else
    said."""
    if isinstance(record, Tombstone):
        return "redacted" if record.mode == "redact" else "retracted"
    return "edited" if _is_others(record.actor, target.actor) else "superseded"


def _removed(lost: Hit, commit: RangeCommit | None) -> Weakened:
    actor = None if commit is None else Actor(commit.author, commit.email or None)
    return Weakened(
        how="removed",
        id=lost.id or "",
        summary=lost.summary,
        author=lost.actor.name if lost.actor else "",
        by=commit.oid if commit else "",
        by_author=actor.name if actor else "",
        is_others=actor is not None and _is_others(actor, lost.actor),
    )


def _is_others(actor: Actor, author: Actor | None) -> bool:
    if author is None:
        return True
    if actor.email and author.email:
        return actor.email.lower() != author.email.lower()
    return actor.name != author.name
