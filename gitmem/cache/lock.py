"""A lock of the operating system on a file: it dies with the process that holds it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitmem.errors import CannotWrite, Contended

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def hold_lock(path: Path, *, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock on a file, made if need be and never removed.

    Raises Contended when the time is up, CannotWrite where no file can be made or locked.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise CannotWrite(f"no lock can be made: {error}") from error
    try:
        deadline = time.monotonic() + timeout_seconds
        while not _lock_or_fail(handle):
            if time.monotonic() > deadline:
                raise Contended(f"{path.name} is held by another process")
            time.sleep(0.01)
        yield
    finally:
        os.close(handle)


def _lock_or_fail(handle: int) -> bool:
    try:
        return _try_lock(handle)
    except OSError as error:
        raise CannotWrite(f"files cannot be locked here: {error}") from error
