"""A settings file's bytes as text and back: a byte order mark is kept, other encodings refused."""

from __future__ import annotations

import codecs

from gitmem.errors import Refused

UNCHANGED = "Mend the file and run this again; nothing was changed."


def decode_text(data: bytes | None, path: str) -> str:
    """The text, with its byte order mark if it has one. Raises Refused for what is not UTF-8."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not UTF-8 (byte {error.start})", hint=UNCHANGED) from None


def split_mark(text: str) -> tuple[str, str]:
    """The byte order mark, or "", and the rest."""
    mark = codecs.BOM_UTF8.decode()
    return (mark, text[1:]) if text.startswith(mark) else ("", text)
