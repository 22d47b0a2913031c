"""Reading objects through the git executable: any repository that git reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from gitmem.errors import Damaged, GitFailed, RemoteUnreachable
from gitmem.git.child import Child
from gitmem.git.complaints import OutOfTime
from gitmem.git.object_codec import is_oid, list_entries
from gitmem.git.process import NO_NETWORK, Git
from gitmem.ports.repository import Blob, TreeEntry

# So few requests fit into any pipe, so that git never waits for us while we wait for git.
_BATCH = 50
_MAX_HEADER_BYTES = 1 << 16
_MAX_SPEC_BYTES = 1 << 14
_HEADER = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) ([0-9]{1,19})\n")

# (oid, kind, size in bytes)
Header = tuple[str, str, int]


class ExecObjectReader:
    """ObjectReader over `git cat-file`, started when first asked and kept.

    In a partial clone git fetches what is missing, without prompting; `idle_seconds` bounds
    the wait for any one answer.
    """

    def __init__(self, git: Git, *, idle_seconds: float = 60.0) -> None:
        self._git = git
        self._idle_seconds = idle_seconds
        self._is_cut_off = False
        self._checker: Child | None = None
        self._loader: Child | None = None

    def find_oid(self, spec: str) -> str | None:
        found = self._look(spec)
        if found is not None and found[1] == "tag":
            found = self._look(found[0] + "^{}")
        return None if found is None else found[0]

    def find_commit(self, spec: str) -> str | None:
        found = self._look(spec)
        if found is not None and found[1] == "tag":
            found = self._look(found[0] + "^{}")
        return found[0] if found is not None and found[1] == "commit" else None

    def list_tree(self, oid: str) -> list[TreeEntry]:
        if not is_oid(oid):
            raise Damaged(f"not an object id: {oid[:80]!r}")
        loader = self._get_loader()
        loader.write(oid.encode() + b"^{tree}\n")
        header = self._read_header(loader)
        if header is None or header[1] != "tree":
            if header is not None:
                self._read_body(loader, header)
            raise Damaged(f"no tree {oid} in the repository")
        data = self._read_body(loader, header)
        return list_entries(data, len(header[0]) // 2)

    def iter_blobs(self, oids: Sequence[str], limit_bytes: int) -> Iterator[Blob]:
        pending = iter(oids)
        while batch := list(islice(pending, _BATCH)):
            sizes = dict(zip(batch, self._check(batch), strict=True))
            wanted = [oid for oid in batch if _is_loadable(sizes[oid], limit_bytes)]
            # Read all of a batch before giving any of it away: whoever stops half-way leaves
            # no answers behind in the pipe.
            loaded = self._load(wanted)
            for oid in batch:
                header = sizes[oid]
                size = header[2] if header is not None and header[1] == "blob" else 0
                yield Blob(oid, size, loaded.get(oid))

    def is_ancestor(self, older: str, newer: str) -> bool:
        if not (is_oid(older) and is_oid(newer)):
            return False
        done = self._git.attempt("merge-base", "--is-ancestor", older, newer)
        return done.code == 0

    def list_roots(self, tip: str) -> list[str]:
        if not is_oid(tip):
            return []
        done = self._git.attempt("rev-list", "--first-parent", "--max-parents=0", tip, "--")
        roots = done.stdout.decode("ascii", "replace").split()
        if done.code != 0 or len(roots) != 1:
            return []
        # At a shallow boundary git hides parents that the commit itself still names.
        raw = self._git.run("cat-file", "commit", roots[0]).partition(b"\n\n")[0]
        return [] if b"\nparent " in raw else roots

    def close(self) -> None:
        for child in (self._checker, self._loader):
            if child is not None:
                child.close()
        self._checker = self._loader = None

    def _look(self, spec: str) -> tuple[str, str] | None:
        """(oid, kind) of what a spec names."""
        raw = spec.encode("utf-8", "surrogateescape")
        if not raw or b"\0" in raw or len(raw) > _MAX_SPEC_BYTES:
            return None
        if b"\n" in raw:
            raw = self._resolve_multiline(raw)
            if not raw:
                return None
        checker = self._get_checker()
        checker.write(raw + b"\n")
        try:
            header = self._read_header(checker)
        except GitFailed as error:
            # git ends at a reflog entry that is not there (`HEAD@{9}`) instead of saying so.
            if b"@{" in raw and "log for " in error.message:
                return None
            raise
        return None if header is None else (header[0], header[1])

    def _resolve_multiline(self, raw: bytes) -> bytes:
        """A file name may hold a line feed, which the batch protocol cannot carry."""
        done = self._git.attempt("rev-parse", "--verify", "-q", "--end-of-options", raw)
        oid = done.stdout.strip()
        return oid if done.code == 0 and is_oid(oid.decode("ascii", "replace")) else b""

    def _check(self, oids: Sequence[str]) -> list[Header | None]:
        """Of each, what it is; None where it is not here."""
        answers: dict[str, Header | None] = {}
        waiting = [oid for oid in oids if is_oid(oid)]
        while waiting:
            checker = self._get_checker()
            checker.write("".join(oid + "\n" for oid in waiting).encode())
            for place, oid in enumerate(waiting):
                try:
                    answers[oid] = self._read_header(checker)
                except (RemoteUnreachable, OutOfTime):
                    # Promised and not to be had: missing. git ends at each such object; from
                    # now on it does so without waiting for the network.
                    self._is_cut_off = True
                    answers[oid] = None
                    waiting = waiting[place + 1 :]
                    break
            else:
                break
        return [answers.get(oid) for oid in oids]

    def _load(self, oids: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        waiting = list(oids)
        while waiting:
            loader = self._get_loader()
            loader.write("".join(oid + "\n" for oid in waiting).encode())
            for place, oid in enumerate(waiting):
                try:
                    header = self._read_header(loader)
                    if header is not None:
                        found[oid] = self._read_body(loader, header)
                except OutOfTime:
                    raise
                except GitFailed:
                    # git ends at an object that is damaged: it is as good as missing, and the
                    # others are not.
                    waiting = waiting[place + 1 :]
                    break
            else:
                break
        return found

    def _read_body(self, child: Child, header: Header) -> bytes:
        try:
            return child.read_exactly(header[2] + 1)[:-1]
        except GitFailed:
            self.close()
            raise

    def _read_header(self, child: Child) -> Header | None:
        line = child.read_line(_MAX_HEADER_BYTES)
        match = _HEADER.fullmatch(line)
        if match:
            oid, kind, size = match.groups()
            return oid.decode(), kind.decode(), int(size)
        if line.endswith((b" missing\n", b" ambiguous\n")):
            return None
        failure = None if line else child.build_failure()
        self.close()
        if failure is not None:
            raise failure
        raise GitFailed("git cat-file gave an answer that is none")

    def _get_checker(self) -> Child:
        if self._checker is None:
            self._checker = self._open("--batch-check")
        return self._checker

    def _get_loader(self) -> Child:
        if self._loader is None:
            self._loader = self._open("--batch")
        return self._loader

    def _open(self, option: str) -> Child:
        extra = NO_NETWORK if self._is_cut_off else None
        return self._git.open_child(
            "cat-file", option, extra=extra, idle_seconds=self._idle_seconds
        )


def _is_loadable(header: Header | None, limit_bytes: int) -> bool:
    return header is not None and header[1] == "blob" and header[2] <= limit_bytes
