"""The log of agents' hooks: what went wrong where nobody could be told, in a bounded file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from gitmem.core.unsafe_text import clean_line
from gitmem.store.paths import ClonePaths

MAX_LOG_BYTES = 256 * 1024
MAX_LINE_CHARS = 600


def log_file(clone: ClonePaths) -> Path:
    return clone.home / "log" / "hooks.log"


def append_log(clone: ClonePaths, at: str, text: str) -> None:
    """Add one line, `<time> <text>`; a full file becomes `hooks.log.1`. Raises nothing: there
    is nobody to tell. Nothing is made where the clone has no memory."""
    file = log_file(clone)
    line = f"{at} {clean_line(text)[:MAX_LINE_CHARS]}\n".encode("utf-8", "replace")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with contextlib.suppress(OSError):
        if not clone.home.is_dir():
            return
        file.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(file, flags, 0o600)
        try:
            os.write(descriptor, line)
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if size > MAX_LOG_BYTES:
            file.replace(file.with_name("hooks.log.1"))


def read_log(clone: ClonePaths, *, most: int) -> list[str]:
    """The last lines, oldest first, of this file and the one before; harmless to print."""
    lines: list[str] = []
    for file in (log_file(clone).with_name("hooks.log.1"), log_file(clone)):
        with contextlib.suppress(OSError):
            if not file.is_symlink():
                data = file.read_bytes()[-MAX_LOG_BYTES * 2 :]
                lines += data.decode("utf-8", "replace").split("\n")
    return [clean_line(line) for line in lines if line][-most:]
