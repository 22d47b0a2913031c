"""Wiring of `maintain`."""

from __future__ import annotations

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.errors import NoMemory, Refused
from gitmem.ports.conflicts import ConflictedIndex
from gitmem.services.maintain import (
    Folded,
    Rewritten,
    fold_spool,
    resolve_conflicts,
    rewrite_redacted,
)

MAX_LEFT = 5


def fold_memory(opened: Opened, *, is_dry_run: bool) -> Folded:
    """What is pending, onto this clone's own ref. Raises NoMemory."""
    opened.workspace.get_memory()
    if opened.project is None:
        raise NoMemory("there is no memory here to maintain")
    return fold_spool(opened.workspace, opened.project, is_dry_run=is_dry_run, reopen=opened.reopen)


def rewrite_memory(opened: Opened, *, is_dry_run: bool) -> tuple[Rewritten, str]:
    """Segments without what was redacted; or why they cannot be rewritten here."""
    try:
        done = rewrite_redacted(opened.reopen(), _index(opened), is_dry_run=is_dry_run)
        left = "; ".join(sorted({f"{p.place}: {p.detail}" for p in done.problems})[:MAX_LEFT])
        return done, f"left as it is, for some of it cannot be read here: {left}" if left else ""
    except Refused as error:
        return Rewritten(), f"{error.message}. {error.hint}"


def resolve_memory(opened: Opened, *, is_dry_run: bool) -> Rewritten:
    """Conflicts among the records, by union. Raises NoMemory."""
    return resolve_conflicts(opened.workspace, _index(opened), is_dry_run=is_dry_run)


def _index(opened: Opened) -> ConflictedIndex:
    layout = opened.layout
    git = load("git")(layout.git_dir, layout.work_tree, opened.environ)
    index: ConflictedIndex = load("conflicts-exec")(git)
    return index
