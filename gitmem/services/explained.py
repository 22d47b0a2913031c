"""The commits that a decision explains, and the files they touched."""

from __future__ import annotations

from gitmem.core.paths import decode_path, encode_path
from gitmem.core.records import PathRef
from gitmem.errors import NotFound
from gitmem.services.workspace import Workspace

MAX_COMMITS = 1000
MAX_PATHS = 200


def list_explained(workspace: Workspace, text: str) -> tuple[tuple[str, ...], tuple[PathRef, ...]]:
    """Full commit ids of COMMIT or RANGE (`A..B`), and the paths they touched.

    Raises NotFound for what names no commit here."""
    objects = workspace.sources.objects
    older, dots, newer = text.partition("..")
    if dots and not newer.startswith("."):
        tip = objects.find_commit(newer or "HEAD")
        base = objects.find_commit(older or "HEAD")
        if tip is None or base is None:
            raise _unknown(text)
        commits = list(workspace.history.iter_commits([tip], [base]))[-MAX_COMMITS:]
    else:
        oid = objects.find_commit(text)
        if oid is None:
            raise _unknown(text)
        commits = workspace.history.get_commits([oid])
    if not commits:
        raise NotFound(
            f"there is no commit in {text}", hint="Name the older end first: gitmem … --for A..B"
        )
    paths = sorted(
        {touch.path for commit in commits for touch in commit.touches if touch.status != "D"}
    )
    refs = tuple(
        PathRef(path, encoded=_is_encoded(path))
        for path in paths[:MAX_PATHS]
        if not path.startswith(".gitmem/")
    )
    return tuple(commit.oid for commit in commits), refs


def _is_encoded(path: str) -> bool:
    """Whether history spells a path with bad bytes so: a `%` alone proves nothing."""
    return decode_path(encode_path(path, encoded=True)) == (path, True)


def _unknown(text: str) -> NotFound:
    return NotFound(f"no commit here is called {text}", hint="List commits: git log --oneline")
