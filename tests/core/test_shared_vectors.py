"""Shared vectors: what is written is read, within a known error, and nothing else is."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.ranking import Stamp
from gitmem.core.segments import MAX_SEGMENT_RECORDS
from gitmem.core.shared_vectors import (
    MAX_DIMENSION,
    count_bytes,
    count_most_bytes,
    decode_stamp,
    decode_vectors,
    encode_stamp,
    encode_vectors,
)
from gitmem.errors import BadVectors

IDS = st.text("0123456789abcdef", min_size=64, max_size=64).filter(lambda name: name.strip("0"))
NUMBERS = st.floats(-1, 1, allow_nan=False, width=32)
STAMP = Stamp("all-MiniLM-L6-v2", "ab" * 32, 384, "int8")


def pack(numbers: list[float]) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def unpack(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


@st.composite
def vectors(draw: st.DrawFn, dimension: int) -> list[float]:
    numbers = draw(st.lists(NUMBERS, min_size=dimension, max_size=dimension))
    length = math.sqrt(sum(one * one for one in numbers))
    if length < 1e-3:
        return [1.0, *[0.0] * (dimension - 1)]
    return [one / length for one in numbers]


@st.composite
def shared(draw: st.DrawFn) -> tuple[int, dict[str, bytes]]:
    dimension = draw(st.integers(1, 24))
    rows = draw(st.dictionaries(IDS, vectors(dimension), max_size=5))
    return dimension, {name: pack(row) for name, row in rows.items()}


def find_bound(numbers: list[float]) -> float:
    """How far a vector can be from what is read of it: half a step in every direction, and
    once more for the length that is made 1."""
    return 2 * math.sqrt(len(numbers)) * max(map(abs, numbers)) / 254 + 1e-6


@given(shared())
def test_every_vector_comes_back_within_the_bound(given_: tuple[int, dict[str, bytes]]) -> None:
    dimension, rows = given_
    data = encode_vectors(dimension, rows)
    assert len(data) == count_bytes(len(rows), dimension)
    read = decode_vectors(data, dimension)
    assert read.keys() == rows.keys()
    for name, row in rows.items():
        before, after = unpack(row), unpack(read[name])
        assert math.dist(before, after) <= find_bound(before)
        assert math.isclose(math.hypot(*after), 1.0, abs_tol=1e-5)


@given(shared(), st.data())
def test_the_error_of_a_similarity_is_bounded_for_every_question(
    given_: tuple[int, dict[str, bytes]], data: st.DataObject
) -> None:
    dimension, rows = given_
    question = data.draw(vectors(dimension))
    read = decode_vectors(encode_vectors(dimension, rows), dimension)
    for name, row in rows.items():
        exact = sum(a * b for a, b in zip(question, unpack(row), strict=True))
        rough = sum(a * b for a, b in zip(question, unpack(read[name]), strict=True))
        assert abs(exact - rough) <= find_bound(unpack(row)) + 1e-6


@given(shared())
def test_bytes_are_the_same_in_any_order_and_after_reading(
    given_: tuple[int, dict[str, bytes]],
) -> None:
    dimension, rows = given_
    data = encode_vectors(dimension, rows)
    assert encode_vectors(dimension, dict(reversed(rows.items()))) == data
    assert encode_vectors(dimension, decode_vectors(data, dimension)) == data


@settings(max_examples=300)
@given(shared(), st.data())
def test_changed_bytes_are_refused_or_are_other_whole_vectors(
    given_: tuple[int, dict[str, bytes]], data: st.DataObject
) -> None:
    dimension, rows = given_
    whole = encode_vectors(dimension, rows)
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        read = decode_vectors(bytes(changed), dimension)
    except BadVectors:
        return
    for vector in read.values():
        assert math.isclose(math.hypot(*unpack(vector)), 1.0, abs_tol=1e-5)
    assert encode_vectors(dimension, read)[:20] == whole[:20]


@given(st.binary(max_size=200), st.integers(1, 8))
def test_any_bytes_end_in_a_typed_error_or_in_vectors(data: bytes, dimension: int) -> None:
    try:
        decode_vectors(data, dimension)
    except BadVectors:
        return
    raise AssertionError("chance made shared vectors")  # it needs eight bytes of magic


def build(
    rows: list[tuple[bytes, float, list[int]]],
    *,
    magic: bytes = b"gmvec-i8",
    version: int = 1,
    dimension: int = 2,
    count: int | None = None,
) -> bytes:
    head = struct.pack("<8sIII", magic, version, dimension, len(rows) if count is None else count)
    return head + b"".join(
        struct.pack(f"<32sf{len(numbers)}b", name, scale, *numbers) for name, scale, numbers in rows
    )


A, B = b"\x0a" * 32, b"\x0b" * 32
FLAT = 1 / 127
GOOD = (A, FLAT, [127, 0])


def test_the_layout_is_the_documented_one() -> None:
    data = encode_vectors(2, {B.hex(): pack([0, -1]), A.hex(): pack([1, 0])})
    assert data == build([GOOD, (B, FLAT, [0, -127])])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"gmvec-i8",
        build([GOOD], magic=b"gmvec-i7"),
        build([GOOD], version=2),
        build([GOOD], dimension=3),
        build([GOOD], dimension=0),
        build([GOOD], count=0),
        build([GOOD], count=2),
        build([GOOD], count=2**32 - 1),
        build([GOOD])[:-1],
        build([GOOD]) + b"\0",
        build([GOOD, GOOD]),
        build([(B, FLAT, [127, 0]), GOOD]),
        build([(A, math.nan, [127, 0])]),
        build([(A, math.inf, [127, 0])]),
        build([(A, -FLAT, [127, 0])]),
        build([(A, 0.0, [127, 0])]),
        build([(A, 1.0, [127, 0])]),
        build([(A, 1.0, [0, 0])]),
        build([(A, 1 / 100, [100, 0])]),
        build([(A, 1 / 128, [-128, 0])]),
        build([(bytes([0] * 32), FLAT, [127, 0])] * (MAX_SEGMENT_RECORDS + 1)),
        build([(bytes(32), FLAT, [127, 0])]),
    ],
)
def test_hostile_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BadVectors):
        decode_vectors(data, 2)


@pytest.mark.parametrize(
    "vector",
    [
        b"",
        pack([1, 0, 0]),
        pack([0, 0]),
        pack([0.5, 0.5]),
        pack([math.nan, 1]),
        pack([math.inf, 0]),
    ],
)
def test_what_is_no_vector_of_length_1_is_not_written(vector: bytes) -> None:
    with pytest.raises(ValueError, match="vector"):
        encode_vectors(2, {A.hex(): vector})


def test_more_than_a_segment_holds_is_not_written() -> None:
    rows = {f"{number:064x}": pack([1.0]) for number in range(1, MAX_SEGMENT_RECORDS + 2)}
    with pytest.raises(ValueError, match="2001 vectors"):
        encode_vectors(1, rows)
    with pytest.raises(ValueError, match="numbers"):
        encode_vectors(MAX_DIMENSION + 1, {})
    assert count_most_bytes(384) == 20 + 2000 * 420


def test_a_stamp_comes_back_and_names_its_folder() -> None:
    data = encode_stamp(STAMP)
    assert data == (
        b'{"dimension":384,"model":"all-MiniLM-L6-v2","quantisation":"int8","revision":"'
        + b"ab" * 32
        + b'"}\n'
    )
    assert decode_stamp(data) == STAMP


@pytest.mark.parametrize(
    "data",
    [
        b"",
        encode_stamp(STAMP)[:-1],
        b" " + encode_stamp(STAMP),
        b"[]\n",
        b'{"dimension":384}\n',
        b'{"dimension":0,"model":"","quantisation":"","revision":""}\n',
        b'{"dimension":"1","model":"","quantisation":"","revision":""}\n',
        b'{"dimension":1,"model":"","more":1,"quantisation":"","revision":""}\n',
        b"[" * 4000 + b"\n",
        b'{"dimension":1,"model":"' + b"x" * 5000 + b'","quantisation":"","revision":""}\n',
    ],
)
def test_a_stamp_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(BadVectors):
        decode_stamp(data)
