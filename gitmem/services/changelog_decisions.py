"""The decisions of a range: which belong to it, by which evidence, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gitmem.core.changelog_entries import Cancelled, Entry, Matched
from gitmem.core.commit_types import find_group
from gitmem.core.fold import Standing
from gitmem.core.paths import fold_path
from gitmem.core.records import Decision, Other
from gitmem.core.reverts import Reverts
from gitmem.core.view import Held
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.range_standing import RangeStanding
from gitmem.services.ranges import Contents, list_boundary
from gitmem.services.workspace import Workspace

REDACTED = "(redacted)"


class Found(msgspec.Struct):
    """A decision of the range, by its best evidence. `about` are the commits of the range that
    it explains, `holder` the one that it is recorded in."""

    record: Decision
    matched: Matched
    about: tuple[str, ...]
    holder: str | None = None
    is_named: bool = False

    @property
    def commits(self) -> tuple[str, ...]:
        """The commit that stands for it first."""
        holder = () if self.holder is None else (self.holder,)
        return tuple(dict.fromkeys((*self.about, *holder)))

    @property
    def is_apart(self) -> bool:
        return not self.record.paths and not self.record.commits


class Decided(msgspec.Struct):
    """`explained` are the commits of the range where a decision stands."""

    entries: list[Entry]
    cancelled: list[Cancelled]
    explained: set[str]


def list_decisions(
    workspace: Workspace, contents: Contents, standing: RangeStanding, reverts: Reverts
) -> Decided:
    """Entries for the decisions of a range, in no order."""
    if workspace.memory is None:
        return Decided([], [], set())
    found = _Search(workspace, contents, standing).run()
    decided = _judge(found, contents, standing, reverts)
    decided.cancelled += _list_withheld(contents, standing)
    return decided


class _Search:
    """Best evidence first: named commits, containment, base and paths."""

    def __init__(self, workspace: Workspace, contents: Contents, standing: RangeStanding) -> None:
        self._workspace = workspace
        self._contents = contents
        self._standing = standing
        self._places = {commit.oid: n for n, commit in enumerate(contents.commits)}
        self._touched_by = _list_touched(contents.commits)
        self._touching = _index_touches(self._touched_by)
        self._boundary = list_boundary(contents.commits)
        self.found: dict[str, Found] = {}

    def run(self) -> dict[str, Found]:
        self._take_contained()
        self._take_named()
        self._take_based()
        return self.found

    def _take_contained(self) -> None:
        contents = self._contents
        decisions = [
            line.record for line in contents.added.values() if isinstance(line.record, Decision)
        ]
        others = self._list_explaining_others(decisions)
        for record in decisions:
            if record.id in others:
                continue
            named = self._named(record)
            holder = contents.added_by[record.id]
            about = named or self._about(record, holder)
            self.found[record.id] = Found(record, "containment", about, holder, bool(named))

    def _about(self, record: Decision, holder: str) -> tuple[str, ...]:
        """The commit that holds a decision, if it touched one of its files; else, for one that
        came in later, the commit that its base and paths point at."""
        if not record.paths:
            return ()
        touched = self._touched_by.get(holder, frozenset())
        if any(fold_path(ref.path) in touched for ref in record.paths):
            return (holder,)
        if any(holder in oids for oids in self._touches(record)):
            return (holder,)
        return (self._find_by_base(record, until=self._places[holder]) or holder,)

    def _take_named(self) -> None:
        ids = self._workspace.range_records.list_naming(self._places)
        for record in self._list_public(ids):
            named = self._named(record)
            if named and record.id not in self.found:
                self.found[record.id] = Found(record, "containment", named, is_named=True)

    def _take_based(self) -> None:
        """Decisions that no commit holds: on a writer's ref alone, or still pending."""
        bases = {*self._places, *self._boundary}
        ids = self._workspace.range_records.list_based(bases)
        for record in self._list_public(ids, uncommitted=True):
            if record.id in self.found or record.commits:
                continue
            commit = self._find_by_base(record) or self._find_before_base(record)
            if commit is not None:
                self.found[record.id] = Found(record, "path", (commit,))

    def _list_public(self, ids: Iterable[str], *, uncommitted: bool = False) -> list[Decision]:
        """Those that may be shown to others: what is private stays so."""
        wanted = [one for one in ids if one not in self._contents.added]
        return [
            held.record
            for held in self._standing.find_held(wanted).values()
            if isinstance(held.record, Decision)
            and not _is_secret(held)
            and not (uncommitted and held.places.is_committed)
        ]

    def _named(self, record: Decision) -> tuple[str, ...]:
        return tuple(oid for oid in record.commits if oid in self._places)

    def _touches(self, record: Decision) -> list[list[str]]:
        """For each path of a decision the commits of the range that touched it, in order."""
        touched = []
        for ref in record.paths:
            path = fold_path(ref.path)
            if path.endswith("/"):
                touched += [oids for name, oids in self._touching.items() if name.startswith(path)]
            elif path in self._touching:
                touched.append(self._touching[path])
        return touched

    def _find_by_base(self, record: Decision, *, until: int | None = None) -> str | None:
        """The first commit after the decision's base that touched one of its files, up to the
        one that recorded it; else the base itself, for what was written down once it was
        committed."""
        base = record.base or ""
        start = self._places.get(base)
        is_before = start is None and base in self._boundary
        if start is None and not is_before:
            return None
        places = [self._places[oid] for oids in self._touches(record) for oid in oids]
        after = [
            place
            for place in places
            if (is_before or place > (start or 0)) and (until is None or place <= until)
        ]
        if after:
            return self._contents.commits[min(after)].oid
        return base if start in places else None

    def _find_before_base(self, record: Decision) -> str | None:
        """For what is known by ref, so that it need not wait for a commit: the last commit up
        to its base that touched one of its files."""
        held = self._standing.find_held([record.id]).get(record.id)
        start = self._places.get(record.base or "")
        if start is None or held is None or not (held.places.own or held.places.fetched):
            return None
        places = [self._places[oid] for oids in self._touches(record) for oid in oids]
        before = [place for place in places if place < start]
        return self._contents.commits[max(before)].oid if before else None

    def _list_explaining_others(self, decisions: Sequence[Decision]) -> set[str]:
        """Decisions that name commits, all of them older than the range: they came late."""
        naming = [one for one in decisions if one.commits and not self._named(one)]
        find = self._workspace.sources.objects.find_commit
        known = sorted({oid for one in naming for oid in one.commits if find(oid) == oid})
        if not known:
            return set()
        ends = self._contents.range.ends.ends
        older = set(known) - self._workspace.ranges.list_outside(known, ends)
        return {one.id for one in naming if older.issuperset(one.commits)}


