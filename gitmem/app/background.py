"""One child that finishes the history index while the first answer is already on the screen."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gitmem.cache.lock import hold_lock
from gitmem.errors import CannotWrite, Contended


def start_growing(cwd: Path, home: Path, environ: Mapping[str, str]) -> bool:
    """Start the child, unless one is at work or another program must not outlive this one
    (GITMEM_NO_BACKGROUND); whether the index grows now. It ends by itself."""
    try:
        with hold_lock(growing_lock(home), timeout_seconds=0):
            pass
    except Contended:
        return True
    except CannotWrite:
        return False
    words = [sys.executable, "-P", "-m", "gitmem", "-q", "-C", str(cwd), "cache", "grow"]
    detached = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x208}
    with contextlib.suppress(OSError):
        subprocess.Popen(
            words,
            env={**environ, "GITMEM_NO_BACKGROUND": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            **detached,
        )
        return True
    return False


def growing_lock(home: Path) -> Path:
    """The lock that whoever grows the index holds."""
    return home / "history.lock"
