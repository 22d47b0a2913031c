"""Unmerged paths of an index, through the git executable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.core.paths import decode_path
from gitmem.errors import Contended
from gitmem.git.complaints import build_error
from gitmem.git.process import Git


class ExecConflictedIndex:
    """`ports.conflicts.ConflictedIndex`."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def list_versions(self, folder: str) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for row in self._git.run("ls-files", "-u", "-z", "--", folder).split(b"\0"):
            head, tab, path = row.partition(b"\t")
            if tab:
                blob = head.split(b" ")[1].decode("ascii")
                found.setdefault(decode_path(path)[0], []).append(blob)
        return {path: tuple(blobs) for path, blobs in found.items()}

    def settle(self, removed: Sequence[str], added: Sequence[str]) -> None:
        if removed:
            stdin = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in removed)
            self._write("update-index", "-z", "--force-remove", "--stdin", stdin=stdin)
        if added:
            self._write("add", "--sparse", "--", *added)

    def _write(self, *words: str, stdin: bytes = b"") -> None:
        done = self._git.attempt(*words, stdin=stdin)
        if done.code == 129 and "--sparse" in words:
            done = self._git.attempt(*(word for word in words if word != "--sparse"), stdin=stdin)
        if done.code != 0:
            if b".lock" in done.stderr and b"File exists" in done.stderr:
                raise Contended("git's index is locked by another process")
            raise build_error(words, done.stderr)