def _judge(
    found: dict[str, Found], contents: Contents, standing: RangeStanding, reverts: Reverts
) -> Decided:
    """What stands at the end of the range, and what was taken back within it."""
    decided = Decided([], [], set())
    standings = standing.fold(found)
    replaced = _list_replaced(found, standings)
    for record_id, one in found.items():
        said = standings[record_id]
        decided.explained.update(one.about)
        by = _find_taking(one, said, contents, standing, reverts)
        if by is not None:
            summary = REDACTED if said.state == "redacted" else one.record.summary
            reason = _find_reason(by, contents, standing)
            commit = next(iter(one.commits), None)
            decided.cancelled.append(
                Cancelled(id=record_id, commit=commit, summary=summary, by=by, reason=reason)
            )
        elif record_id not in replaced:
            decided.entries.append(_build_entry(one, said.state, _list_older(one.record, found)))
    return decided


def _list_withheld(contents: Contents, standing: RangeStanding) -> list[Cancelled]:
    """Decisions of the range whose words are gone for good: that they were there is not."""
    ids = [
        record_id
        for record_id, line in contents.added.items()
        if isinstance(line.record, Other) and line.record.kind == "decision"
    ]
    standings = standing.fold(ids)
    return [
        Cancelled(
            id=record_id,
            commit=contents.added_by[record_id],
            summary=REDACTED,
            by=next(iter(standings[record_id].redacted_by), record_id),
        )
        for record_id in ids
    ]


