"""The canonical form: RFC 8785, restricted, against the vectors of others and hostile lines."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.canonical import (
    MAX_INTEGER,
    MAX_LINE_BYTES,
    MAX_NESTING,
    content_id,
    decode_canonical,
    encode_canonical,
)
from gitmem.errors import BadRecord
from tests.support.records import KEYS, VALUES

JCS = Path(__file__).parent.parent / "vectors" / "jcs"
NAMES = sorted(path.stem for path in (JCS / "input").glob("*.json"))
WITHIN = ("arrays", "structures", "unicode")


def _whole_numbers(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


def _read_input(name: str) -> Any:
    text = (JCS / "input" / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text, parse_float=_whole_numbers)


def _read_bytes(name: str) -> bytes:
    raw = (JCS / "output" / f"{name}.json").read_bytes()
    assert raw == bytes.fromhex((JCS / "outhex" / f"{name}.txt").read_text())
    return raw


@pytest.mark.parametrize("name", WITHIN)
def test_published_vectors_within_the_restriction(name: str) -> None:
    assert encode_canonical(_read_input(name)) == _read_bytes(name)
    assert encode_canonical(decode_canonical(_read_bytes(name))) == _read_bytes(name)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHIN])
def test_published_vectors_with_fractions_or_other_keys_are_refused(name: str) -> None:
    with pytest.raises(BadRecord):
        encode_canonical(_read_input(name))
    with pytest.raises(BadRecord):
        decode_canonical(_read_bytes(name))


def test_strings_of_the_vector_with_fractions_are_escaped_as_published() -> None:
    text = _read_input("values")["string"]
    assert encode_canonical(text) in _read_bytes("values")


def _nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


HOSTILE = {
    "not a number": b'{"n":NaN}',
    "infinity": b'{"n":Infinity}',
    "minus infinity": b'{"n":-Infinity}',
    "beyond any double": b'{"n":1e400}',
    "fraction": b'{"n":1.5}',
    "whole fraction": b'{"n":1.0}',
    "exponent": b'{"n":1e2}',
    "minus zero": b'{"n":-0}',
    "2^53": b'{"n":9007199254740992}',
    "2^53 at the top": b"9007199254740992",
    "-2^53": b'{"n":-9007199254740992}',
    "2^53 in a list": b'{"n":[1,9007199254740992]}',
    "2^64": b'{"n":18446744073709551616}',
    "5000 digits": b'{"n":' + b"9" * 5000 + b"}",
    "leading zero": b'{"n":01}',
    "duplicate keys": b'{"a":1,"a":2}',
    "the same key twice": b'{"a":1,"a":1}',
    "key order": b'{"b":1,"a":2}',
    "white space": b'{"a": 1}',
    "space before": b' {"a":1}',
    "space after": b'{"a":1} ',
    "tab": b'{"a":\t1}',
    "trailing comma": b'{"a":1,}',
    "two values": b"{}{}",
    "nothing": b"",
    "cut": b'{"a":"b',
    "cut in an escape": b'{"a":"\\u00',
    "lone surrogate, escaped": b'{"a":"\\ud800"}',
    "lone low surrogate, escaped": b'{"a":"\\udc00"}',
    "surrogate pair, escaped": b'{"a":"\\ud83d\\ude02"}',
    "lone surrogate, raw": b'{"a":"\xed\xa0\x80"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "raw NUL": b'{"a":"\x00"}',
    "NUL after": b"{}\x00",
    "raw control": b'{"a":"\x1b"}',
    "raw line end": b'{"a":"\n"}',
    "upper-case escape": b'{"a":"\\u001F"}',
    "needless escape": b'{"a":"\\u0041"}',
    "escaped slash": b'{"a":"\\/"}',
    "invalid UTF-8": b'{"a":"\xff"}',
    "overlong UTF-8": b'{"a":"\xc0\x80"}',
    "invalid UTF-8 in a key": b'{"\xff":1}',
    "key that is not ASCII": '{"é":1}'.encode(),
    "single quotes": b"{'a':1}",
    "comment": b'{"a":1/**/}',
    "true in capitals": b'{"a":True}',
    "33 deep": _nested(MAX_NESTING + 1),
    "5000 deep": _nested(5000),
    "200000 deep": _nested(200_000),
    "200000 open": b"[" * 200_000,
    "200000 objects open": b'{"a":' * 200_000,
    "too long": b'"' + b"a" * MAX_LINE_BYTES + b'"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_lines_are_refused_with_the_one_typed_error(name: str) -> None:
    with pytest.raises(BadRecord) as caught:
        decode_canonical(HOSTILE[name])
    assert caught.value.message
    assert len(caught.value.message) < 400


def test_the_longest_integers_and_the_deepest_nesting_are_kept() -> None:
    for raw in (b"9007199254740991", b"-9007199254740991", _nested(MAX_NESTING)):
        assert encode_canonical(decode_canonical(raw)) == raw
    assert MAX_INTEGER == 2**53 - 1


def test_brackets_and_quotes_inside_strings_are_not_nesting() -> None:
    value = {"a": "[{" * 100 + '"' + "[" * 100, "b": "\\" * 7 + "[" * 50, "c": ["]" * 40]}
    raw = encode_canonical(value)
    assert decode_canonical(raw) == value


def test_an_unended_string_of_quotes_is_refused_in_one_pass() -> None:
    # Read again from each quote, this line would take days.
    with pytest.raises(BadRecord):
        decode_canonical(b"[" * 33 + b'"' + b'\\"' * 2_000_000)
    with pytest.raises(BadRecord):
        decode_canonical(b'"' + b'\\"' * 2_000_000 + b"[" * 33)


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        float("nan"),
        2**53,
        -(2**53),
        2**64,
        {"é": 1},
        {1: 2},
        "\ud800",
        {"a": ["\udfff"]},
        b"bytes",
        {"a": object()},
    ],
)
def test_values_outside_the_format_do_not_encode(value: Any) -> None:
    with pytest.raises(BadRecord):
        encode_canonical(value)


def test_a_value_that_contains_itself_does_not_encode() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(BadRecord):
        encode_canonical(endless)


def test_separators_of_other_line_conventions_stand_raw_inside_strings() -> None:
    value = {"a": "\u2028 \u2029 \u0085 \x7f"}
    raw = encode_canonical(value)
    assert "\u2028 \u2029 \u0085 \x7f".encode() in raw
    assert decode_canonical(raw) == value
    assert raw.count(b"\n") == 0


def _stdlib(value: Any) -> bytes:
    """An independent canonical form: sorted keys (ASCII, so any order of units is the same)."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


@given(VALUES)
def test_what_is_encoded_decodes_to_itself_and_equals_the_standard_library(value: Any) -> None:
    raw = encode_canonical(value)
    assert decode_canonical(raw) == value
    assert raw == _stdlib(value)


@given(st.dictionaries(KEYS, VALUES, max_size=5), VALUES)
def test_the_id_covers_everything_but_itself(fields: dict[str, Any], claimed: Any) -> None:
    bare = {key: fields[key] for key in fields if key != "id"}
    expected = hashlib.sha256(_stdlib(bare)).hexdigest()
    assert content_id(bare) == expected
    assert content_id({**bare, "id": claimed}) == expected
    assert content_id(dict(reversed(bare.items()))) == expected


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda t: t.encode(errors="replace")))
def test_any_bytes_are_a_value_or_the_typed_refusal(raw: bytes) -> None:
    try:
        value = decode_canonical(raw)
    except BadRecord:
        return
    assert encode_canonical(value) == raw
