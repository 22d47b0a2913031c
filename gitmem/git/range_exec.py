"""Ranges of history through the git executable: git says what a range is, one pass reads it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from gitmem.core.segments import SegmentRef
from gitmem.errors import Ambiguous
from gitmem.git.complaints import build_error
from gitmem.git.history_parse import format_option
from gitmem.git.layout import Layout, read_small
from gitmem.git.log_options import LOG, RECORDS
from gitmem.git.object_codec import is_oid
from gitmem.git.process import Git
from gitmem.git.range_parse import parse_merges, parse_range
from gitmem.ports.range_reader import Ends, MergeSegments, RangeCommit

_MAX_SHALLOW_BYTES = 64 * 1024 * 1024
_AMBIGUOUS = re.compile(rb"short object ID ([0-9a-f]{1,64}) is ambiguous")
_SEGMENT = re.compile(rb"[0-7]{6} blob ([0-9a-f]{40,64})\t(?:[^\0]*/)?([a-z2-7]{26}\.ndjson)")


class ExecRangeReader:
    """RangeReader over the git executable."""

    def __init__(self, git: Git, layout: Layout) -> None:
        self._git = git
        self._layout = layout
        # In a partial clone comparing contents would fetch every old file.
        renames = "-M100%" if layout.format.is_partial_clone else "-M"
        self._mark = os.urandom(16).hex()
        self._log = (*LOG, renames, format_option(self._mark))

    def find_ends(self, words: Sequence[str]) -> Ends | None:
        raw = [os.fsencode(word) for word in words]
        done = self._git.attempt("rev-parse", *raw, "--")
        if done.code != 0:
            found = _AMBIGUOUS.search(done.stderr)
            if found:
                raise Ambiguous(f"{found[1].decode()} is the beginning of several ids")
            return None
        lines = done.stdout.decode("ascii", "replace").split("\n")
        said = [line for line in lines if is_oid(line.removeprefix("^"))]
        oids = self._peel([line.removeprefix("^") for line in said])
        if oids is None:
            return None
        pairs = list(zip(said, oids, strict=True))
        excluded = dict.fromkeys(oid for line, oid in pairs if line.startswith("^"))
        ends = dict.fromkeys(oid for line, oid in pairs if not line.startswith("^"))
        return Ends(tuple(ends), tuple(excluded))

    def iter_range(self, ends: Ends) -> Iterator[RangeCommit]:
        if not ends.ends:
            return
        lines = [*ends.ends, *("^" + oid for oid in ends.excluded)]
        stdin = "".join(line + "\n" for line in lines).encode()
        chunks = self._git.stream(*self._log, "--topo-order", "--reverse", "--stdin", stdin=stdin)
        yield from parse_range(chunks, self._mark, shallow=self.list_shallow())

    def read_merges(self, merges: Sequence[str]) -> Mapping[str, MergeSegments]:
        if not merges:
            return {}
        log = [word for word in self._log if not word.startswith(("-M", "--no-diff-merges"))]
        chunks = self._git.stream(
            *log,
            "-c",
            "--no-renames",
            "--no-walk=unsorted",
            "--stdin",
            "--",
            RECORDS,
            stdin="".join(oid + "\n" for oid in merges).encode(),
        )
        return parse_merges(chunks, self._mark)

    def find_last_tag(self, spec: str) -> str | None:
        done = self._git.attempt("describe", "--tags", "--abbrev=0", "--end-of-options", spec)
        name = os.fsdecode(done.stdout).rstrip("\n")
        return name if done.code == 0 and name else None

    def find_tag_time(self, name: str) -> int | None:
        ref = os.fsencode(f"refs/tags/{name}")
        wanted = "--format=%(refname)%00%(creatordate:unix)"
        for line in self._git.run("for-each-ref", wanted, "--", ref).split(b"\n"):
            found, _, at = line.partition(b"\0")
            if found == ref and at.isdigit():
                return int(at)
        return None

    def list_outside(self, commits: Sequence[str], tips: Sequence[str]) -> set[str]:
        if not commits:
            return set()
        lines = [*commits, *("^" + oid for oid in tips)]
        done = self._git.attempt(
            "rev-list", "--stdin", stdin="".join(line + "\n" for line in lines).encode()
        )
        if done.code != 0:
            raise build_error(("rev-list",), done.stderr)
        return set(commits) & set(done.stdout.decode("ascii").split())

    def list_segments(self, commit: str) -> list[SegmentRef]:
        if not is_oid(commit):
            return []
        done = self._git.attempt("ls-tree", "-r", "-z", commit, "--", RECORDS + "/")
        if done.code != 0:
            return []
        found = (_SEGMENT.fullmatch(entry) for entry in done.stdout.split(b"\0"))
        return [SegmentRef(one[2].decode(), one[1].decode()) for one in found if one]

    def list_shallow(self) -> frozenset[str]:
        text = read_small(self._layout.common_dir / "shallow", _MAX_SHALLOW_BYTES) or ""
        return frozenset(line for line in text.split() if is_oid(line))

    def _peel(self, oids: Sequence[str]) -> list[str] | None:
        """The commits that these ids name, tags peeled; None where one is something else."""
        asked = "".join(f"{oid}^{{commit}}\n" for oid in oids).encode()
        answers = self._git.run("cat-file", "--batch-check", stdin=asked).decode("ascii", "replace")
        found = [line.partition(" ") for line in answers.split("\n") if line]
        peeled = [oid for oid, _, rest in found if rest.startswith("commit ")]
        return peeled if len(peeled) == len(oids) else None
