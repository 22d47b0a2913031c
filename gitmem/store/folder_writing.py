"""Writing the tracked folder: its own three files, and new segments. Nothing is rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from gitmem.core.records import Line
from gitmem.core.segments import build_segments
from gitmem.errors import ForeignFolder
from gitmem.store.durable import cannot_write, ensure_directory, write_durably
from gitmem.store.folder import check_folder
from gitmem.store.paths import FOLDER, RECORDS
from gitmem.store.project_file import ATTRIBUTES, IGNORE, Project, format_project

_DIRECTORY_MODE = 0o777  # the folder is the user's, so their umask decides


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
            raise ForeignFolder(
                f"{RECORDS}/{month} is a symbolic link; nothing is written through it"
            )
        _ensure_folder(file.parent)
        write_durably(file, data, mode=0o666)
        paths.append(path)
    return paths


def _ensure_folder(folder: Path) -> None:
    try:
        ensure_directory(folder, mode=_DIRECTORY_MODE)
    except OSError as error:
        raise cannot_write(folder, error) from error
