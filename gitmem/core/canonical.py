"""Canonical JSON (RFC 8785 restricted to integers) and the content id made of it.

The generic value is hashed, never a typed struct, which would lose unknown fields and with
them the id. A line that is not byte for byte its own re-encoding is refused: that catches
duplicate keys, odd numbers, escapes and white space at once.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from gitmem.errors import BadRecord

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_NESTING = 32
MAX_INTEGER = 2**53 - 1

# Cheap tests on the bytes that tell when the slow walk can be left out; the first of the two
# reads a line thirty times as fast, and nearly always answers for both.
_DIGITS_ALIKE = bytes.maketrans(b"123456789", b"000000000")
_LONG_RUN = b"0" * 16
_LONG_INTEGER = re.compile(rb"(?:^|[:,\[-])[0-9]{16}")

# A string that never ends goes to the end of the line: the pattern cannot fail half-way, so
# no line, however hostile, is read more than once.
_STRING = re.compile(rb'"[^"]*(?:"|\Z)')
_NO_BRACKET = bytes(byte for byte in range(256) if byte not in b"[]{}")


def _refuse_float(text: str) -> Any:
    raise ValueError("a number that is not an integer")


_decode = msgspec.json.Decoder(float_hook=_refuse_float).decode
_encode = msgspec.json.Encoder(order="sorted").encode


def encode_canonical(value: Any) -> bytes:
    """Canonical bytes of a JSON value.

    Raises BadRecord for what the format does not allow: floats, integers beyond 2**53 - 1,
    keys that are not ASCII, lone surrogates, nesting beyond 32.
    """
    _check(value, 1)
    return _encode_checked(value)


def _encode_checked(value: Any) -> bytes:
    try:
        return _encode(value)
    except (UnicodeEncodeError, TypeError, OverflowError, RecursionError) as error:
        raise BadRecord(f"not representable as canonical JSON: {error}") from None


def decode_canonical(raw: bytes) -> Any:
    """The value that canonical bytes stand for.

    Raises BadRecord, with a reason in words, where they are not canonical JSON.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise BadRecord(f"longer than {MAX_LINE_BYTES} bytes")
    if raw.count(b"[") + raw.count(b"{") > MAX_NESTING and _nesting(raw) > MAX_NESTING:
        raise BadRecord(f"nested deeper than {MAX_NESTING}")
    try:
        value = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadRecord(f"not valid JSON of this format: {_first_line(error)}") from None
    if not raw.isascii() or _has_long_integer(raw):
        _check(value, 1)
    if _encode_checked(value) != raw:
        raise BadRecord("not in canonical form")
    return value


def content_id(value: dict[str, Any]) -> str:
    """SHA-256, 64 hex digits, of the canonical bytes of the object without `id`."""
    return hashlib.sha256(
        encode_canonical({key: value[key] for key in value if key != "id"})
    ).hexdigest()


def checked_id(value: dict[str, Any]) -> str:
    """`content_id` for a value that `decode_canonical` gave, whose bounds are known good."""
    bare = value.copy()
    bare.pop("id", None)
    return hashlib.sha256(_encode(bare)).hexdigest()


def _has_long_integer(raw: bytes) -> bool:
    return _LONG_RUN in raw.translate(_DIGITS_ALIKE) and _LONG_INTEGER.search(raw) is not None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


def _nesting(raw: bytes) -> int:
    """Depth of the brackets outside strings; linear, and never recursive."""
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    brackets = _STRING.sub(b"", unescaped).translate(None, _NO_BRACKET)
    depth = deepest = 0
    for bracket in brackets:
        if bracket in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        return
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise BadRecord("an integer beyond 2^53 - 1")
        return
    if depth > MAX_NESTING:
        raise BadRecord(f"nested deeper than {MAX_NESTING}")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise BadRecord("a key that is not ASCII")
            _check(inner, depth + 1)
        return
    if isinstance(value, list | tuple):
        for inner in value:
            _check(inner, depth + 1)
        return
    raise BadRecord(f"a {type(value).__name__} is not allowed")
