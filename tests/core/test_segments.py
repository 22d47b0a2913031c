"""Segments: names, order, bounds, and every way in which their bytes can go bad."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.canonical import MAX_LINE_BYTES, content_id, encode_canonical
from gitmem.core.codec import build_line
from gitmem.core.records import Line
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    MAX_SEGMENT_RECORDS,
    MAX_SEGMENT_ROWS,
    Segment,
    SegmentRef,
    build_segments,
    decode_segment,
    encode_segment,
    is_month,
    is_segment_name,
    month_of,
    segment_id,
    segment_name,
)
from tests.support.records import RECORD_FIELDS, decision_fields, make_decision, make_decisions

LINES = make_decisions(50)
DATA = encode_segment(LINES)
NAME = segment_name(DATA)


def _read(data: bytes, name: str = "") -> Segment:
    return decode_segment(SegmentRef(name), data, "records/x")


def _codes(segment: Segment) -> set[str]:
    return {problem.code for problem in segment.problems}


def test_a_segment_reads_back_as_it_was_written() -> None:
    segment = _read(DATA, NAME)
    assert segment.lines == tuple(LINES)
    assert segment.problems == ()


@given(st.lists(RECORD_FIELDS, min_size=1, max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_the_bytes_do_not_depend_on_order_or_repetition(
    fields: list[dict[str, object]], chance: random.Random
) -> None:
    lines = [build_line(one) for one in fields]
    data = encode_segment(lines)
    shuffled = lines + lines[:3]
    chance.shuffle(shuffled)
    assert encode_segment(shuffled) == data
    assert encode_segment(_read(data, segment_name(data)).lines) == data


def test_lines_stand_in_seq_then_id_order() -> None:
    lines = [make_decision(seq=seq, summary=text) for seq in (3, 1, 2) for text in "ba"]
    read = _read(encode_segment(lines)).lines
    assert [(one.record.seq, one.id) for one in read] == sorted(
        (one.record.seq, one.id) for one in lines
    )


@pytest.mark.parametrize("data", [b"", b"a\n", DATA])
def test_the_name_is_the_hash_of_the_bytes(data: bytes) -> None:
    expected = base64.b32encode(hashlib.sha256(data).digest()).decode().lower()[:26]
    assert segment_id(data) == expected
    assert segment_name(data) == f"{expected}.ndjson"
    assert is_segment_name(segment_name(data))


def test_the_name_of_no_bytes_is_a_known_one() -> None:
    assert segment_id(b"") == "4oymiquy7qobjgx36tejs35zeq"


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a.ndjson",
        "4oymiquy7qobjgx36tejs35zeq",
        "4OYMIQUY7QOBJGX36TEJS35ZEQ.ndjson",
        "4oymiquy7qobjgx36tejs35zeq.ndjson\n",
        "../4oymiquy7qobjgx36tejs35zeq.ndjson",
        "4oymiquy7qobjgx36tejs35ze1.ndjson",
        "4oymiquy7qobjgx36tejs35zeq.ndjson.orig",
    ],
)
def test_other_files_are_not_segments(name: str) -> None:
    assert not is_segment_name(name)


def test_months_are_shelves() -> None:
    assert month_of("2026-01-02T03:04:05.678Z") == "2026-01"
    assert all(is_month(name) for name in ("2026-01", "1970-12", "9999-10"))
    assert not any(is_month(name) for name in ("2026-13", "2026-00", "2026-1", "26-01", "2026-01/"))


def test_records_are_split_by_month() -> None:
    january = make_decision(at="2026-01-31T23:59:59.999Z")
    february = make_decision(at="2026-02-01T00:00:00.000Z")
    built = build_segments([february, january, january])
    assert [month for month, _, _ in built] == ["2026-01", "2026-02"]
    for (_, name, data), line in zip(built, (january, february), strict=True):
        assert _read(data, name).lines == (line,)


def test_records_are_split_at_the_most_a_segment_holds() -> None:
    lines = make_decisions(MAX_SEGMENT_RECORDS + 1)
    built = build_segments(reversed(lines))
    read = [_read(data, name) for _, name, data in built]
    assert [len(segment.lines) for segment in read] == [MAX_SEGMENT_RECORDS, 1]
    assert [line for segment in read for line in segment.lines] == lines
    assert all(segment.problems == () for segment in read)


def test_records_are_split_at_the_longest_a_segment_is() -> None:
    lines = make_decisions(9, why="a" * 1_000_000)
    built = build_segments(lines)
    assert len(built) == 2
    assert all(len(data) <= MAX_SEGMENT_BYTES for _, _, data in built)
    read = [line for _, name, data in built for line in _read(data, name).lines]
    assert read == lines


def test_the_longest_record_is_a_segment_of_its_own() -> None:
    room = MAX_LINE_BYTES - len(make_decision(why="").raw)
    lines = [make_decision(why="a" * room), make_decision(why="b" * room)]
    assert len(lines[0].raw) == MAX_LINE_BYTES
    built = build_segments([*lines, make_decision()])
    assert sum(len(_read(data, name).lines) for _, name, data in built) == 3
    assert all(not _read(data, name).problems for _, name, data in built)


def test_nothing_makes_no_segment() -> None:
    assert build_segments([]) == []


# --- damage --------------------------------------------------------------------------------


def test_a_tail_torn_at_any_byte_loses_only_what_was_torn_and_says_so() -> None:
    start = len(DATA) - len(encode_segment(LINES[-3:]))
    for cut in range(start, len(DATA)):
        torn = _read(DATA[:cut], NAME)
        whole = DATA[:cut].count(b"\n")
        assert torn.problems, cut
        # A record whose line end alone is missing is complete, and read.
        assert torn.lines in (tuple(LINES[:whole]), tuple(LINES[: whole + 1])), cut
        if not DATA[:cut].endswith(b"\n"):
            assert "torn-line" in _codes(torn)


def test_a_torn_file_without_a_known_name_still_says_so() -> None:
    assert _codes(_read(DATA[:-1])) == {"torn-line"}
    assert _codes(_read(DATA[:-2])) == {"torn-line", "bad-record"}


def test_any_flipped_byte_is_reported_and_never_believed() -> None:
    good = set(LINES)
    start = 0
    for number, line in enumerate(LINES):
        # The line with its neighbours is all that a byte of it can touch; and without a name
        # to compare with, the records alone must tell.
        window = encode_segment(LINES[max(0, number - 1) : number + 2])
        offset = window.index(line.raw)
        for place in range(len(line.raw) + 1):
            flipped = bytearray(window)
            flipped[offset + place] ^= 1 << place % 8
            segment = _read(bytes(flipped))
            assert set(segment.lines) <= good, (number, place)
            assert segment.problems, (number, place)
        start += len(line.raw) + 1
    assert start == len(DATA)


def test_any_flipped_byte_contradicts_the_name() -> None:
    for place in range(0, len(DATA), 37):
        flipped = bytearray(DATA)
        flipped[place] ^= 1 << place % 8
        segment = _read(bytes(flipped), NAME)
        assert "name-mismatch" in _codes(segment)
        assert set(segment.lines) < set(LINES)


def test_zeros_after_a_crash_are_reported() -> None:
    for data in (b"\0" * 4096, DATA + b"\0" * 9000, DATA[:-4000] + b"\0" * 4000):
        segment = _read(data, NAME)
        assert segment.problems
        assert set(segment.lines) <= set(LINES)
    assert _read(DATA + b"\0" * 9000, NAME).lines == tuple(LINES)


def test_an_empty_file_is_damage_not_an_empty_memory() -> None:
    assert "empty-segment" in _codes(_read(b""))
    assert "name-mismatch" in _codes(_read(b"", NAME))


def test_a_line_out_of_place_hides_no_good_one() -> None:
    rows = DATA.split(b"\n")
    data = b"\n".join([*rows[:10], b'{"id":"x"}', b"", *rows[10:]])
    segment = _read(data)
    assert segment.lines == tuple(LINES)
    assert [(problem.line, problem.code) for problem in segment.problems] == [
        (11, "bad-record"),
        (12, "bad-record"),
    ]
    assert {problem.place for problem in segment.problems} == {"records/x"}


def test_line_ends_of_autocrlf_are_tolerated() -> None:
    segment = _read(DATA.replace(b"\n", b"\r\n"), NAME)
    assert segment.lines == tuple(LINES)
    assert segment.problems == ()


def test_separators_inside_strings_do_not_end_a_line() -> None:
    line = make_decision(why="a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg")
    data = encode_segment([line])
    assert _read(data, segment_name(data)).lines == (line,)


def test_a_pointer_of_large_file_storage_is_named() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    segment = _read(pointer, NAME)
    assert (segment.lines, _codes(segment)) == ((), {"lfs-pointer"})


def test_both_sides_of_a_conflict_left_in_a_file_are_read() -> None:
    ours, theirs = encode_segment(LINES[:2]), encode_segment(LINES[2:4])
    data = b"<<<<<<< HEAD\n" + ours + b"=======\n" + theirs + b">>>>>>> feat/x\n"
    segment = _read(data)
    assert segment.lines == tuple(LINES[:4])
    assert [problem.line for problem in segment.problems] == [1, 4, 7]
    assert _codes(segment) == {"conflict-marker"}


def test_a_line_past_the_bound_is_skipped_and_the_rest_read() -> None:
    long = b'"' + b"a" * (MAX_LINE_BYTES + 1) + b'"\n'
    segment = _read(long + DATA)
    assert segment.lines == tuple(LINES)
    assert [(problem.line, problem.code) for problem in segment.problems] == [(1, "line-too-long")]


def test_a_segment_past_the_bound_is_read_up_to_it() -> None:
    padding = make_decisions(9, why="a" * 1_000_000, summary="long")
    segment = _read(DATA + encode_segment(padding))
    assert _codes(segment) == {"segment-too-long"}
    assert set(LINES) < set(segment.lines) < {*LINES, *padding}


def test_one_endless_line_is_no_record() -> None:
    segment = _read(b"a" * (MAX_SEGMENT_BYTES + 1))
    assert segment.lines == ()
    assert "segment-too-long" in _codes(segment)


def test_more_records_than_a_segment_holds_are_read_up_to_the_bound() -> None:
    lines = make_decisions(MAX_SEGMENT_RECORDS + 5)
    segment = _read(encode_segment(lines))
    assert segment.lines == tuple(lines[:MAX_SEGMENT_RECORDS])
    assert [problem.code for problem in segment.problems] == ["segment-too-long"]


def test_megabytes_of_bad_lines_end_in_a_bounded_report() -> None:
    segment = _read(b"\n" * (MAX_SEGMENT_BYTES - len(DATA)) + DATA)
    assert len(segment.problems) <= MAX_SEGMENT_ROWS + 1
    assert segment.problems[-1].code == "segment-too-long"


def test_a_record_of_a_newer_version_is_told_apart() -> None:
    newer = decision_fields(v=2)
    data = encode_canonical({**newer, "id": content_id(newer)}) + b"\n" + DATA
    segment = _read(data)
    assert segment.lines == tuple(LINES)
    assert _codes(segment) == {"newer-format"}


@given(st.binary(max_size=2000), st.integers(0, len(DATA)))
@settings(max_examples=100)
def test_any_bytes_anywhere_are_a_report_and_never_an_error(noise: bytes, place: int) -> None:
    segment = _read(DATA[:place] + noise + DATA[place:], NAME)
    known: set[Line] = set(LINES)
    assert set(segment.lines) <= known
    assert segment.problems or not noise.strip(b"\r")
