"""Files that other programs own, read and replaced: never through a link that leads out."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from gitmem.errors import CannotWrite, Contended, Refused
from gitmem.store.durable import (
    cannot_write,
    ensure_directory,
    remove_durably,
    write_durably,
)

MAX_FILE_BYTES = 512 * 1024
_FOLDER_MODE = 0o777  # the folder is the user's, so their umask decides
_FILE_MODE = 0o666


def resolve_file(root: Path, path: str) -> Path:
    """Where a file really is. Raises Refused where a symbolic link leads out of `root`, or
    into git's own folder: it is then neither read nor written."""
    real_root = Path(os.path.realpath(root))
    real = Path(os.path.realpath(root / path))
    if not real.is_relative_to(real_root):
        link = _find_link(root, path)
        raise Refused(
            f"{link} is a symbolic link that leads out of {root}; nothing is read or written "
            "through it",
            hint=f"Look at where it points; where it should be a file of its own: rm {link}",
        )
    if any(part.lower() == ".git" for part in real.relative_to(real_root).parts):
        raise Refused(f"{path} leads into git's own folder; nothing is read or written there")
    return real


def read_file(file: Path) -> bytes | None:
    """A file's bytes; None where there is none. Raises Refused for what is no plain file,
    cannot be read, or is too long for settings."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)  # never wait for a FIFO somebody put there
    try:
        descriptor = os.open(file, flags)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise Refused(f"{file.parent} is a file, where a folder is needed") from None
    except OSError as error:
        raise Refused(f"{file} cannot be read: {(error.strerror or 'error').lower()}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused(f"{file} is not a plain file")
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"{file} is longer than settings ever are")
    return data


def replace_file(file: Path, before: bytes | None, after: bytes | None) -> None:
    """Write a file (`after` None: remove it), its permissions as they were.

    Raises Contended where it no longer holds `before`, CannotWrite where it may not be
    written; then it is as it was."""
    mode = _check_writable(file)
    if read_file(file) != before:
        raise Contended(f"{file} was changed by another program at the same moment")
    if after is None:
        remove_durably(file)
        return
    try:
        ensure_directory(file.parent, mode=_FOLDER_MODE)
    except OSError as error:
        raise cannot_write(file, error) from error
    write_durably(file, after, mode=_FILE_MODE if mode is None else mode)
    if mode is not None:
        with contextlib.suppress(OSError):  # some file systems have no permissions to keep
            file.chmod(mode)


def remove_empty_folders(file: Path, root: Path) -> None:
    """Remove the folders between a file that is gone and `root`, as far as they are empty."""
    for folder in file.parents:
        if folder == root or not folder.is_relative_to(root):
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _check_writable(file: Path) -> int | None:
    """The permission bits; None where there is no file. Raises CannotWrite for one that is
    marked as read-only: a rename would go over that."""
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return None
    if not mode & 0o222:
        raise CannotWrite(f"{file} is read-only", hint=f"Where it may be changed: chmod u+w {file}")
    return mode


def _find_link(root: Path, path: str) -> Path:
    """The first link on the way to a file."""
    place = root
    for part in Path(path).parts:
        place = place / part
        if place.is_symlink():
            return place
    return place
