"""What records are worth at the end of a range, which need not be HEAD."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from gitmem.core.fold import Standing, Statement, fold
from gitmem.core.records import Decision, Record, Tombstone
from gitmem.core.view import Held
from gitmem.services.ranges import Contents
from gitmem.services.workspace import Workspace

_CHUNK = 200
_CURRENT = Standing("current")


class RangeStanding:
    """The view at a range's end. At HEAD it is the usual view, pending records included;
    elsewhere it is what the commits at the end have."""

    def __init__(self, workspace: Workspace, contents: Contents) -> None:
        self._workspace = workspace
        self._contents = contents
        self._held: dict[str, Held] = {}
        self._segments: dict[str, frozenset[str]] = {}

    def find_held(self, ids: Iterable[str]) -> dict[str, Held]:
        """Those of these records that the cache has, with their places."""
        unknown = {record_id for record_id in ids if record_id not in self._held}
        if unknown and self._workspace.memory is not None:
            worktree = self._workspace.place.worktree
            for held in self._workspace.records.get_held(unknown, worktree):
                self._held[held.record.id] = held
        return {record_id: self._held[record_id] for record_id in ids if record_id in self._held}

    def fold(self, ids: Collection[str]) -> dict[str, Standing]:
        """The standing of these records."""
        contents = self._contents
        spoken_of = self._list_spoken_of(ids)
        standings = {one: _CURRENT for one in ids if one not in spoken_of}
        if not spoken_of:
            return standings
        known = {**contents.lost, **contents.added}
        own = [
            Statement(line.record, self._is_at_end(record_id, contents.added))
            for record_id, line in known.items()
        ]
        about = self.find_held(self._list_about(spoken_of) - set(known))
        self._find_segments(about)
        others = [self._build_statement(held) for held in about.values()]
        return standings | fold([*own, *others], spoken_of)

    def _list_spoken_of(self, ids: Collection[str]) -> set[str]:
        """Few of many, as a rule: of the others nothing says anything."""
        if self._workspace.memory is None:
            return set()
        return set(ids) & (
            self._spoken_of_inside | self._workspace.range_records.list_spoken_of(ids)
        )

    @cached_property
    def _spoken_of_inside(self) -> set[str]:
        """The same by what the range itself holds, which the cache need not have seen."""
        found: set[str] = set()
        by_key: dict[str, str] = {}
        for record_id, line in {**self._contents.lost, **self._contents.added}.items():
            record = line.record
            if isinstance(record, Tombstone):
                found.add(record.target)
            elif isinstance(record, Decision):
                if record.supersedes:
                    found.update((record_id, *record.supersedes))
                alike = by_key.setdefault(record.key, record_id)
                if alike != record_id:
                    found.update((alike, record_id))
        return found

    def is_in_view(self, record: Record) -> bool:
        """Whether the view at the end has a record that the range itself removed or added."""
        return self._is_at_end(record.id, self._contents.added)

    def _is_at_end(self, record_id: str, added: Mapping[str, object]) -> bool:
        if record_id not in self._contents.removed_by:
            return record_id in added
        # Its segment went; another may still have it. A copy that was kept for safety says
        # nothing: what a commit took away is pending no more.
        held = self.find_held([record_id]).get(record_id)
        if held is None or self._workspace.is_detached:
            return held is not None
        if self._contents.range.is_at_head:
            return held.places.head or held.places.work
        self._find_segments([record_id])
        return self._build_statement(held).in_view

    def _list_about(self, ids: Collection[str]) -> set[str]:
        """In small portions, because what is about many at once is bounded in all."""
        if self._workspace.memory is None:
            return set()
        asked = sorted(ids)
        found: set[str] = set()
        for start in range(0, len(asked), _CHUNK):
            found |= self._workspace.records.list_about(asked[start : start + _CHUNK])
        return found

    def _build_statement(self, held: Held) -> Statement:
        is_detached = self._workspace.is_detached
        if is_detached or self._contents.range.is_at_head:
            return Statement(held.record, held.places.is_in_view(detached=is_detached))
        names = self._segments.get(held.record.id, frozenset())
        return Statement(held.record, not names.isdisjoint(self._end_segments))

    def _find_segments(self, ids: Iterable[str]) -> None:
        if self._workspace.is_detached or self._contents.range.is_at_head:
            return
        unknown = [record_id for record_id in ids if record_id not in self._segments]
        self._segments.update(self._workspace.range_records.list_segments(unknown))

    @cached_property
    def _end_segments(self) -> frozenset[str]:
        """Names of all segments that the ends of the range have."""
        return frozenset(
            ref.name
            for end in self._contents.range.ends.ends
            for ref in self._workspace.ranges.list_segments(end)
        )
