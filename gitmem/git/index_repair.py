"""After a commit: give the index what HEAD got, where git made the commit of another index."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.git.process import Git


def repair_index(git: Git, paths: Sequence[str]) -> list[str]:
    """Add to this work tree's own index exactly those paths that HEAD has and it lacks; the
    paths added. Without this the next commit would delete them. Raises GitFailed where the
    index is locked."""
    if not paths:
        return []
    held = _list(git.run("ls-files", "-s", "-z", "--", *paths))
    missing = [
        (path, mode, blob)
        for path, (mode, blob) in _list(
            git.run("ls-tree", "-r", "-z", "HEAD", "--", *paths)
        ).items()
        if path not in held
    ]
    rows = b"".join(b"%s %s\t%s\0" % (mode, blob, path) for path, mode, blob in missing)
    if rows:
        git.run("update-index", "-z", "--add", "--index-info", stdin=rows)
        # The stat data, so that plumbing that does not refresh sees no change either.
        git.attempt("add", "--refresh", "--", *(path for path, _, _ in missing))
    return [path.decode("utf-8", "surrogateescape") for path, _, _ in missing]


def _list(raw: bytes) -> dict[bytes, tuple[bytes, bytes]]:
    """Path → (mode, blob), of `ls-files -s` and of `ls-tree`."""
    found = {}
    for row in raw.split(b"\0"):
        head, tab, path = row.partition(b"\t")
        words = head.split(b" ")
        if tab:
            found[path] = (words[0], words[2] if words[1] == b"blob" else words[1])
    return found
