"""A question with yes or no, on the terminal."""

from __future__ import annotations

import sys


def ask(question: str, *, default: bool) -> bool:
    """The answer; an empty line takes the default, and the end of input says no."""
    sys.stderr.write(f"{question} {'[Y/n]' if default else '[y/N]'} ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer.strip():
        return default and answer != ""
    return answer.strip().lower() in ("y", "yes")
