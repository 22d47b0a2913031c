"""Text for a terminal: made harmless, aligned, coloured, and paged where it is long."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TextIO

from gitmem.core.unsafe_text import clean, clean_line, escape_json

# The cleaning functions belong to the terminal's vocabulary, and are imported from here.
__all__ = [
    "Progress", "clean", "clean_line", "escape_json", "stderr", "style", "two_columns",
    "wants_colour", "width_of",
]  # fmt: skip

_STYLES = {"bold": "1", "dim": "2", "yellow": "33", "green": "32", "red": "31", "cyan": "36"}


def style(text: str, *names: str, on: bool) -> str:
    """The text in a style, where colours are on."""
    if not on:
        return text
    codes = ";".join(_STYLES[name] for name in names)
    return f"\x1b[{codes}m{text}\x1b[0m"


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """NO_COLOR, TERM=dumb and what is not a terminal are honoured."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def width_of(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Columns to fill: the terminal's, within what reads well; 80 elsewhere."""
    columns = environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return max(40, min(int(columns), 100))
    try:
        return max(40, min(os.get_terminal_size(stream.fileno()).columns, 100))
    except (OSError, ValueError):
        return 80


def two_columns(left: str, right: str, width: int) -> str:
    """Left text, and right text ending the line, or right after it where both do not fit."""
    if not right:
        return left
    room = width - len(right) - 2
    if len(left) > room:
        return f"{left}  {right}"
    return f"{left}{' ' * (room - len(left) + 2)}{right}"


class Progress:
    """One line on a terminal's stderr, from the second second on; nothing elsewhere."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream = stream
        self._on = not quiet and stream.isatty()
        self._began = time.monotonic()
        self._shown = False

    def report(self, what: str, done: int, total: int) -> None:
        if not self._on or time.monotonic() - self._began < 1.0:
            return
        count = f" {done:,} of {total:,}" if total else (f" {done:,}" if done else "")
        self._stream.write(f"\r\x1b[K{clean_line(what)}{count} ...")
        self._stream.flush()
        self._shown = True

    def end(self) -> None:
        """Wipe the line."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def stderr() -> TextIO:
    return sys.stderr
