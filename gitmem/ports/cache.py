"""The derived index over records: what is projected, where it stands, and how it is asked.

Vocabulary: a *place* is a named thing that holds segments. Tree places (`head:<worktree>`,
`default`, `own`, `fetched`) are records trees of git, known by oid; folder places
(`work:<worktree>`, `spool:<worktree>`, `private`) are folders of files, known by a stamp.
A *shelf* is one month's tree: immutable, stored once, shared by every place that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from gitmem.core.records import Problem
from gitmem.core.segments import Segment, SegmentRef
from gitmem.core.view import Counts, Held


class Projection(Protocol):
    """The write side. Every method is one transaction, safe against other processes."""

    def list_unknown_trees(self, oids: Iterable[str]) -> list[str]:
        """Those shelves that are not stored yet."""
        ...

    def add_shelf(self, oid: str, segments: Sequence[SegmentRef]) -> None:
        """Store what a month's tree holds (segments need not be projected yet)."""
        ...

    def list_unprojected(self, segments: Iterable[SegmentRef]) -> list[SegmentRef]:
        """Those segments not read yet. Known is a segment by its name, and where git gives a
        blob id, by both: the same name with another blob is not known."""
        ...

    def list_absent(self, *, limit: int) -> list[SegmentRef]:
        """Segments that some place has and whose bytes were not to be had."""
        ...

    def project(self, segments: Iterable[Segment]) -> int:
        """Insert decoded segments (streamed, in batches); the number of new records.

        Bodies of redacted records are never stored, whichever comes first."""
        ...

    def set_tree_place(self, place: str, key: str, shelves: Sequence[str]) -> None:
        """Say which shelves a tree place has now; `key` names this state (the commit oid)."""
        ...

    def set_folder_place(self, place: str, key: str, segments: Sequence[SegmentRef]) -> None:
        """Say which segments a folder place has now; `key` names this state (its stamp)."""
        ...

    def drop_places(self, places: Iterable[str]) -> None:
        """Forget places that are gone (a removed work tree, a deleted ref)."""
        ...


class Facts(Protocol):
    """Small derived facts: what state each place was last seen in, and remembered answers."""

    def get_place_keys(self) -> Mapping[str, str]:
        """Place → the key it was last set with."""
        ...

    def set_memo(self, name: str, value: str) -> None:
        """Remember a small derived fact (the default branch, the fingerprint of refs)."""
        ...

    def get_memo(self, name: str) -> str | None:
        """A remembered fact, or None."""
        ...


class Records(Protocol):
    """The read side. `worktree` is the work tree whose view is asked for."""

    def list_by_paths(
        self, paths: Sequence[str], *, limit: int, offset: int = 0
    ) -> tuple[list[str], int]:
        """Ids of decisions on any of these paths (folded), or under one that ends in `/` (""
        is everything), or on a folder itself for one that ends in `/.`; newest first by
        (seq, id); and how many there are in all."""
        ...

    def list_recent(
        self, *, limit: int, offset: int = 0, kind: str | None = None
    ) -> tuple[list[str], int]:
        """Ids of records, newest first by (seq, id), tombstones too unless a kind is asked."""
        ...

    def list_by_commits(self, commits: Sequence[str]) -> list[str]:
        """Ids of decisions that these commits added (containment) or that name one of them."""
        ...

    def list_by_key(self, key: str) -> list[str]:
        """Ids of decisions with this key, sorted: replays and edits of one decision."""
        ...

    def list_about(self, ids: Iterable[str]) -> set[str]:
        """Ids of what `fold` needs to know of these records: themselves, tombstones on them,
        what supersedes them, what shares a key or a superseded target with them, and so on
        for what that brings, until nothing is added (bounded)."""
        ...

    def get_held(self, ids: Iterable[str], worktree: str) -> list[Held]:
        """The records with their places; unknown ids are left out; sorted by id."""
        ...

    def resolve_prefix(self, prefix: str, *, limit: int) -> list[str]:
        """Record ids that begin so, sorted; at most `limit`."""
        ...

    def match_paths(self, text: str, *, limit: int) -> list[str]:
        """Paths known to memory or history that are `text`, or end in `/text`; sorted."""
        ...

    def list_ids(self, place: str) -> set[str]:
        """Ids of all records in one place (`spool:*` for the spools of all work trees)."""
        ...

    def get_counts(self, worktree: str) -> Counts:
        """Numbers for `status`; cheap at any size."""
        ...

    def list_problems(self, *, limit: int) -> list[Problem]:
        """The quarantine: what failed a check in any segment that a place still has."""
        ...
