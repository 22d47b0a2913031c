"""History where there is no git executable: none, said plainly instead of guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitmem.core.history import BlamedLine, Commit


class AbsentHistory:
    """HistoryReader that knows of nothing: memory answers, commit messages do not."""

    def iter_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> Iterator[Commit]:
        return iter(())

    def iter_path_commits(
        self, path: str, *, limit: int, deadline_seconds: float
    ) -> Iterator[Commit]:
        return iter(())

    def list_outside(self, tips: Sequence[str], head: str | None) -> list[str]:
        return []

    def get_commits(self, oids: Sequence[str]) -> list[Commit]:
        return []

    def blame_line(self, path: str, line: int) -> BlamedLine | None:
        return None

    def list_shallow(self) -> frozenset[str]:
        return frozenset()
