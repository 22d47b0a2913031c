"""Paths as records carry them: relative, forward slashes, bad bytes percent-encoded."""

from __future__ import annotations

import re
import unicodedata

_BAD = re.compile("[\udc80-\udcff]")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def decode_path(raw: bytes) -> tuple[str, bool]:
    """Git's bytes as (text, encoded): what is not UTF-8 is percent-encoded and flagged."""
    text = raw.decode("utf-8", "surrogateescape")
    if not _BAD.search(text):
        return text, False
    escaped = text.replace("%", "%25")
    return _BAD.sub(lambda m: f"%{ord(m.group()) - 0xDC00:02X}", escaped), True


def encode_path(text: str, *, encoded: bool) -> bytes:
    """The bytes git has for a path of a record."""
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(lambda m: bytes.fromhex(m[1].decode()), raw) if encoded else raw


def fold_path(path: str) -> str:
    """One spelling for look-ups: NFC, so that names typed on any system meet."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)
