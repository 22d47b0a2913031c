"""The code's history through `git log`: streamed, bounded, the same whatever the user's
configuration says."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from gitmem.core.history import BlamedLine, Commit, Touch
from gitmem.core.paths import encode_path
from gitmem.errors import GitFailed
from gitmem.git.blame_exec import blame_line
from gitmem.git.complaints import OutOfTime, build_error
from gitmem.git.history_parse import format_option, parse_combined, parse_log
from gitmem.git.layout import Layout, read_small
from gitmem.git.log_options import LOG, RECORDS
from gitmem.git.object_codec import is_oid
from gitmem.git.process import Git
from gitmem.git.ref_files import read_head

_MAX_SHALLOW_BYTES = 64 * 1024 * 1024


class ExecHistoryReader:
    """HistoryReader over the git executable."""

    def __init__(self, git: Git, layout: Layout) -> None:
        self._git = git
        self._layout = layout
        # In a partial clone comparing contents would fetch every old file: there only
        # renames without a change are seen, and no copies.
        renames = "-M100%" if layout.format.is_partial_clone else "-C"
        self._mark = os.urandom(16).hex()
        self._log = (*LOG, renames, format_option(self._mark))

    def iter_commits(self, tips: Sequence[str], exclude: Sequence[str]) -> Iterator[Commit]:
        if not tips:
            return
        stdin = _format_range(tips, exclude)
        walk = ("--topo-order", "--reverse", "--ignore-missing", "--stdin")
        with self._git.open_child(*self._log, *walk) as child:
            child.write(stdin)
            child.close_stdin()
            # While git walks: what it prints waits in the pipe.
            merges = self._find_merge_touches(tips, stdin)
            yield from parse_log(
                child.iter_chunks(),
                self._mark,
                shallow=self.list_shallow(),
                merge_touches=merges,
            )

    def iter_path_commits(
        self, path: str, *, limit: int, deadline_seconds: float
    ) -> Iterator[Commit]:
        head = self._find_head()
        if head is None or limit < 1:
            return
        raw = self._find_raw_path(path.rstrip("/"), head)
        options: list[str | bytes] = [f"-n{limit}", head, "--"]
        if raw:
            if not self._is_folder(raw, path, head):
                options.insert(0, "--follow")
            options.append(raw)
        log = [word for word in self._log if word != "--no-follow" or "--follow" not in options]
        chunks = self._git.stream(*log, *options, deadline_seconds=deadline_seconds)
        # The commit that was being printed at the deadline is not whole, and left out.
        with contextlib.suppress(OutOfTime):
            yield from parse_log(chunks, self._mark, shallow=self.list_shallow())

    def list_outside(self, tips: Sequence[str], head: str | None) -> list[str] | None:
        if not tips:
            return []
        stdin = _format_range(tips, [] if head is None else [head])
        done = self._git.attempt("rev-list", "--stdin", stdin=stdin)
        if done.code == 0:
            return done.stdout.decode("ascii").split()
        if len(self._list_known(tips)) < len(set(tips)):
            return None
        raise build_error(("rev-list",), done.stderr)

    def get_commits(self, oids: Sequence[str]) -> list[Commit]:
        known = self._list_known(oids)
        if not known:
            return []
        stdin = "".join(oid + "\n" for oid in known).encode()
        merges = self._find_merge_touches(known, stdin, "--no-walk=unsorted")
        chunks = self._git.stream(*self._log, "--no-walk=unsorted", "--stdin", stdin=stdin)
        commits = parse_log(chunks, self._mark, shallow=self.list_shallow(), merge_touches=merges)
        found = {commit.oid: commit for commit in commits}
        return [found[oid] for oid in oids if oid in found]

    def blame_line(self, path: str, line: int) -> BlamedLine | None:
        head = self._find_head()
        if head is None or line < 1:
            return None
        raw = self._find_raw_path(path, head)
        return blame_line(self._git, raw, line) if raw else None

    def list_shallow(self) -> frozenset[str]:
        text = read_small(self._layout.common_dir / "shallow", _MAX_SHALLOW_BYTES) or ""
        return frozenset(line for line in text.split() if is_oid(line))

    def _find_merge_touches(
        self, commits: Sequence[str], stdin: bytes, walk: str = "--full-history"
    ) -> dict[str, tuple[Touch, ...]]:
        """What merges added under the records folder against all of their parents. The pass
        is left out where none of the commits asked for has such a folder."""
        asked = "".join(f"{oid}:{RECORDS}\n" for oid in commits).encode()
        answers = self._git.run("cat-file", "--batch-check", stdin=asked)
        if b" tree " not in answers:
            return {}
        log = [word for word in self._log if not word.startswith(("-M", "-C", "--no-diff-merges"))]
        chunks = self._git.stream(
            *log,
            "-c",
            "--no-renames",
            "--merges",
            walk,
            "--ignore-missing",
            "--stdin",
            "--",
            RECORDS,
            stdin=stdin,
        )
        return parse_combined(chunks, self._mark, RECORDS + "/")

    def _list_known(self, oids: Sequence[str]) -> list[str]:
        """Those that are commits and here."""
        asked = list(dict.fromkeys(oid for oid in oids if is_oid(oid)))
        if not asked:
            return []
        raw = self._git.run("cat-file", "--batch-check", stdin="\n".join(asked).encode() + b"\n")
        lines = raw.decode("ascii", "replace").split("\n")
        return [
            oid
            for oid, line in zip(asked, lines, strict=False)
            if line.startswith(f"{oid} commit ")
        ]

    def _find_head(self) -> str | None:
        known = read_head(self._layout)
        if known is not None and known.oid is not None:
            return known.oid
        done = self._git.attempt("rev-parse", "--verify", "-q", "HEAD^{commit}")
        oid = done.stdout.decode("ascii", "replace").strip()
        return oid if done.code == 0 and is_oid(oid) else None

    def _find_raw_path(self, path: str, head: str) -> bytes:
        """git's bytes for a path of ours: as it stands, unless only the decoded form of its
        percent signs exists."""
        plain = encode_path(path, encoded=False)
        decoded = encode_path(path, encoded=True)
        if b"\0" in plain or decoded == plain:
            return plain if b"\0" not in plain else b""
        known = self._git.run("ls-tree", "-z", "--name-only", head, "--", decoded, plain)
        names = known.split(b"\0")
        return decoded if decoded in names and plain not in names else plain

    def _is_folder(self, raw: bytes, path: str, head: str) -> bool:
        if path.endswith("/"):
            return True
        listed = self._git.run("ls-tree", "-z", head, "--", raw)
        return listed.startswith(b"040000 ")


def _format_range(tips: Sequence[str], exclude: Sequence[str]) -> bytes:
    for oid in (*tips, *exclude):
        if not is_oid(oid):
            raise GitFailed(f"not an object id: {oid[:80]!r}")
    lines = [*tips, *("^" + oid for oid in exclude)]
    return "".join(line + "\n" for line in lines).encode()
