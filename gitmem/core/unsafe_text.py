"""Characters that act, hide or reorder: made visible before a text is shown to anybody."""

from __future__ import annotations

from collections.abc import Callable

# C0 but for tab and line feed, DEL, C1; and what hides or reorders text: zero-width and
# bidirectional controls, tags, the byte-order mark. (U+200D joins emoji and stays.)
_UNSAFE = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0x61C, 0x61C), (0x200B, 0x200C), (0x200E, 0x200F),
    (0x2028, 0x202E), (0x2060, 0x2069), (0xFEFF, 0xFEFF), (0xD800, 0xDFFF), (0xE0000, 0xE007F),
)  # fmt: skip
# What a terminal shows as nothing, or lets stand for nothing, and a language model still reads:
# soft hyphen, joiners, fillers, variation selectors, annotations, shorthand and music controls.
_HIDDEN = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200D, 0x200D), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0080, 0xE0FFF),
)  # fmt: skip


def clean(text: str) -> str:
    """Text from anywhere, fit to be shown: controls stand as visible escapes."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_ESCAPES)


def clean_line(text: str) -> str:
    """The same in one line."""
    return clean(" ".join(text.split("\n"))).replace("\t", " ").strip()


def reveal(text: str) -> str:
    """The same for a reader that is no terminal: what only hides stands as an escape, too."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_REVEALED)


def escape_json(data: bytes) -> bytes:
    """JSON with the same characters as JSON's own escapes, for whoever prints it as it is."""
    if data.isascii() and b"\x7f" not in data:
        return data
    return data.decode("utf-8").translate(_JSON_ESCAPES).encode("utf-8")


class _Escapes(dict[int, str | int]):
    """A translation table that answers for every code point, and remembers."""

    def __init__(
        self, escape: Callable[[int], str], ranges: tuple[tuple[int, int], ...] = _UNSAFE
    ) -> None:
        super().__init__()
        self._escape = escape
        self._ranges = ranges

    def __missing__(self, code: int) -> str | int:
        unsafe = any(first <= code <= last for first, last in self._ranges)
        self[code] = self._escape(code) if unsafe else code
        return self[code]


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_json(code: int) -> str:
    units = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_ESCAPES = _Escapes(_escape)
_REVEALED = _Escapes(_escape, _UNSAFE + _HIDDEN)
_JSON_ESCAPES = _Escapes(_escape_json)
