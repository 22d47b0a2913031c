"""The work tree and its index: what changed, what is ignored, what is staged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class WorkTree(Protocol):
    """The work tree of one repository. Nothing here runs what a repository configures."""

    def list_changed_paths(self, *, staged: bool) -> list[str]:
        """Paths that differ from the index (or, staged, that the index differs from HEAD). Bytes
        that are not UTF-8 stand as surrogates, as `os.fsdecode` gives them."""
        ...

    def list_changed_since(self, commit: str | None, *, seconds: float) -> list[str]:
        """Paths that differ between the work tree and HEAD, those that git neither tracks nor
        ignores included, and between HEAD and a commit; bytes as above. Raises OutOfTime (a
        GitFailed) where git takes longer than so many seconds."""
        ...

    def read_diff(self, max_lines: int) -> list[str]:
        """The staged changes as a diff, else the unstaged ones; at most so many lines."""
        ...

    def stage(self, paths: Sequence[str]) -> None:
        """Add these files to the index. Raises Refused, naming the rule, where git ignores
        them, and Contended where the index is locked."""
        ...

    def find_ignore_rule(self, path: str) -> str | None:
        """`file:line: pattern` of the rule by which git ignores a path, existing or not; None
        where it does not."""
        ...

    def get_editor(self) -> str:
        """The shell command of the user's editor, as git would start it."""
        ...
