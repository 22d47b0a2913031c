"""What goes with a commit: pending decisions are copied into its tree, as new segments.

Runs inside the user's commit, so that it reads what it can from files, asks git little, and
touches nothing but what it adds. The spool keeps its copies: a commit may still be aborted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from gitmem.core.code_comments import GREP
from gitmem.core.records import Actor, Decision, Line
from gitmem.core.segments import build_segments
from gitmem.core.sharing import Share, is_of_agent, may_share
from gitmem.errors import GitmemError
from gitmem.ports.clock import Clock
from gitmem.ports.holdings import FindHoldings
from gitmem.ports.staging import StagedChange, Staging
from gitmem.services.commit_choice import Where, choose_lines, find_taken
from gitmem.services.commit_comments import build_comments, list_comments
from gitmem.services.commit_undo import Index, digest, withdraw
from gitmem.store.durable import ensure_directory, remove_durably, write_durably
from gitmem.store.folder import MAX_PROJECT_BYTES, check_folder
from gitmem.store.paths import FOLDER, RECORDS, ClonePaths
from gitmem.store.project_file import PROJECT_FILE, parse_project
from gitmem.store.spool import (
    highest_spooled_seq,
    iter_spooled,
    remove_spooled,
    write_pending,
)
from gitmem.store.staged_note import StagedNote, read_note, write_note

FOLDER_FILES = (f"{FOLDER}/.gitattributes", f"{FOLDER}/.gitignore", PROJECT_FILE)


class CommitInHand(msgspec.Struct, frozen=True, kw_only=True):
    """What the hook is given. `is_merging`: part of what is staged came from elsewhere, so
    that nothing is taken back. `check_time` raises OutOfTime past the hook's own deadline;
    `get_share` reads the policy for what agents captured, and is asked only where it matters."""

    clone: ClonePaths
    worktree: str
    work_tree: Path
    where: Where
    is_merging: bool
    staging: Staging
    find_holdings: FindHoldings
    clock: Clock
    get_actor: Callable[[], Actor]
    check_time: Callable[[], None]
    get_share: Callable[[], Share]


class Accompanied(msgspec.Struct, frozen=True):
    """What goes with the commit: summaries of the staged decisions, how many records in all,
    how many of them an agent wrote down, and the ids of those that look like they carry a
    secret."""

    summaries: tuple[str, ...] = ()
    records: int = 0
    withheld: tuple[str, ...] = ()
    of_agents: int = 0


def accompany(commit: CommitInHand) -> Accompanied:
    """Stage what belongs to the commit; take back first what an aborted one left behind.

    Raises what staging raises; then nothing that it wrote is left in the work tree."""
    staging = commit.staging
    index = Index(tuple(staging.list_changes()), staging.list_folder())
    old_note = read_note(commit.clone, commit.worktree)
    note = old_note
    aborted: tuple[str, ...] = ()
    if old_note.files and not commit.is_merging:
        index, gone = withdraw(commit.work_tree, staging, old_note, index)
        placed = {one: at for one, at in old_note.placed.items() if at[0] not in gone}
        note = StagedNote(placed=placed)
        aborted = old_note.comments if gone else ()
    found = _find_project(commit, index)
    if found is None or not _is_ordinary(index.changes):
        _keep_note(commit, old_note, replace(note, comments=note.comments or aborted))
        return Accompanied()
    project_id, folder_files = found
    gathered = _gather(commit, index, note, aborted, project_id)
    placed = {one: at for one, at in note.placed.items() if one in gathered.spooled}
    note = replace(note, comments=(*note.comments, *gathered.comments), placed=placed)
    if gathered.lines:
        _stage(commit, note, folder_files, gathered.lines)
    else:
        _keep_note(commit, old_note, note)
    return Accompanied(
        _summaries(gathered.lines),
        len(gathered.lines),
        gathered.withheld,
        sum(is_of_agent(line.record) for line in gathered.lines),
    )


class _Gathered(msgspec.Struct, frozen=True):
    """Records to stage, ids held back, ids of decisions made of comments, and of all that
    the spool has."""

    lines: tuple[Line, ...] = ()
    withheld: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    spooled: frozenset[str] = frozenset()


def _is_ordinary(changes: Sequence[StagedChange]) -> bool:
    """Whether it brings anything but records; a commit that takes the memory away does not
    count."""
    if any(change.path == PROJECT_FILE and change.status == "D" for change in changes):
        return False
    return any(not change.path.startswith(RECORDS + "/") for change in changes)


def _summaries(lines: Sequence[Line]) -> tuple[str, ...]:
    return tuple(line.record.summary for line in lines if isinstance(line.record, Decision))


def _keep_note(commit: CommitInHand, old: StagedNote, new: StagedNote) -> None:
    if new != old:
        write_note(commit.clone, commit.worktree, new)


def _find_project(commit: CommitInHand, index: Index) -> tuple[str, Mapping[str, bytes]] | None:
    """The project's id, and the folder's files that the index lacks, with their bytes. None
    where this branch has no memory and no other can lend it one."""
    check_folder(commit.work_tree)
    missing = [path for path in FOLDER_FILES if path not in index.folder]
    files = {path: _read(commit.work_tree / path) for path in FOLDER_FILES}
    if files[PROJECT_FILE] is None or any(files[path] is None for path in missing):
        lent = _borrow(commit, index, files)
        if lent is None:
            return None
        files.update({path: data for path, data in lent.items() if files[path] is None})
    project = files[PROJECT_FILE]
    assert project is not None
    return parse_project(project).project_id, {path: files[path] or b"" for path in missing}


def _borrow(
    commit: CommitInHand, index: Index, files: Mapping[str, bytes | None]
) -> Mapping[str, bytes] | None:
    """The folder's files byte for byte as the memory has them on another branch; or, where
    the work tree alone lacks them, as the index has them."""
    staged = [index.folder.get(path) for path in FOLDER_FILES]
    if all(staged):
        blobs = commit.staging.read_blobs([blob for blob in staged if blob])
        if all(blob is not None for blob in blobs):
            return {p: data or b"" for p, data in zip(FOLDER_FILES, blobs, strict=True)}
    if next(iter_spooled(commit.clone.spool / commit.worktree), None) is None:
        return None
    return commit.staging.read_folder_files(FOLDER_FILES)


def _read(file: Path) -> bytes | None:
    if file.is_symlink():
        return None
    try:
        with open(file, "rb") as opened:
            return opened.read(MAX_PROJECT_BYTES)
    except OSError:
        return None


def _gather(
    commit: CommitInHand,
    index: Index,
    note: StagedNote,
    aborted: Sequence[str],
    project_id: str,
) -> _Gathered:
    """`aborted` are ids of decisions that a run in vain made of comments."""
    folder = dict(index.folder)
    for change in index.changes:
        gone = change.path if change.status == "D" else change.old_path
        if gone is not None and gone.startswith(RECORDS + "/"):
            folder.setdefault(gone, "")  # HEAD has it still
    comments = [
        one
        for one in list_comments(commit.staging.list_added_lines(GREP))
        if not one[0].path.startswith(FOLDER + "/")
    ]
    keys = {comment.key for comment, _ in comments}
    lines = _read_pending(commit, project_id, set(aborted), keys)
    if not lines and not keys:
        return _Gathered()
    taken = find_taken(
        commit.work_tree,
        folder,
        lines,
        keys,
        commit.staging,
        commit.find_holdings,
        commit.check_time,
    )
    mine = {r.key for line in lines if isinstance(r := line.record, Decision)}
    made = build_comments(
        comments,
        taken.keys | mine,
        project_id=project_id,
        highest_seq=max(taken.max_seq, highest_spooled_seq(commit.clone)),
        where=commit.where,
        clock=commit.clock,
        get_actor=commit.get_actor,
    )
    for line in made:
        write_pending(commit.clone, commit.worktree, line)
    choice = choose_lines(
        [*lines, *made], index.changes, taken, note.placed, commit.staging, commit.where
    )
    kept = [line.id for line in lines if line.id in aborted]
    return _Gathered(
        choice.lines,
        choice.withheld,
        (*kept, *(line.id for line in made)),
        frozenset(line.id for line in (*lines, *made)),
    )


def _read_pending(
    commit: CommitInHand, project_id: str, aborted: set[str], keys: set[str]
) -> list[Line]:
    """This work tree's pending records, as far as they may be shared. What a run in vain made
    of comments that are not there any more was never said, and goes."""
    lines, stale = [], []
    for spooled in iter_spooled(commit.clone.spool / commit.worktree):
        commit.check_time()
        record = spooled.line.record
        if record.id in aborted and isinstance(record, Decision) and record.key not in keys:
            stale.append(spooled)
        elif record.project == project_id:
            lines.append(spooled.line)
    remove_spooled(stale)
    if any(is_of_agent(line.record) for line in lines):
        share = commit.get_share()
        lines = [line for line in lines if may_share(line.record, share)]
    return lines


def _stage(
    commit: CommitInHand,
    note: StagedNote,
    folder_files: Mapping[str, bytes],
    lines: Sequence[Line],
) -> None:
    """Write the files and stage them. The note goes first, so that whatever interrupts this
    leaves nothing behind that the next run cannot take back."""
    files = dict(folder_files)
    placed = dict(note.placed)
    for month, name, data in build_segments(lines):
        path = f"{RECORDS}/{month}/{name}"
        files[path] = data
        for line in lines:
            if line.raw in data:
                placed[line.id] = (path, commit.where.head or "")
    made = [path for path in files if not (commit.work_tree / path).exists()]
    note = StagedNote(
        {**note.files, **{path: digest(data) for path, data in files.items()}},
        (*note.made, *made),
        note.comments,
        placed,
    )
    write_note(commit.clone, commit.worktree, note)
    try:
        for path in made:
            file = commit.work_tree / path
            if file.parent.is_symlink():
                raise GitmemError(f"{path} leads through a symbolic link")
            ensure_directory(file.parent, mode=0o777)
            write_durably(file, files[path], mode=0o666)
        commit.staging.add(files)
    except (GitmemError, OSError):
        for path in made:
            remove_durably(commit.work_tree / path)
        raise
