"""Run the command line on a pseudo-terminal, as a person has it."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.commandline import environment


@dataclass(frozen=True)
class Shown:
    """What stood on the terminal in the end."""

    code: int
    raw: bytes

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", "replace").replace("\r\n", "\n")


def run_in_terminal(
    cwd: Path,
    *words: str,
    env: Mapping[str, object] | None = None,
    typed: bytes = b"",
    seconds: float = 60,
) -> Shown:
    """Run `gitmem WORDS` with a terminal as stdin, stdout and stderr."""
    environ = environment({k: str(v) for k, v in (env or {}).items()})
    environ.setdefault("TERM", "xterm-256color")
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(sys.executable, [sys.executable, "-m", "gitmem", *words], environ)
    if typed:
        os.write(master, typed)
    chunks: list[bytes] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not select.select([master], [], [], 1.0)[0]:
            continue
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    else:
        os.kill(pid, 9)
    status = os.waitpid(pid, 0)[1]
    os.close(master)
    return Shown(os.waitstatus_to_exitcode(status), b"".join(chunks))
