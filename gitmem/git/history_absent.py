"""History where there is no git executable: none, said plainly instead of guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitmem.core.history import BlamedLine, Commit
from gitmem.errors import PartMissing


class AbsentHistory:
    """HistoryReader that cannot read: memory answers, commit messages do not.

    What would index or blame raises PartMissing, so that nobody takes an empty history for
    the whole of it; look-ups of single commits find nothing."""

    def iter_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> Iterator[Commit]:
        raise _no_git()

    def iter_path_commits(
        self, path: str, *, limit: int, deadline_seconds: float
    ) -> Iterator[Commit]:
        return iter(())

    def list_outside(self, tips: Sequence[str], head: str | None) -> list[str] | None:
        raise _no_git()

    def get_commits(self, oids: Sequence[str]) -> list[Commit]:
        return []

    def blame_line(self, path: str, line: int) -> BlamedLine | None:
        raise _no_git()

    def list_shallow(self) -> frozenset[str]:
        return frozenset()


def _no_git() -> PartMissing:
    return PartMissing("there is no git executable on the PATH", hint="Install git.")
