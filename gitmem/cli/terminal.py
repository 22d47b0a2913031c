"""Text for a terminal: made harmless, aligned, coloured, and paged where it is long."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TextIO

# C0 but for tab and line feed, DEL, C1; and what hides or reorders text: zero-width and
# bidirectional controls, tags, the byte-order mark. (U+200D joins emoji and stays.)
_UNSAFE = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0x61C, 0x61C), (0x200B, 0x200C), (0x200E, 0x200F),
    (0x2028, 0x202E), (0x2060, 0x2069), (0xFEFF, 0xFEFF), (0xD800, 0xDFFF), (0xE0000, 0xE007F),
)  # fmt: skip
_STYLES = {"bold": "1", "dim": "2", "yellow": "33", "green": "32", "red": "31", "cyan": "36"}


def clean(text: str) -> str:
    """Text from anywhere, fit to be shown: controls stand as visible escapes."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_ESCAPES)


def clean_line(text: str) -> str:
    """The same in one line."""
    return clean(" ".join(text.split("\n"))).replace("\t", " ").strip()


def escape_json(data: bytes) -> bytes:
    """JSON with the same characters as JSON's own escapes, for whoever prints it as it is."""
    if data.isascii() and b"\x7f" not in data:
        return data
    return data.decode("utf-8").translate(_JSON_ESCAPES).encode("utf-8")


class _Escapes(dict[int, str | int]):
    """A translation table that answers for every code point, and remembers."""

    def __init__(self, escape: Callable[[int], str]) -> None:
        super().__init__()
        self._escape = escape

    def __missing__(self, code: int) -> str | int:
        unsafe = any(first <= code <= last for first, last in _UNSAFE)
        self[code] = self._escape(code) if unsafe else code
        return self[code]


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_json(code: int) -> str:
    units = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_ESCAPES = _Escapes(_escape)
_JSON_ESCAPES = _Escapes(_escape_json)


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
