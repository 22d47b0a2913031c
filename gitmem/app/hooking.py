"""Wiring of git's hooks: few imports, no cache opened for writing, a deadline of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from gitmem.app.clock import SystemClock
from gitmem.cache.holdings import find_holdings
from gitmem.config import read_settings
from gitmem.core.records import Actor
from gitmem.git.complaints import OutOfTime
from gitmem.git.files import Layout, discover, find_ref, read_head
from gitmem.git.index_repair import repair_index
from gitmem.git.process import Git
from gitmem.git.settings_exec import ExecSettings
from gitmem.git.staging_exec import ExecStaging, find_operation, is_merging, is_plain_commit
from gitmem.services.commit_capture import Accompanied, CommitInHand, accompany
from gitmem.services.commit_choice import Where
from gitmem.store.paths import FOLDER, RECORDS, ClonePaths, clone_paths, spool_folder_name
from gitmem.store.project_file import PROJECT_FILE
from gitmem.store.staged_note import marks_folder, read_note

DEADLINE_SECONDS = 5.0


def run_pre_commit(cwd: Path, environ: Mapping[str, str]) -> Accompanied:
    """Let pending decisions go with the commit that is being made. Does nothing where there
    is no memory, where it is detached, and while git replays commits."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    layout = discover(cwd, environ)
    if layout is None or layout.work_tree is None or find_operation(layout.git_dir) is not None:
        return Accompanied()
    clone = clone_paths(layout.common_dir)
    if not clone.home.is_dir() and not (layout.work_tree / FOLDER).is_dir():
        return Accompanied()
    if _is_detached(clone, environ):
        return Accompanied()
    git = Git(layout.git_dir, layout.work_tree, environ)
    where = _find_where(layout, git)
    staging = ExecStaging(git, layout, environ, cwd=cwd, head=where.head, deadline=deadline)
    if len(staging.indexes) > 1 or not is_plain_commit(layout, environ, cwd):
        _ask_for_repair(clone, layout)
    return accompany(
        CommitInHand(
            clone=clone,
            worktree=spool_folder_name(layout.worktree_name),
            work_tree=layout.work_tree,
            where=where,
            is_merging=is_merging(layout.git_dir),
            staging=staging,
            find_holdings=lambda ids, keys: find_holdings(clone.cache, ids, keys),
            clock=SystemClock(environ.get("GITMEM_NOW") or None),
            get_actor=lambda: Actor(*ExecSettings(git).get_identity()),
            check_time=lambda: _check_time(deadline),
            get_share=lambda: (
                read_settings(
                    clone_file=clone.config,
                    project_file=layout.work_tree / PROJECT_FILE if layout.work_tree else None,
                    environ=environ,
                ).share_agents
            ),
        )
    )


def list_staged_files(cwd: Path, environ: Mapping[str, str]) -> tuple[Path, list[str]] | None:
    """The work tree, and the segments that the hook before this one staged for the commit in
    hand. None where there is no such commit."""
    layout = discover(cwd, environ)
    if layout is None or layout.work_tree is None or find_operation(layout.git_dir) is not None:
        return None
    note = read_note(clone_paths(layout.common_dir), spool_folder_name(layout.worktree_name))
    if not note.files:
        return None
    git = Git(layout.git_dir, layout.work_tree, environ)
    deadline = time.monotonic() + DEADLINE_SECONDS
    head = _find_where(layout, git).head
    staging = ExecStaging(git, layout, environ, cwd=cwd, head=head, deadline=deadline)
    staged = {change.path for change in staging.list_changes() if change.status == "A"}
    return layout.work_tree, [p for p in note.files if p in staged and p.startswith(RECORDS)]


def tell_of_agents_once(cwd: Path, environ: Mapping[str, str]) -> bool:
    """Whether this clone's people were never told that decisions of agents go with commits;
    from now on they were."""
    layout = discover(cwd, environ)
    if layout is None:
        return False
    mark = marks_folder(clone_paths(layout.common_dir)) / "told-of-agents"
    if mark.exists():
        return False
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    return True


def _check_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise OutOfTime(f"it took longer than {DEADLINE_SECONDS:g} seconds")


def _is_detached(clone: ClonePaths, environ: Mapping[str, str]) -> bool:
    if not clone.config.exists():
        return False
    return read_settings(clone_file=clone.config, project_file=None, environ={}).is_detached


def _find_where(layout: Layout, git: Git) -> Where:
    head = read_head(layout)
    if head is None:  # another ref storage: ask git
        done = git.attempt("rev-parse", "-q", "--verify", "HEAD")
        oid = done.stdout.decode("ascii", "replace").strip() or None
        named = git.attempt("symbolic-ref", "-q", "HEAD").stdout.decode("utf-8", "replace")
        branch = named.strip().removeprefix("refs/heads/") or None
    else:
        oid, branch = head.oid, head.branch
    return Where(oid, branch, lambda name: find_ref(layout, f"refs/heads/{name}") is not None)


def run_post_commit(cwd: Path, environ: Mapping[str, str]) -> list[str]:
    """Give the index what HEAD got of the hook's own files, where git made the commit of
    another index; the paths added. Raises GitFailed where the index is locked."""
    layout = discover(cwd, environ)
    if layout is None or layout.work_tree is None:
        return []
    clone = clone_paths(layout.common_dir)
    mark = _repair_mark(clone, layout)
    if not mark.exists():
        return []
    note = read_note(clone, spool_folder_name(layout.worktree_name))
    paths = [path for path in note.files if path.startswith(FOLDER + "/")]
    done = repair_index(Git(layout.git_dir, layout.work_tree, environ), paths)
    mark.unlink(missing_ok=True)
    return done


def _ask_for_repair(clone: ClonePaths, layout: Layout) -> None:
    """The hook after the commit looks whether the index has what HEAD got."""
    mark = _repair_mark(clone, layout)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def _repair_mark(clone: ClonePaths, layout: Layout) -> Path:
    return marks_folder(clone) / f"repair-{spool_folder_name(layout.worktree_name)}"
