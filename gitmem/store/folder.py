"""Recognising the tracked folder in a work tree, and refusing what is not ours."""

from __future__ import annotations

from pathlib import Path

from gitmem.errors import Damaged, ForeignFolder
from gitmem.store.paths import FOLDER
from gitmem.store.project_file import Project, not_ours, parse_project

MAX_PROJECT_BYTES = 1024 * 1024


def check_folder(work_tree: Path) -> Path:
    """The path of the folder, whether or not it exists. Raises ForeignFolder for a link,
    and for a file: nothing is read or written through either."""
    folder = work_tree / FOLDER
    for path in (folder, folder / "records"):
        if path.is_symlink():
            raise ForeignFolder(
                f"{path.relative_to(work_tree)} is a symbolic link; gitmem neither reads nor "
                "writes through it",
                hint=f"Look at what it points to, then remove it: rm {path}",
            )
    if folder.exists() and not folder.is_dir():
        raise ForeignFolder(f"{FOLDER} is a file, not a folder")
    return folder


def find_project(work_tree: Path) -> Project | None:
    """The project of the folder in a work tree; None where there is no such folder.

    Raises what `check_folder` and `parse_project` raise, and ForeignFolder for another tool's.
    """
    folder = check_folder(work_tree)
    file = folder / "project.toml"
    if file.is_symlink():
        raise ForeignFolder(f"{file.name} is a symbolic link; it is not read")
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_PROJECT_BYTES)
    except FileNotFoundError:
        if folder.is_dir() and any(folder.iterdir()) and not (folder / "records").is_dir():
            raise not_ours() from None
        return None
    except OSError as error:
        raise Damaged(f"{file} cannot be read: {error.strerror}") from error
    return parse_project(data)
