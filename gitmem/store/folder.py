"""The tracked folder in a work tree: recognising it, and adding to it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gitmem.core.records import Line
from gitmem.core.segments import build_segments
from gitmem.errors import Damaged, Refused
from gitmem.store.durable import cannot_write, ensure_directory, write_durably
from gitmem.store.paths import FOLDER, RECORDS
from gitmem.store.project_file import (
    ATTRIBUTES,
    IGNORE,
    Project,
    format_project,
    not_ours,
    parse_project,
)

MAX_PROJECT_BYTES = 1024 * 1024
_DIRECTORY_MODE = 0o777  # the folder is the user's, so their umask decides


def check_folder(work_tree: Path) -> Path:
    """The path of the folder, whether or not it exists. Raises Refused for a symbolic link,
    and for a file: nothing is read or written through either."""
    folder = work_tree / FOLDER
    for path in (folder, folder / "records"):
        if path.is_symlink():
            raise Refused(
                f"{path.name}/ is a symbolic link; gitmem neither reads nor writes through it",
                hint=f"Look at what it points to, then remove it: rm {path}",
            )
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{FOLDER} is a file, not a folder")
    return folder


def find_project(work_tree: Path) -> Project | None:
    """The project of the folder in a work tree; None where there is no such folder.

    Raises what `check_folder` and `parse_project` raise, and Refused for another tool's folder.
    """
    folder = check_folder(work_tree)
    file = folder / "project.toml"
    if file.is_symlink():
        raise Refused(f"{file.name} is a symbolic link; it is not read")
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


def folder_files(project: Project) -> dict[str, bytes]:
    """The files that make the folder, by path from the repository's root."""
    return {
        f"{FOLDER}/.gitattributes": ATTRIBUTES.encode(),
        f"{FOLDER}/.gitignore": IGNORE.encode(),
        f"{FOLDER}/project.toml": format_project(project).encode(),
    }


def write_folder(work_tree: Path, project: Project) -> list[str]:
    """Write the folder's files where they are missing; the paths written."""
    check_folder(work_tree)
    written = []
    _ensure_folder(work_tree / FOLDER)
    for path, data in folder_files(project).items():
        file = work_tree / path
        if not os.path.lexists(file):
            write_durably(file, data, mode=0o666)
            written.append(path)
    return written


def write_segments(work_tree: Path, lines: Iterable[Line]) -> list[str]:
    """Add records to the folder, as new segments; their paths from the repository's root."""
    check_folder(work_tree)
    paths = []
    for month, name, data in build_segments(lines):
        path = f"{RECORDS}/{month}/{name}"
        file = work_tree / path
        if file.parent.is_symlink():
            raise Refused(f"{RECORDS}/{month} is a symbolic link; nothing is written through it")
        _ensure_folder(file.parent)
        write_durably(file, data, mode=0o666)
        paths.append(path)
    return paths


def _ensure_folder(folder: Path) -> None:
    try:
        ensure_directory(folder, mode=_DIRECTORY_MODE)
    except OSError as error:
        raise cannot_write(folder, error) from error
