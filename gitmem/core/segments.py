"""Segments: runs of records in one immutable file whose name is the hash of its bytes."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

import msgspec

from gitmem.core.canonical import MAX_LINE_BYTES
from gitmem.core.codec import decode_line
from gitmem.core.records import Line, Problem
from gitmem.errors import BadRecord, NewerFormat

MAX_SEGMENT_BYTES = 8 * 1024 * 1024
MAX_SEGMENT_RECORDS = 2000
# Bad lines do not count as records, yet each is reported: megabytes of them must end too.
MAX_SEGMENT_ROWS = 2 * MAX_SEGMENT_RECORDS
SUFFIX = ".ndjson"

_NAME = re.compile(r"[a-z2-7]{26}\.ndjson")
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])", re.ASCII)
_LFS = b"version https://git-lfs.github.com/spec/"
_CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


class SegmentRef(msgspec.Struct, frozen=True):
    """Where a segment's bytes are named: a file name, and its blob id where git has it."""

    name: str
    blob: str = ""


class Segment(msgspec.Struct, frozen=True):
    """A decoded segment: what is good in it, and what is not."""

    ref: SegmentRef
    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]


# What leaves it open whether the bytes are those that the file's name promises.
_UNPROVEN = frozenset(
    {"name-mismatch", "lfs-pointer", "segment-too-long", "unreadable", "missing", "too-large"}
)


def is_whole(segment: Segment) -> bool:
    """Whether the bytes that were read are those that the segment's name stands for."""
    return _UNPROVEN.isdisjoint(problem.code for problem in segment.problems)


def is_absent(segment: Segment) -> bool:
    """Whether its bytes were not to be had, which may change."""
    return any(problem.code == "missing" for problem in segment.problems)


def is_segment_name(name: str) -> bool:
    """Whether a file name is that of a segment; anything else under records/ is not read."""
    return _NAME.fullmatch(name) is not None


def is_month(name: str) -> bool:
    return _MONTH.fullmatch(name) is not None


def segment_id(data: bytes) -> str:
    """First 26 characters of the lower-case base32 SHA-256 of the bytes."""
    return base64.b32encode(hashlib.sha256(data).digest()).decode("ascii").lower()[:26]


def segment_name(data: bytes) -> str:
    return segment_id(data) + SUFFIX


def month_of(at: str) -> str:
    """The shelf of a record: the UTC month of its time, `YYYY-MM`."""
    return at[:7]


def encode_segment(lines: Iterable[Line]) -> bytes:
    """The bytes of a segment: each record once, in (seq, id) order, LF after each."""
    unique = {line.id: line for line in lines}
    ordered = sorted(unique.values(), key=lambda line: (line.record.seq, line.id))
    return b"".join(line.raw + b"\n" for line in ordered)


def build_segments(lines: Iterable[Line]) -> list[tuple[str, str, bytes]]:
    """Split records into segments within bounds: (month, file name, bytes), in month order."""
    shelves: dict[str, dict[str, Line]] = {}
    for line in lines:
        shelves.setdefault(month_of(line.record.at), {})[line.id] = line
    out = []
    for month in sorted(shelves):
        ordered = sorted(shelves[month].values(), key=lambda line: (line.record.seq, line.id))
        for run in _runs(ordered):
            data = encode_segment(run)
            out.append((month, segment_name(data), data))
    return out


def _runs(ordered: list[Line]) -> Iterable[list[Line]]:
    run: list[Line] = []
    size = 0
    for line in ordered:
        length = len(line.raw) + 1
        if run and (len(run) == MAX_SEGMENT_RECORDS or size + length > MAX_SEGMENT_BYTES):
            yield run
            run, size = [], 0
        run.append(line)
        size += length
    if run:
        yield run


def decode_segment(ref: SegmentRef, data: bytes, place: str) -> Segment:
    """Read what is good in a segment and report the rest; never raises for bad content.

    `place` names the file in problems. A CR before LF (autocrlf) is tolerated everywhere.
    """
    lines: list[Line] = []
    problems: list[Problem] = []

    def report(number: int, code: str, detail: str, record_id: str | None = None) -> None:
        problems.append(Problem(place, number, code, detail, record_id))

    if data.startswith(_LFS):
        report(0, "lfs-pointer", "a Git LFS pointer stands where the records should be")
        return Segment(ref, (), tuple(problems))
    if len(data) > MAX_SEGMENT_BYTES:
        report(0, "segment-too-long", f"more than {MAX_SEGMENT_BYTES} bytes; the first are read")
        data = data[:MAX_SEGMENT_BYTES]
        data = data[: data.rfind(b"\n") + 1]
    elif ref.name and segment_name(data.replace(b"\r\n", b"\n")) != ref.name:
        report(0, "name-mismatch", "the bytes do not match the file's name")
    rows = data.split(b"\n")
    if rows[-1] == b"":
        rows.pop()
    else:
        report(len(rows), "torn-line", "the last line has no end")
    if not rows:
        report(0, "empty-segment", "no record in it")
    for number, row in enumerate(rows, 1):
        if len(lines) == MAX_SEGMENT_RECORDS or number > MAX_SEGMENT_ROWS:
            report(number, "segment-too-long", f"more than {MAX_SEGMENT_RECORDS} records")
            break
        if len(row) > MAX_LINE_BYTES:
            report(number, "line-too-long", f"more than {MAX_LINE_BYTES} bytes")
            continue
        if row.startswith(_CONFLICT):
            report(number, "conflict-marker", "a merge conflict was left here")
            continue
        try:
            lines.append(decode_line(row))
        except NewerFormat as error:
            report(number, "newer-format", error.message)
        except BadRecord as error:
            report(number, "bad-record", error.message)
    return Segment(ref, tuple(lines), tuple(problems))
