"""Vectors as a writer shares them: one blob a segment, eight bits a number, told apart by stamp.

Layout, little-endian (docs/format.md):

    0   8 bytes   "gmvec-i8"
    8   uint32    version, 1
    12  uint32    numbers in a vector
    16  uint32    rows
    20  rows, in the order of ids: the record's id (32 bytes), a float32 scale, int8 numbers

A row's vector is its numbers times its scale, which makes its length 1. The greatest number is
127, so one vector has one form, and what was read is written again as the same bytes.
"""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterator, Mapping

import msgspec

from gitmem.core.canonical import decode_canonical, encode_canonical
from gitmem.core.ranking import Stamp
from gitmem.core.segments import MAX_SEGMENT_RECORDS
from gitmem.errors import BadRecord, BadVectors

VERSION = 1
"""Of the layout, and of the text that a vector stands for."""
MAX_DIMENSION = 8192
MAX_STAMP_BYTES = 4096
_MAGIC = b"gmvec-i8"
_HEADER = struct.Struct("<8sIII")
_ROW_HEAD = struct.Struct("<32sf")
_ID_BYTES = 32
_PEAK = 127
_LENGTH_SLACK = 0.01
_SCALE_SLACK = 1e-6


class _StampFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: str
    revision: str
    dimension: int
    quantisation: str


def count_bytes(rows: int, dimension: int) -> int:
    """The size of a blob of so many rows."""
    return _HEADER.size + rows * (_ROW_HEAD.size + dimension)


def count_most_bytes(dimension: int) -> int:
    """The size that no blob is larger than: that of a full segment."""
    return count_bytes(MAX_SEGMENT_RECORDS, dimension)


def encode_vectors(dimension: int, vectors: Mapping[str, bytes]) -> bytes:
    """Record id (64 hex) → its vector, little-endian float32 of length 1, as one blob. The same
    vectors give the same bytes. Raises ValueError for what is no such vector, or too many."""
    if not 0 < dimension <= MAX_DIMENSION or len(vectors) > MAX_SEGMENT_RECORDS:
        raise ValueError(f"{len(vectors)} vectors of {dimension} numbers are not for one blob")
    parts = [_HEADER.pack(_MAGIC, VERSION, dimension, len(vectors))]
    for record_id in sorted(vectors):
        numbers, scale = _quantise(_read_floats(vectors[record_id], dimension))
        parts.append(_ROW_HEAD.pack(bytes.fromhex(record_id), scale))
        parts.append(numbers.tobytes())
    return b"".join(parts)


def decode_vectors(data: bytes, dimension: int) -> dict[str, bytes]:
    """Record id → its vector, as `encode_vectors` takes them. Raises BadVectors for every byte
    that no encoder writes."""
    if len(data) < _HEADER.size:
        raise BadVectors(f"{len(data)} bytes are no shared vectors")
    magic, version, width, rows = _HEADER.unpack_from(data)
    if magic != _MAGIC or version != VERSION:
        raise BadVectors("not shared vectors of a version that is known")
    if width != dimension:
        raise BadVectors(f"vectors of {width} numbers, where the stamp says {dimension}")
    if rows > MAX_SEGMENT_RECORDS or len(data) != count_bytes(rows, dimension):
        raise BadVectors(f"{rows} rows of {width} numbers are not what {len(data)} bytes hold")
    return dict(_iter_rows(data, dimension))


def encode_stamp(stamp: Stamp) -> bytes:
    """The file that says in full what a folder of shared vectors was made with."""
    return encode_canonical(msgspec.structs.asdict(stamp)) + b"\n"


def decode_stamp(data: bytes) -> Stamp:
    """Raises BadVectors for what `encode_stamp` does not write."""
    if len(data) > MAX_STAMP_BYTES or not data.endswith(b"\n"):
        raise BadVectors("the stamp of shared vectors is not readable")
    try:
        said = msgspec.convert(decode_canonical(data[:-1]), _StampFile)
    except (BadRecord, msgspec.ValidationError) as error:
        raise BadVectors(f"the stamp of shared vectors is not readable: {error}") from None
    if not 0 < said.dimension <= MAX_DIMENSION:
        raise BadVectors(f"no vector has {said.dimension} numbers")
    return Stamp(said.model, said.revision, said.dimension, said.quantisation)


def _iter_rows(data: bytes, dimension: int) -> Iterator[tuple[str, bytes]]:
    before = bytes(_ID_BYTES)  # no record has this id
    for start in range(_HEADER.size, len(data), _ROW_HEAD.size + dimension):
        raw_id, scale = _ROW_HEAD.unpack_from(data, start)
        if raw_id <= before:
            raise BadVectors("the rows of shared vectors are not in the order of ids")
        before = raw_id
        first = start + _ROW_HEAD.size
        numbers = array("b", data[first : first + dimension])
        low, high = min(numbers), max(numbers)
        if max(-low, high) != _PEAK or not _is_scale_of(scale, numbers):
            raise BadVectors(f"the vector of {raw_id.hex()[:12]} has not length 1")
        yield raw_id.hex(), _write_floats(array("f", [one * scale for one in numbers]))


def _quantise(vector: array[float]) -> tuple[array[int], float]:
    if not abs(math.hypot(*vector) - 1.0) <= _LENGTH_SLACK:  # false for a number that is none, too
        raise ValueError("a vector has not length 1")
    peak = max(max(vector), -min(vector))
    numbers = array("b", [round(one * _PEAK / peak) for one in vector])
    return numbers, 1.0 / math.hypot(*numbers)


def _is_scale_of(scale: float, numbers: array[int]) -> bool:
    return abs(scale * math.hypot(*numbers) - 1.0) <= _SCALE_SLACK


def _read_floats(data: bytes, dimension: int) -> array[float]:
    if len(data) != 4 * dimension:
        raise ValueError(f"{len(data)} bytes are no vector of {dimension} numbers")
    numbers = array("f", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _write_floats(numbers: array[float]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
