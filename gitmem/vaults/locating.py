"""From the folders that settings name to vaults: which may be read, and where they lie."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.core.notes import Complaint
from gitmem.core.paths import decode_path
from gitmem.vaults.folder import FolderVault, RefusedVault, is_searched

if TYPE_CHECKING:
    from gitmem.ports.notes import Vault


def locate_vaults(
    work_tree: Path | None,
    project_folders: Sequence[str],
    own_folders: Sequence[str],
    hubs: Sequence[str],
    environ: Mapping[str, str],
) -> list[Vault]:
    """The project's folders, which must lie in the work tree, whatever links are on the way,
    and outside `.git`; then the user's own, which may lie anywhere and begin with `~`. One
    that lies in another is left out: its pages are there already."""
    vaults: list[Vault] = []
    roots: dict[Path, str] = {}
    if work_tree is not None:
        tree = Path(os.path.realpath(work_tree))
        for folder in project_folders:
            root = _find_inside(tree, folder)
            if root is None:
                vaults.append(_refuse(folder))
            else:
                roots.setdefault(root, _name(root, tree))
    else:
        tree = None
    for folder in own_folders:
        root = _find_own(tree, folder, environ)
        if root is not None:
            roots.setdefault(root, _name(root, tree))
    kept = [root for root in roots if not any(_covers(other, root) for other in roots)]
    return [*(FolderVault(roots[root], root, hubs) for root in kept), *vaults]


def _find_inside(tree: Path, folder: str) -> Path | None:
    """A committed folder, resolved; None where it is not one of the work tree's."""
    try:
        root = Path(os.path.realpath(tree / folder))
    except (OSError, ValueError):
        return None
    if Path(folder).is_absolute() or not root.is_relative_to(tree):
        return None
    parts = root.relative_to(tree).parts
    return None if any(part.casefold() == ".git" for part in parts) else root


def _find_own(tree: Path | None, folder: str, environ: Mapping[str, str]) -> Path | None:
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if folder == "~" or folder.startswith(("~/", "~\\")):
        if not home:
            return None
        folder = home + folder[1:]
    if not Path(folder).is_absolute() and tree is None:
        return None
    try:
        return Path(os.path.realpath(tree / folder if tree is not None else folder))
    except (OSError, ValueError):
        return None


def _name(root: Path, tree: Path | None) -> str:
    """Relative to the repository's root, else absolute."""
    is_inside = tree is not None and root.is_relative_to(tree)
    path = root.relative_to(tree) if tree is not None and is_inside else root
    return decode_path(os.fsencode(path.as_posix()))[0]


def _covers(outer: Path, inner: Path) -> bool:
    if outer == inner or not inner.is_relative_to(outer):
        return False
    return all(is_searched(part) for part in inner.relative_to(outer).parts)


def _refuse(folder: str) -> RefusedVault:
    message = (
        f"notes in {folder}: not read, since project.toml may name folders of this repository"
        " only (name your own in your user configuration)"
    )
    return RefusedVault(folder, Complaint("notes-outside", message))
