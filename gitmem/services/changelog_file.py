"""Writing a changelog into a file: in one piece or not at all, and never through a link out."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.core.changelog_file import place_section
from gitmem.errors import CannotWrite, PathOutside, Refused, UsageError
from gitmem.services.workspace import Workspace
from gitmem.store.durable import cannot_write, write_durably

MAX_FILE_BYTES = 64 * 1024 * 1024
_NEW_MODE = 0o644


def prepend_section(
    workspace: Workspace, typed: str, name: str, section: str, *, is_release: bool
) -> bool:
    """Put a section into the file, made if it is missing; whether that changed anything.

    Raises Refused for a file whose marked sections are broken or that is reached through a
    link out of the repository, PathOutside for what is git's own, CannotWrite."""
    path = _find_file(workspace, typed)
    before = _read(path)
    after = place_section(before, name, section, is_release=is_release)
    return _write(path, before, after)


def _find_file(workspace: Workspace, typed: str) -> Path:
    """The file itself, links followed. One that was named outside of the repository is meant
    to be there; one that only a link leads out to is not."""
    place = workspace.place
    named = Path(os.path.normpath(place.cwd / typed))
    real = Path(os.path.realpath(named))
    root = place.work_tree
    if root is not None:
        top = Path(os.path.realpath(root))
        parent = Path(os.path.realpath(named.parent)) if not named.is_symlink() else named.parent
        is_inside = named.is_relative_to(root) or parent.is_relative_to(top)
        if is_inside and not real.is_relative_to(top):
            raise Refused(f"{typed} is a link that leads out of this repository")
    if any(_is_gits(folder) for folder in (real, *real.parents)):
        raise PathOutside(f"{typed} is git's own, not the repository's content")
    if real.is_dir() or typed.endswith(("/", os.sep)):
        raise UsageError(f"{typed} is a folder", hint="Name a file: --prepend CHANGELOG.md")
    if real.exists() and not real.is_file():
        raise UsageError(f"{typed} is no regular file")
    if not real.parent.is_dir():
        raise UsageError(f"there is no folder {real.parent}")
    return real


def _is_gits(folder: Path) -> bool:
    """Whether this is where some repository keeps its own, be it a bare one."""
    if folder.name == ".git":
        return True
    return (
        (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()
    )


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise CannotWrite(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"{path} is larger than {MAX_FILE_BYTES} bytes")
    return data


def _write(path: Path, before: bytes, after: bytes) -> bool:
    if before == after and path.exists():
        return False
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else _NEW_MODE
    except OSError as error:
        raise cannot_write(path, error) from error
    write_durably(path, after, mode=mode)
    return True
