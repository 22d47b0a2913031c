"""The work tree and its index through the git executable, which alone may touch the index."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.errors import Contended, Refused, UsageError
from gitmem.git.blame_exec import list_filter_guards
from gitmem.git.complaints import build_error
from gitmem.git.process import Git

_DIFF = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative", "-O/dev/null")
_NO_REFRESH = ("-c", "diff.autoRefreshIndex=false")
_STATUS = (
    *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"),
    "--ignore-submodules=dirty",
)
# `git check-ignore` refuses to run where paths are declared literal; it takes no patterns.
_PLAIN_PATHS = {"GIT_LITERAL_PATHSPECS": "0"}
_LOCKED = re.compile(rb"index\.lock.*File exists|Unable to create .*index\.lock", re.DOTALL)


class ExecWorkTree:
    """`ports.worktree.WorkTree` over `git diff`, `git add` and `git check-ignore`."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def list_changed_paths(self, *, staged: bool) -> list[str]:
        if self._git.work_tree is None:
            return []
        if staged:
            raw = self._diff("--name-only", "-z", "--cached")
        else:
            # Not `git diff`, which writes the index when it finds a file merely touched.
            raw = self._git.run(*list_filter_guards(self._git), "ls-files", "--modified", "-z")
        return sorted(
            {name.decode("utf-8", "surrogateescape") for name in raw.split(b"\0") if name}
        )

    def list_changed_since(self, commit: str | None, *, seconds: float) -> list[str]:
        if self._git.work_tree is None:
            return []
        guards = list_filter_guards(self._git)
        raw = self._git.run(*guards, *_NO_REFRESH, *_STATUS, seconds=seconds)
        names = {row[3:] for row in raw.split(b"\0") if len(row) > 3}
        if commit is not None:
            words = ("diff", *_DIFF, "--name-only", "-z", commit, "HEAD", "--")
            done = self._git.attempt(*guards, *words, seconds=seconds)
            if done.code == 0:  # a commit that is gone says nothing of what changed
                names |= {name for name in done.stdout.split(b"\0") if name}
        return sorted(name.decode("utf-8", "surrogateescape") for name in names)

    def read_diff(self, max_lines: int) -> list[str]:
        if self._git.work_tree is None:
            return []
        for staged in (("--cached",), ()):
            raw = self._diff("--no-color", *staged)
            lines = _without_memory(raw.decode("utf-8", "replace").splitlines())
            if lines:
                return lines[:max_lines]
        return []

    def stage(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        # --sparse: a cone that leaves the folder out must not leave the records behind.
        done = self._git.attempt("add", "--sparse", "--", *paths)
        if done.code == 129:  # a git before 2.34, which knows neither the option nor the problem
            done = self._git.attempt("add", "--", *paths)
        if done.code == 0:
            return
        if _LOCKED.search(done.stderr):
            raise Contended("git's index is locked by another process")
        rule = self.find_ignore_rule(paths[0])
        if rule is not None:
            raise Refused(
                f"git ignores {paths[0]}, by {rule}",
                hint="Take that line out, or add `!.gitmem/` after it.",
            )
        raise build_error(("add",), done.stderr)

    def find_ignore_rule(self, path: str) -> str | None:
        if self._git.work_tree is None:
            return None
        done = self._git.attempt(
            "check-ignore",
            "-v",
            "-z",
            "--no-index",
            "--stdin",
            stdin=path.encode("utf-8", "surrogateescape") + b"\0",
            extra=_PLAIN_PATHS,
        )
        fields = done.stdout.split(b"\0")
        if done.code != 0 or len(fields) < 4:
            return None
        source, line, pattern = (f.decode("utf-8", "replace") for f in fields[:3])
        return None if pattern.startswith("!") else f"{source}:{line}: {pattern}"

    def get_editor(self) -> str:
        done = self._git.query("var", "GIT_EDITOR")
        editor = done.stdout.decode("utf-8", "replace").strip()
        if done.code != 0 or not editor:
            raise UsageError(
                "git knows no editor to open", hint='Say it in one line: gitmem capture -m "…"'
            )
        return editor

    def _diff(self, *options: str) -> bytes:
        guards = list_filter_guards(self._git)
        return self._git.run(
            *guards, *_NO_REFRESH, "diff", *_DIFF, "--ignore-submodules=dirty", *options, "--"
        )


def _without_memory(diff: Sequence[str]) -> list[str]:
    """A diff without the memory's own files, which say nothing to whoever writes a decision."""
    kept: list[str] = []
    is_ours = False
    for line in diff:
        if line.startswith("diff --git "):
            is_ours = line.startswith("diff --git a/.gitmem/")
        if not is_ours:
            kept.append(line)
    return kept
