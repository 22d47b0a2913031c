"""Ranges: which commits are meant, what they touched, and which records they added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from gitmem.core.paths import decode_path
from gitmem.core.ranges import check_words, list_names, split_range
from gitmem.core.records import Line
from gitmem.core.segments import SegmentRef
from gitmem.errors import HistoryCut, NotFound
from gitmem.ports.range_reader import Ends, RangeCommit
from gitmem.services.workspace import Workspace
from gitmem.store.union import read_blobs


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """A range, resolved. `text` is what was asked for, `A..B`; `older` and `newer` name its two
    ends where it has two (for links and headings); `is_at_head` where it ends at HEAD."""

    text: str
    ends: Ends
    older: str | None = None
    newer: str | None = None
    is_at_head: bool = False


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What a range holds. `commits` are ancestors first.

    `added` are the records that commits of the range added and nothing had before, by id, each
    with the earliest such commit in `added_by`. `lost` are records from before the range whose
    segment it removed, and no other took over. The commit that took a record away, for good
    within the range, is in `removed_by`. `unread` counts segments that were not to be had.
    """

    range: Range
    commits: tuple[RangeCommit, ...]
    added: Mapping[str, Line]
    lost: Mapping[str, Line]
    added_by: Mapping[str, str]
    removed_by: Mapping[str, str]
    unread: int = 0


def resolve_range(workspace: Workspace, words: Sequence[str]) -> Range:
    """The range that the words mean, as `git rev-list` has it. Raises UsageError, Ambiguous,
    NotFound for a missing end, HistoryCut where a shallow clone lacks it."""
    checked = check_words(words)
    ends = workspace.ranges.find_ends(checked)
    if ends is None:
        raise _explain_missing(workspace, checked)
    split = split_range(checked[0]) if len(checked) == 1 else None
    if split is not None and split.is_symmetric and not ends.excluded:
        _refuse_cut(workspace, f"{show_name(checked[0])} has no merge base here")
    return Range(
        text=" ".join(checked),
        ends=ends,
        older=split.older if split else None,
        newer=split.newer if split else None,
        is_at_head=ends.ends == (workspace.present.head,),
    )


def is_reversed(workspace: Workspace, asked: Range) -> bool:
    """Whether the two ends stand the wrong way round, so that nothing is between them."""
    ends, excluded = asked.ends.ends, asked.ends.excluded
    return (
        len(ends) == 1
        and len(excluded) == 1
        and ends != excluded
        and workspace.sources.objects.is_ancestor(ends[0], excluded[0])
    )


def read_range(workspace: Workspace, asked: Range) -> Contents:
    """All of a range, in one pass of git. Raises HistoryCut where a shallow clone cut it."""
    commits = tuple(workspace.ranges.iter_range(asked.ends))
    if workspace.place.is_shallow:
        shallow = workspace.ranges.list_shallow()
        cut = next((commit.oid for commit in commits if commit.oid in shallow), None)
        if cut is not None:
            _refuse_cut(workspace, f"history before {cut[:12]} is not here")
    return _Reading(workspace, asked, commits).read()


class _Reading:
    """Follows the records of a range from commit to commit."""

    def __init__(
        self, workspace: Workspace, asked: Range, commits: tuple[RangeCommit, ...]
    ) -> None:
        self._asked = asked
        self._commits = commits
        self._lines, self._unread = _read_lines(workspace, commits)
        self._added: dict[str, Line] = {}
        self._added_by: dict[str, str] = {}
        self._lost: dict[str, Line] = {}
        self._removed_by: dict[str, str] = {}
        # From before the range, and written anew in it: neither new nor gone.
        self._carried: set[str] = set()

    def read(self) -> Contents:
        for commit in self._commits:
            if commit.added or commit.removed:
                self._take(commit)
        return Contents(
            range=self._asked,
            commits=self._commits,
            added=self._added,
            lost=self._lost,
            added_by=self._added_by,
            removed_by=self._removed_by,
            unread=self._unread,
        )

    def _take(self, commit: RangeCommit) -> None:
        came = self._records(commit.added)
        gone = self._records(commit.removed)
        for record_id, line in gone.items():
            self._removed_by[record_id] = commit.oid
            if record_id not in self._added:
                self._lost[record_id] = line
        for record_id, line in came.items():
            self._removed_by.pop(record_id, None)
            if self._lost.pop(record_id, None) is not None:
                self._carried.add(record_id)
            elif record_id not in self._added and record_id not in self._carried:
                self._added[record_id] = line
                self._added_by[record_id] = commit.oid

    def _records(self, refs: Sequence[SegmentRef]) -> dict[str, Line]:
        return {line.id: line for ref in refs for line in self._lines.get(ref.blob, ())}


def _read_lines(
    workspace: Workspace, commits: Sequence[RangeCommit]
) -> tuple[dict[str, tuple[Line, ...]], int]:
    """Blob of a segment → its records, for all segments that come or go; and how many of the
    segments could not be read."""
    memory = workspace.memory
    if memory is None or memory.is_detached:
        return {}, 0
    refs = {ref.blob: ref for commit in commits for ref in (*commit.added, *commit.removed)}
    lines = {}
    unread = 0
    segments = read_blobs(workspace.sources.objects, list(refs.values()), memory.project_id)
    for blob, segment in zip(refs, segments, strict=True):
        lines[blob] = segment.lines
        unread += any(problem.code in _NOT_HERE for problem in segment.problems)
    return lines, unread


_NOT_HERE = frozenset({"missing", "too-large"})


def _explain_missing(workspace: Workspace, words: Sequence[str]) -> NotFound:
    find = workspace.ranges.find_ends
    missing = next((name for name in list_names(words) if find((name,)) is None), None)
    text = " ".join(words)
    if missing is None:
        return NotFound(f"{show_name(text)} is no range of commits", hint="For example: v1.0..HEAD")
    _refuse_cut(workspace, f"{show_name(missing)} is not here")
    hint = "See what there is: git tag; git branch -a; or get the tags: git fetch --tags"
    return NotFound(f"no commit here is called {show_name(missing)}", hint=hint)


def _refuse_cut(workspace: Workspace, what: str) -> None:
    """In a shallow clone, say that it is one: what was not cut off is not there at all."""
    if workspace.place.is_shallow:
        raise HistoryCut(f"{what}: this is a shallow clone")


def show_name(text: str) -> str:
    """What was typed, fit to be shown: bytes that are not UTF-8 stand percent-encoded."""
    return decode_path(text.encode("utf-8", "surrogateescape"))[0]


def list_boundary(commits: Collection[RangeCommit]) -> set[str]:
    """Parents of commits of a range that are not in it."""
    inside = {commit.oid for commit in commits}
    return {parent for commit in commits for parent in commit.parents if parent not in inside}
