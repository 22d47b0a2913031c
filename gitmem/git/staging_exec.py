"""The index of a commit in hand, through the git executable, as a hook of that commit.

git makes a commit of one of three files: the index itself; `index.lock`, which becomes the
index afterwards (`commit -a`, `-i`, `-p`); or a passing `next-index-*`, while `index.lock`
waits to become the index (`commit -- path`). What is staged must reach both of the latter,
or the next commit would take it out of history again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from gitmem.core.paths import decode_path, encode_path
from gitmem.errors import Contended, Refused
from gitmem.git.complaints import OutOfTime, build_error
from gitmem.git.layout import Layout
from gitmem.git.object_codec import NewObject, hash_object, is_oid
from gitmem.git.process import NO_NETWORK, Done, Git
from gitmem.git.staging_parse import parse_added_lines, parse_changes
from gitmem.ports.staging import AddedLines, StagedChange

# Variables by which git tells its hooks where this commit is made. They are passed on to a
# git that works on this same repository, and to no other.
_PASSED_ON = (
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
)
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_DIFF = ("--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=dirty")
_LOCKED = re.compile(rb"\.lock.*File exists|Unable to create .*\.lock", re.DOTALL)
_IGNORED = re.compile(rb"paths are ignored by one of your")
_WRITE_SECONDS = 60.0
_MAX_PATCH_BYTES = 4 * 1024 * 1024
_MAX_BRANCHES = 200
_FOLDER = ".gitmem"


class ExecStaging:
    """`ports.staging.Staging`. `cwd` is where the hook was started; `head` HEAD's commit,
    None before the first; reading ends, by OutOfTime, at `deadline` (of time.monotonic)."""

    def __init__(
        self,
        git: Git,
        layout: Layout,
        environ: Mapping[str, str],
        *,
        cwd: Path,
        head: str | None,
        deadline: float,
    ) -> None:
        self._git = git
        self._head = head
        self._format = layout.format.object_format
        self._deadline = deadline
        self._extra = _pass_on(environ, cwd) | NO_NETWORK
        self.indexes = list_indexes(layout, environ, cwd)

    def list_changes(self) -> list[StagedChange]:
        words = ("diff-index", "--cached", "--raw", "-z", "-M", "-r", "--abbrev=64", *_DIFF)
        raw = self._read(*words, self._head or _EMPTY_TREE[self._format], "--")
        return parse_changes(raw)

    def list_folder(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for index in self.indexes:
            raw = self._read("ls-files", "-s", "-z", "--", _FOLDER, index=index)
            for row in raw.split(b"\0"):
                head, _, path = row.partition(b"\t")
                words = head.split(b" ")
                if len(words) == 3:
                    found[decode_path(path)[0]] = words[1].decode("ascii")
        return found

    def list_added_lines(self, pattern: str) -> list[AddedLines]:
        words = ["diff-index", "--cached", "-p", "-U0", "-M", "--no-color", f"-G{pattern}", *_DIFF]
        words += ["--src-prefix=a/", "--dst-prefix=b/", "--inter-hunk-context=0"]
        base = self._head or _EMPTY_TREE[self._format]
        try:
            # Half of the time there is: what it looks for is worth less than what is pending.
            seconds = self._seconds_left() / 2
            raw = self._git.run(*words, base, "--", extra=self._extra, seconds=seconds)
        except OutOfTime:
            return []
        return parse_added_lines(raw[:_MAX_PATCH_BYTES])

    def list_not_reached(self, commits: Collection[str]) -> set[str]:
        if self._head is None:
            return set(commits)
        return self._list_outside(commits, self._head)

    def list_abandoned(self, commits: Collection[str]) -> set[str]:
        return self._list_outside(commits, "--branches")

    def _list_outside(self, commits: Collection[str], *reached: str) -> set[str]:
        asked = sorted(one for one in commits if is_oid(one))
        if not asked:
            return set()
        words = ("rev-list", "--ignore-missing", "--stdin", "--not", *reached)
        raw = self._read(*words, stdin="".join(f"{one}\n" for one in asked).encode())
        found = set(raw.decode("ascii", "replace").split("\n"))
        return found & set(asked)

    def list_committed(self, paths: Sequence[str], since: Collection[str]) -> set[str]:
        words = ["log", "--branches", "--remotes", *([self._head] if self._head else [])]
        words += ["--full-history", "-m", "--format=", "--name-only", "-z", "--no-renames"]
        words += ["--diff-filter=A", "--no-ext-diff", "--no-textconv", "--no-relative"]
        start = self._find_start(since)
        limits = ["--not", f"{start}^@", "--"] if start else ["--"]
        raw = self._read(*words, *limits, *map(_encode, paths))
        found = {decode_path(name)[0] for name in raw.split(b"\0") if name}
        return found & set(paths)

    def _find_start(self, commits: Collection[str]) -> str | None:
        """A commit that is here and that all of these come from, if there is one."""
        known = sorted(one for one in commits if is_oid(one))
        if not known:
            return None
        words = ["merge-base", "--octopus", *known]
        seconds = self._seconds_left()
        done = self._git.attempt(*words, extra=self._extra, seconds=seconds)
        oid = done.stdout.decode("ascii", "replace").strip()
        return oid if done.code == 0 and is_oid(oid) else None

    def read_folder_files(self, paths: Sequence[str]) -> Mapping[str, bytes] | None:
        raw = self._read(
            "for-each-ref",
            f"--count={_MAX_BRANCHES}",
            "--sort=-committerdate",
            "--format=%(objectname)",
            "refs/heads",
            "refs/remotes",
        )
        for commit in dict.fromkeys(raw.decode("ascii", "replace").split()):
            found = self._read_objects([f"{commit}:{path}" for path in paths])
            if all(data is not None for data in found):
                return {path: data or b"" for path, data in zip(paths, found, strict=True)}
        return None

    def read_blobs(self, blobs: Sequence[str]) -> list[bytes | None]:
        return self._read_objects([blob for blob in blobs if is_oid(blob)])

    def _read_objects(self, specs: Sequence[str]) -> list[bytes | None]:
        rest = self._read("cat-file", "--batch", stdin="".join(f"{s}\n" for s in specs).encode())
        found: list[bytes | None] = []
        for _ in specs:
            header, _, rest = rest.partition(b"\n")
            words = header.split(b" ")
            if len(words) == 3 and words[1] == b"blob":
                size = int(words[2])
                found.append(rest[:size])
                rest = rest[size + 1 :]
            else:
                found.append(None)
        return found

    def add(self, files: Mapping[str, bytes]) -> None:
        for index in self.indexes:
            self._add_to(index, files)

    def _add_to(self, index: str | None, files: Mapping[str, bytes]) -> None:
        paths = [_encode(path) for path in files]
        done = self._write("add", "--sparse", "--", *paths, index=index)
        if done.code == 129:  # a git before 2.34, which knows neither the option nor the problem
            done = self._write("add", "--", *paths, index=index)
        if done.code != 0:
            if _IGNORED.search(done.stderr):
                raise Refused("git ignores the folder .gitmem/", hint="See why: gitmem doctor")
            if _LOCKED.search(done.stderr):
                raise Contended("the index is locked by another process")
            raise build_error(("add",), done.stderr)
        self._check(index, files)

    def _check(self, index: str | None, files: Mapping[str, bytes]) -> None:
        """Attributes that reach even our folder (`info/attributes`) may have had a filter
        change what was staged: then the bytes themselves are."""
        raw = self._read(
            "ls-files", "-s", "-z", "--", *map(_encode, files), index=index, is_late=True
        )
        there: dict[str, bytes] = {}
        for row in raw.split(b"\0"):
            head, _, name = row.partition(b"\t")
            there[decode_path(name)[0]] = b"".join(head.split(b" ")[1:2])
        width = 32 if self._format == "sha256" else 20
        rows = b""
        for path, data in files.items():
            oid = hash_object(NewObject("blob", data), width).hex()
            if there.get(path) != oid.encode():
                self._run_write("hash-object", "-w", "--no-filters", "--stdin", stdin=data)
                rows += b"100644 %s\t%s\0" % (oid.encode(), _encode(path))
        if rows:
            words = ("update-index", "-z", "--add", "--index-info")
            self._run_write(*words, stdin=rows, index=index)

    def remove(self, paths: Sequence[str]) -> None:
        stdin = b"".join(_encode(path) + b"\0" for path in paths)
        for index in self.indexes:
            self._run_write(
                "update-index", "-z", "--force-remove", "--stdin", stdin=stdin, index=index
            )

    def _seconds_left(self) -> float:
        return max(0.01, self._deadline - time.monotonic())

    def _read(
        self,
        *words: str | bytes,
        stdin: bytes = b"",
        index: str | None = None,
        is_late: bool = False,
    ) -> bytes:
        seconds = _WRITE_SECONDS if is_late else self._seconds_left()
        return self._git.run(*words, stdin=stdin, extra=self._environ(index), seconds=seconds)

    def _write(self, *words: str | bytes, stdin: bytes = b"", index: str | None = None) -> Done:
        # Never cut short: what is killed leaves a lock behind, which would stop the commit.
        return self._git.attempt(
            *words, stdin=stdin, extra=self._environ(index), seconds=_WRITE_SECONDS
        )

    def _run_write(self, *words: str | bytes, stdin: bytes = b"", index: str | None = None) -> None:
        done = self._write(*words, stdin=stdin, index=index)
        if done.code != 0:
            if _LOCKED.search(done.stderr):
                raise Contended("the index is locked by another process")
            raise build_error(words, done.stderr)

    def _environ(self, index: str | None) -> dict[str, str]:
        return self._extra if index is None else {**self._extra, "GIT_INDEX_FILE": index}


def list_indexes(layout: Layout, environ: Mapping[str, str], cwd: Path) -> list[str | None]:
    """The index files that take part in the commit, the one it is made of first. None stands
    for the index that git itself would choose."""
    named = environ.get("GIT_INDEX_FILE")
    if not named:
        return [None]
    index = os.path.abspath(cwd / named)  # noqa: PTH100
    lock = layout.git_dir / "index.lock"
    name = Path(index).name
    if name.startswith("next-index-") and lock.is_file():
        return [index, str(lock)]
    return [index]


def is_plain_commit(layout: Layout, environ: Mapping[str, str], cwd: Path) -> bool:
    """Whether the commit is made of the index itself, or of what becomes it."""
    named = environ.get("GIT_INDEX_FILE")
    if not named:
        return True
    index = Path(os.path.abspath(cwd / named))  # noqa: PTH100
    own = (layout.git_dir / "index", layout.git_dir / "index.lock")
    return any(_same(index, one) for one in own)


def find_operation(git_dir: Path) -> str | None:
    """The operation that replays commits here, if one does: its file in the git dir."""
    names = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer")
    return next((name for name in names if (git_dir / name).exists()), None)


def is_merging(git_dir: Path) -> bool:
    """Whether what is staged came, in part, from another branch."""
    return any((git_dir / name).exists() for name in ("MERGE_HEAD", "SQUASH_MSG"))


def _same(one: Path, other: Path) -> bool:
    return one.name == other.name and os.path.realpath(one.parent) == os.path.realpath(other.parent)


def _pass_on(environ: Mapping[str, str], cwd: Path) -> dict[str, str]:
    passed = {}
    for name in _PASSED_ON:
        value = environ.get(name)
        if not value:
            continue
        many = name == "GIT_ALTERNATE_OBJECT_DIRECTORIES"
        parts = value.split(os.pathsep) if many else [value]
        passed[name] = os.pathsep.join(os.path.abspath(cwd / part) for part in parts)  # noqa: PTH100
    return passed


def _encode(path: str) -> bytes:
    return encode_path(path, encoded=False)
