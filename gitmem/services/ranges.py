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
from gitmem.store.segment_reading import read_blobs

_NOT_HERE = frozenset({"missing", "too-large"})
_BATCH = 100


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
    segments = _Segments(workspace)
    commits = []
    for commit in workspace.ranges.iter_range(asked.ends):
        commits.append(commit)
        # Read while git goes on: by its end all is here.
        segments.ask(commit)
    if segments.are_any:
        merges = [commit.oid for commit in commits if len(commit.parents) > 1]
        said = workspace.ranges.read_merges(merges)
        for place, commit in enumerate(commits):
            own = said.get(commit.oid)
            if own is not None:
                commits[place] = msgspec.structs.replace(
                    commit, added=own.added, removed=own.removed
                )
                segments.ask(commits[place])
    if workspace.place.is_shallow:
        _check_cut(workspace, asked, commits)
    return _Reading(asked, tuple(commits), segments).read()


class _Segments:
    """The records of segments that come or go: mostly from the cache, which verified them when
    it read them; the rest is on a branch that it never saw, and read from git."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        memory = workspace.memory
        self._project = "" if memory is None or memory.is_detached else memory.project_id
        self._asked: dict[str, SegmentRef] = {}
        self._unknown: list[SegmentRef] = []
        self._lines: dict[str, tuple[Line, ...]] = {}

    @property
    def are_any(self) -> bool:
        """Whether there may be any here."""
        return bool(self._project)

    def ask(self, commit: RangeCommit) -> None:
        if not self._project or not (commit.added or commit.removed):
            return
        for ref in (*commit.added, *commit.removed):
            if ref.blob not in self._lines:
                self._asked[ref.blob] = ref
        if len(self._asked) >= _BATCH:
            self._read_cached()

    def read(self) -> tuple[dict[str, tuple[Line, ...]], int]:
        """Blob of a segment → its records; and how many segments could not be read."""
        self._read_cached()
        unread = 0
        found = read_blobs(self._workspace.sources.objects, self._unknown, self._project)
        for ref, segment in zip(self._unknown, found, strict=True):
            self._lines[ref.blob] = segment.lines
            unread += any(problem.code in _NOT_HERE for problem in segment.problems)
        return self._lines, unread

    def _read_cached(self) -> None:
        known = self._workspace.range_records.read_segments(self._asked.values())
        self._unknown += [ref for blob, ref in self._asked.items() if blob not in known]
        self._lines.update({blob: known.get(blob, ()) for blob in self._asked})
        self._asked.clear()


class _Reading:
    """Follows the records of a range from commit to commit."""

    def __init__(self, asked: Range, commits: tuple[RangeCommit, ...], segments: _Segments) -> None:
        self._asked = asked
        self._commits = commits
        self._lines, self._unread = segments.read()
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


def _explain_missing(workspace: Workspace, words: Sequence[str]) -> NotFound:
    find = workspace.ranges.find_ends
    missing = next((name for name in list_names(words) if find((name,)) is None), None)
    text = " ".join(words)
    if missing is None:
        return NotFound(f"{show_name(text)} is no range of commits", hint="For example: v1.0..HEAD")
    _refuse_cut(workspace, f"{show_name(missing)} is not here")
    hint = "See what there is: git tag; git branch -a; or get the tags: git fetch --tags"
    return NotFound(f"no commit here is called {show_name(missing)}", hint=hint)


def _check_cut(workspace: Workspace, asked: Range, commits: Sequence[RangeCommit]) -> None:
    """Refuse a range that a shallow clone cut: at its own bottom, or on the side that is left
    out. Where that side was cut, a walk that should have met it goes on to the first commit."""
    shallow = workspace.ranges.list_shallow()
    cut = next((commit.oid for commit in commits if commit.oid in shallow), None)
    if cut is not None:
        _refuse_cut(workspace, f"history before {cut[:12]} is not here")
    if asked.ends.excluded and any(not commit.parents for commit in commits):
        _refuse_cut(workspace, f"where {show_name(asked.text)} begins is not here")


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
