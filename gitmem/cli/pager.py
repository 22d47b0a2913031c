"""Long text on a terminal, through the user's pager."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping


def needs_pager(text: str, environ: Mapping[str, str]) -> bool:
    """Whether stdout is a terminal that is too low for the text."""
    if not sys.stdout.isatty() or environ.get("TERM") == "dumb":
        return False
    return text.count("\n") >= shutil.get_terminal_size().lines - 1


def show_paged(text: str, environ: Mapping[str, str]) -> bool:
    """Show text in `GITMEM_PAGER`, `GIT_PAGER`, `PAGER` or less; False where there is none.

    The environment is the user's own; what a repository configures is not asked."""
    command = next(
        (environ[name] for name in ("GITMEM_PAGER", "GIT_PAGER", "PAGER") if name in environ),
        "less",
    )
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    if not words or words[0] == "cat" or shutil.which(words[0]) is None:
        return False
    environ = {"LESS": "FRX", "LV": "-c", **environ}
    try:
        pager = subprocess.Popen(words, stdin=subprocess.PIPE, env=environ)
    except OSError:
        return False
    # Leaving the pager early is no error; an interrupt is the pager's to handle.
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        pager.communicate(text.encode("utf-8", "backslashreplace"))
    while pager.poll() is None:
        with contextlib.suppress(KeyboardInterrupt):
            pager.wait()
    return True
