"""Durable writes: after a function here returns, the bytes survive a power cut.

Temporary file beside the target, fsync, rename, fsync of the directory where the platform
has it. On macOS fsync does not reach the platter; F_FULLFSYNC does.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
from pathlib import Path

from gitmem.errors import CannotWrite

if sys.platform == "darwin":
    import fcntl

    def _sync(descriptor: int) -> None:
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(descriptor)  # file systems without it, such as network shares
else:

    def _sync(descriptor: int) -> None:
        os.fsync(descriptor)


_WHY = {
    errno.ENOSPC: "no space left (ENOSPC)",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}


def cannot_write(path: Path, error: OSError) -> CannotWrite:
    """The error to raise where the system refused a write."""
    reason = _WHY.get(error.errno or 0, error.strerror or type(error).__name__)
    return CannotWrite(f"cannot write {path}: {reason}")


def write_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a whole file, atomically and durably; an existing one is replaced.

    Raises CannotWrite; then nothing of it is visible.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        ensure_directory(path.parent)
        descriptor = os.open(temporary, flags, mode)
        try:
            _write_all(descriptor, data)
            _sync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise cannot_write(path, error) from error
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def ensure_directory(path: Path, *, mode: int = 0o700) -> None:
    """Make a directory and its parents, each made durable in its own parent."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=mode)
            sync_directory(folder.parent)


def remove_durably(path: Path) -> None:
    """Remove a file; fine if it is gone already. Raises CannotWrite."""
    try:
        path.unlink(missing_ok=True)
        sync_directory(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error


def sync_directory(path: Path) -> None:
    """Make a directory's entries durable; a platform without it needs no such step."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        _sync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
