"""Take back what an earlier run of the commit hook staged, where that commit never came."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from gitmem.ports.staging import StagedChange, Staging
from gitmem.store.durable import remove_durably
from gitmem.store.paths import FOLDER
from gitmem.store.staged_note import StagedNote


class Index(msgspec.Struct, frozen=True):
    """The commit in hand: what it changes, and all that its folder has (path → blob)."""

    changes: tuple[StagedChange, ...]
    folder: dict[str, str]


def withdraw(
    work_tree: Path, staging: Staging, note: StagedNote, index: Index
) -> tuple[Index, frozenset[str]]:
    """The index without what the note says was staged for a commit that was aborted; and the
    paths of that. Files that changed since are the user's, and stay."""
    added = {change.path for change in index.changes if change.status == "A"}
    mine = [path for path in note.files if _is_ours(work_tree, path, note)]
    # A path that is in the index and no addition is in HEAD: that commit did come.
    stale = [
        path
        for path in mine
        if path in added or (path not in index.folder and (work_tree / path).is_file())
    ]
    if stale:
        heads = {head for _, head in note.placed.values() if head}
        committed = staging.list_committed(stale, heads)
        stale = [path for path in stale if path not in committed]
    if not stale:
        return index, frozenset()
    staged = [path for path in stale if path in added]
    if staged:
        staging.remove(staged)
    for path in stale:
        if path in note.made:
            remove_durably(work_tree / path)
            _remove_empty(work_tree, (work_tree / path).parent)
    gone = frozenset(staged)
    left = Index(
        tuple(change for change in index.changes if change.path not in gone),
        {path: blob for path, blob in index.folder.items() if path not in gone},
    )
    return left, frozenset(stale)


def digest(data: bytes) -> str:
    """What a note remembers of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def _is_ours(work_tree: Path, path: str, note: StagedNote) -> bool:
    file = work_tree / path
    if not path.startswith(FOLDER + "/") or ".." in path.split("/") or file.is_symlink():
        return False
    try:
        return digest(file.read_bytes()) == note.files[path]
    except FileNotFoundError:
        return True  # `git clean` took it; the index may still have it
    except OSError:
        return False


def _remove_empty(work_tree: Path, folder: Path) -> None:
    """Folders that this left empty, up to the memory's own."""
    try:
        while folder != work_tree and folder.is_relative_to(work_tree / FOLDER):
            folder.rmdir()
            folder = folder.parent
    except OSError:
        return