def _find_taking(
    one: Found, said: Standing, contents: Contents, standing: RangeStanding, reverts: Reverts
) -> str | None:
    """What took a decision back: a tombstone, or a commit; None where it stands."""
    if said.state == "redacted":
        return said.redacted_by[0]
    if said.state == "retracted":
        return said.retracted_by[0]
    gone = contents.removed_by.get(one.record.id)
    if gone is not None and not standing.is_in_view(one.record):
        return gone
    # What is recorded in a commit goes with it; what is only about commits goes with them all.
    about = [oid for oid in one.about if oid != one.holder]
    if about and all(oid in reverts.cancelled for oid in about):
        return reverts.cancelled[about[0]]
    return None


def _list_replaced(found: dict[str, Found], standings: Mapping[str, Standing]) -> set[str]:
    """Superseded decisions of the range whose place another one of it took."""
    return {
        record_id
        for record_id, said in standings.items()
        if said.state == "superseded" and any(by in found for by in said.superseded_by)
    }


def _list_older(record: Decision, found: dict[str, Found]) -> tuple[str, ...]:
    """Everything whose place a decision took, through those of the range."""
    if not record.supersedes:
        return ()
    older: dict[str, None] = {}
    waiting = list(record.supersedes)
    while waiting:
        target = waiting.pop(0)
        if target not in older and target != record.id:
            older[target] = None
            if target in found:
                waiting += found[target].record.supersedes
    return tuple(older)


def _find_reason(tombstone: str, contents: Contents, standing: RangeStanding) -> str | None:
    line = contents.added.get(tombstone)
    held = None if line else standing.find_held([tombstone]).get(tombstone)
    record = line.record if line else (held.record if held else None)
    return getattr(record, "reason", None) or None


def _build_entry(one: Found, state: str, replaces: tuple[str, ...]) -> Entry:
    record, commits = one.record, one.commits
    return Entry(
        id=record.id,
        commit=commits[0] if commits else None,
        type=record.type,
        group=find_group(record.type, record.summary, record.tags),
        summary=record.summary,
        why=record.why,
        rejected=record.rejected,
        matched=one.matched,
        is_named=one.is_named,
        is_apart=one.is_apart,
        is_breaking=any(tag.lower() == "breaking" for tag in record.tags),
        commits=commits,
        paths=tuple(ref.path for ref in record.paths),
        tags=record.tags,
        replaces=replaces,
        state=state,
        at=record.at,
        author=record.actor.name,
    )


def _is_secret(held: Held) -> bool:
    """Private, and nowhere else: it never leaves this clone."""
    places = held.places
    is_elsewhere = places.spooled or places.own or places.fetched or places.work
    return places.private and not is_elsewhere and not places.is_committed


def _list_touched(commits: Sequence[RangeCommit]) -> dict[str, frozenset[str]]:
    """Commit → the files that it touched, by both names where it renamed one, in one spelling."""
    touched = {}
    for commit in commits:
        names = {fold_path(touch.path) for touch in commit.touches}
        names.update(
            fold_path(touch.old_path)
            for touch in commit.touches
            if touch.old_path is not None and touch.status == "R"
        )
        touched[commit.oid] = frozenset(names)
    return touched


def _index_touches(touched_by: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """File → commits of the range that touched it, in order."""
    touching: dict[str, list[str]] = {}
    for oid, names in touched_by.items():
        for name in names:
            touching.setdefault(name, []).append(oid)
    return touching
