"""The derived index over the code's history."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from gitmem.core.history import Commit, IndexedCommit, PathSpan
from gitmem.core.segments import SegmentRef


class CommitIndex(Protocol):
    """Grows ancestors first: whatever it holds, it holds all ancestors of it."""

    def get_tips(self) -> list[str]:
        """Commits whose whole history is indexed; feed them as `exclude` to go on."""
        ...

    def is_settled(self) -> bool:
        """Whether some HEAD's history was once indexed whole, so that what is missing now is
        only what came since."""
        ...

    def get_head(self, worktree: str) -> str | None:
        """The HEAD for which `set_head` was last called, None if never or unborn."""
        ...

    def list_names(self, path: str, worktree: str) -> list[PathSpan]:
        """The names a file had, its own first, following renames and copies back through
        HEAD's history (bounded)."""
        ...

    def list_commits(
        self, spans: Sequence[PathSpan], worktree: str, *, limit: int, with_reason: bool
    ) -> list[IndexedCommit]:
        """HEAD's commits that touched these names (a name that ends in `/` is a folder; ""
        everything), newest first, each once. Merges only where a caller asks for all."""
        ...

    def count_commits(self, spans: Sequence[PathSpan], worktree: str) -> tuple[int, int]:
        """(all, with a reason) of the same."""
        ...

    def count_since(self, commit: str, spans: Sequence[PathSpan], worktree: str) -> int | None:
        """How many of the same came after a commit; None where the index has no such commit."""
        ...

    def find_commits(self, prefix: str, *, limit: int) -> list[IndexedCommit]:
        """Indexed commits whose id begins so."""
        ...


class CommitGrowth(Protocol):
    """How the index grows."""

    def add_commits(self, batch: Sequence[Commit]) -> None:
        """Index a batch of commits, each after its parents. One transaction:
        interrupted after it, the work goes on from there."""
        ...

    def set_head(
        self,
        worktree: str,
        head: str | None,
        outside: Sequence[str],
        *,
        tips: Sequence[str] | None = None,
    ) -> bool:
        """Say what HEAD of a work tree is, and which indexed commits it does not reach. Does
        nothing and gives False where the index no longer has these `tips`, of which `outside`
        was computed: another process made it grow."""
        ...

    def keep_commits(self, kept: Collection[str], tips: Sequence[str]) -> None:
        """Forget every HEAD, and all indexed commits but these, all of which are reached from
        the tips. What is forgotten in vain comes back as the index grows."""
        ...

    def list_added_segments(self, *, unprojected: bool) -> list[SegmentRef]:
        """Segments that some indexed commit added, with their blobs; only those whose
        records were never read, if asked."""
        ...
