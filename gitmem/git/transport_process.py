"""Running a git that talks to another machine: bounded in time and in what it may say.

`process.Git` reads pipes to their end. Here that could wait for ever: an ssh connection that
is kept for reuse holds the pipe open after git has gone. So threads read, capped, and only the
process itself is waited for.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from gitmem.errors import GitFailed, NoRepository
from gitmem.git.child import end_process

STDERR_BYTES = 1 << 16
_LINGER_SECONDS = 1.0


class Ended(NamedTuple):
    """How it ended. `stdout` may be cut at its limit (`is_cut`), `stderr` always may."""

    code: int
    stdout: bytes
    stderr: bytes
    is_timed_out: bool
    is_cut: bool


class _Reader(threading.Thread):
    """Reads a pipe; keeps the first `limit` bytes, and calls `on_excess` at more than that."""

    def __init__(self, pipe: IO[bytes], limit_bytes: int) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._limit_bytes = limit_bytes
        self.kept = bytearray()
        self.is_cut = False

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := os.read(self._pipe.fileno(), 1 << 16):
                room = self._limit_bytes - len(self.kept)
                self.kept += part[:room]
                self.is_cut = self.is_cut or len(part) > room


def run_bounded(
    command: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stdin: bytes,
    timeout_seconds: float,
    limit_bytes: int,
) -> Ended:
    """Run a command in a session of its own; at the deadline the whole group is killed.

    Raises NoRepository where `cwd` is gone, GitFailed where the command does not start.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
    except (OSError, ValueError) as error:
        if not cwd.is_dir():
            raise NoRepository(f"the folder {cwd} is gone") from None
        raise GitFailed(f"git does not start: {error}") from None
    assert process.stdin and process.stdout and process.stderr
    out = _Reader(process.stdout, limit_bytes)
    err = _Reader(process.stderr, STDERR_BYTES)
    feeder = threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True)
    for thread in (out, err, feeder):
        thread.start()
    # A thread waits: with a time-out Python would look at the process now and then, up to a
    # twentieth of a second late.
    waiter = threading.Thread(target=process.wait, daemon=True)
    waiter.start()
    try:
        waiter.join(timeout_seconds)
        is_timed_out = waiter.is_alive()
    finally:
        end_process(process)
    out.join(_LINGER_SECONDS)
    err.join(_LINGER_SECONDS)
    for reader, pipe in ((out, process.stdout), (err, process.stderr)):
        if not reader.is_alive():
            pipe.close()
    return Ended(process.returncode, bytes(out.kept), bytes(err.kept), is_timed_out, out.is_cut)


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):
        pipe.write(data)
    with contextlib.suppress(OSError, ValueError):
        pipe.close()
