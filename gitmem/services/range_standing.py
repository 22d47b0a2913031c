"""What records are worth at the end of a range, which need not be HEAD."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from gitmem.core.fold import Standing, Statement, fold
from gitmem.core.records import Record
from gitmem.core.view import Held
from gitmem.services.ranges import Contents
from gitmem.services.workspace import Workspace

_CHUNK = 200


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
        """The standing of these records; of those that are known nowhere, none."""
        contents = self._contents
        known = {**contents.lost, **contents.added}
        own = [
            Statement(line.record, self._is_at_end(record_id, contents.added))
            for record_id, line in known.items()
        ]
        about = self.find_held(self._list_about(ids) - set(known))
        self._find_segments(about)
        others = [self._build_statement(held) for held in about.values()]
        return fold([*own, *others], ids)

    def is_in_view(self, record: Record) -> bool:
        """Whether the view at the end has a record that the range itself removed or added."""
        return self._is_at_end(record.id, self._contents.added)

    def _is_at_end(self, record_id: str, added: Mapping[str, object]) -> bool:
        if record_id not in self._contents.removed_by:
            return record_id in added
        # Its segment went; another may still have it.
        held = self.find_held([record_id]).get(record_id)
        if held is None:
            return False
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
