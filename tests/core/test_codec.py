"""Records from fields and from lines: what is believed, what is kept, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.canonical import content_id, encode_canonical
from gitmem.core.codec import build_line, decode_line, is_at, is_safe_path
from gitmem.core.records import MAX_SEQ, Decision, Other, Tombstone
from gitmem.errors import BadRecord, NewerFormat
from tests.support.records import (
    AT_TIMES,
    RECORD_FIELDS,
    decision_fields,
    make_decision,
    make_tombstone,
    tombstone_fields,
)


@given(RECORD_FIELDS)
def test_unknown_fields_and_kinds_survive_byte_for_byte(fields: dict[str, Any]) -> None:
    raw = _bytes_with_id(fields)
    line = decode_line(raw)
    assert line.raw == raw
    assert line.id == content_id(fields)
    assert json.loads(line.raw) == {**fields, "id": line.id}
    assert decode_line(encode_canonical(json.loads(raw))) == line


@given(RECORD_FIELDS)
def test_a_record_that_was_built_decodes_to_itself(fields: dict[str, Any]) -> None:
    line = build_line(fields)
    assert decode_line(line.raw) == line
    assert build_line(json.loads(line.raw)) == line


@given(RECORD_FIELDS)
def test_the_typed_view_says_what_the_bytes_say(fields: dict[str, Any]) -> None:
    record = build_line(fields).record
    assert (record.kind, record.seq, record.at) == (fields["kind"], fields["seq"], fields["at"])
    assert record.actor.name == fields["actor"]["name"]
    if isinstance(record, Decision):
        assert [ref.path for ref in record.paths] == [ref["path"] for ref in fields["paths"]]
        assert record.supersedes == tuple(fields.get("supersedes", ()))
    elif isinstance(record, Tombstone):
        assert record.target == fields["target"]
    else:
        assert isinstance(record, Other)


def test_absent_and_none_fields_are_the_same_record() -> None:
    assert build_line({**decision_fields(), "why": None}) == build_line(decision_fields())


def test_a_given_id_is_not_trusted() -> None:
    assert build_line({**decision_fields(), "id": "0" * 64}) == make_decision()


def test_the_carriage_return_of_autocrlf_is_tolerated_and_not_kept() -> None:
    line = make_decision()
    assert decode_line(line.raw + b"\r") == line
    with pytest.raises(BadRecord):
        decode_line(line.raw + b"\r\r")


def test_a_body_under_another_id_is_refused() -> None:
    one, two = make_decision(), make_decision(summary="Another")
    with pytest.raises(BadRecord, match="does not match its id"):
        decode_line(one.raw.replace(one.id.encode(), two.id.encode()))


def _bytes_with_id(fields: dict[str, Any]) -> bytes:
    return encode_canonical({**fields, "id": content_id(fields)})


BAD_FIELDS: dict[str, dict[str, Any]] = {
    "no kind": decision_fields(kind=None),
    "empty kind": decision_fields(kind=""),
    "kind is a number": decision_fields(kind=7),
    "no version": decision_fields(v=None),
    "version 0": decision_fields(v=0),
    "version true": decision_fields(v=True),
    "no project": decision_fields(project=None),
    "empty project": decision_fields(project=""),
    "no time": decision_fields(at=None),
    "no milliseconds": decision_fields(at="2026-01-02T03:04:05Z"),
    "microseconds": decision_fields(at="2026-01-02T03:04:05.678901Z"),
    "another zone": decision_fields(at="2026-01-02T03:04:05.678+01:00"),
    "30 February": decision_fields(at="2026-02-30T03:04:05.678Z"),
    "29 February of a common year": decision_fields(at="2026-02-29T03:04:05.678Z"),
    "the year 0": decision_fields(at="0000-01-01T00:00:00.000Z"),
    "other digits": decision_fields(at="٢٠٢٦-01-02T03:04:05.678Z"),
    "a line after the time": decision_fields(at="2026-01-02T03:04:05.678Z\n"),
    "no seq": decision_fields(seq=None),
    "seq 0": decision_fields(seq=0),
    "negative seq": decision_fields(seq=-1),
    "seq past the bound": decision_fields(seq=MAX_SEQ + 1),
    "seq as text": decision_fields(seq="1"),
    "no actor": decision_fields(actor=None),
    "actor without name": decision_fields(actor={}),
    "actor with an empty name": decision_fields(actor={"name": ""}),
    "actor is text": decision_fields(actor="Ada"),
    "no key": decision_fields(key=None),
    "short key": decision_fields(key="00"),
    "key in capitals": decision_fields(key="00112233445566FF"),
    "no type": decision_fields(type=None),
    "no summary": decision_fields(summary=None),
    "empty summary": decision_fields(summary=""),
    "blank summary": decision_fields(summary=" \t"),
    "summary of two lines": decision_fields(summary="a\nb"),
    "no paths": decision_fields(paths=None),
    "paths of text": decision_fields(paths=["src/app.py"]),
    "absolute path": decision_fields(paths=[{"path": "/etc/passwd"}]),
    "path that leaves": decision_fields(paths=[{"path": "a/../../b"}]),
    "path with NUL": decision_fields(paths=[{"path": "a\0b"}]),
    "empty path": decision_fields(paths=[{"path": ""}]),
    "encoded path that leaves": decision_fields(paths=[{"path": "%2E%2E/b", "encoded": True}]),
    "encoded absolute path": decision_fields(paths=[{"path": "%2Fb", "encoded": True}]),
    "lines that descend": decision_fields(paths=[{"path": "a", "lines": [[3, 2]]}]),
    "line 0": decision_fields(paths=[{"path": "a", "lines": [[0, 2]]}]),
    "lines not in pairs": decision_fields(paths=[{"path": "a", "lines": [[1, 2, 3]]}]),
    "unknown way of capture": decision_fields(captured_by="x" * 1_000_000),
    "supersedes a name": decision_fields(supersedes=["abc"]),
    "supersedes no list": decision_fields(supersedes="0" * 64),
    "rejected without option": decision_fields(rejected=[{"reason": "x"}]),
    "no target": {**tombstone_fields("0" * 64), "target": None},
    "short target": tombstone_fields("abc"),
    "unknown mode": tombstone_fields("0" * 64, mode="forget"),
}


@pytest.mark.parametrize("name", BAD_FIELDS)
def test_what_is_not_of_the_shape_of_its_kind_is_refused(name: str) -> None:
    with pytest.raises(BadRecord) as caught:
        decode_line(_bytes_with_id(BAD_FIELDS[name]))
    assert len(caught.value.message) < 400
    with pytest.raises(BadRecord):
        build_line(BAD_FIELDS[name])


@pytest.mark.parametrize(
    "raw", [b"[]", b'"a"', b"7", b"null", b"{}", b'{"id":7}', b'{"id":"abc"}', b""]
)
def test_what_is_not_an_object_with_an_id_is_refused(raw: bytes) -> None:
    with pytest.raises(BadRecord):
        decode_line(raw)


def test_values_that_json_does_not_know_are_refused_when_building() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    for value in (1.5, object(), deep, "\ud800"):
        with pytest.raises(BadRecord):
            build_line(decision_fields(extra=value))


def test_a_newer_version_of_a_known_kind_is_told_apart_from_damage() -> None:
    for fields in (decision_fields(v=2), tombstone_fields("0" * 64, v=7)):
        with pytest.raises(NewerFormat):
            decode_line(_bytes_with_id(fields))


def test_any_version_of_an_unknown_kind_is_carried() -> None:
    fields = decision_fields(kind="topic", v=9)
    line = build_line(fields)
    assert isinstance(line.record, Other)
    assert decode_line(line.raw) == line


def test_an_unknown_type_of_decision_is_kept() -> None:
    record = make_decision(type="ritual").record
    assert isinstance(record, Decision)
    assert record.type == "ritual"


def test_a_tombstone_is_read_as_one() -> None:
    line = make_tombstone("a" * 64, "redact", reason="a password")
    assert isinstance(line.record, Tombstone)
    assert (line.record.mode, line.record.reason) == ("redact", "a password")


@given(AT_TIMES)
def test_every_time_of_the_calendar_is_a_time(text: str) -> None:
    assert is_at(text)


@pytest.mark.parametrize(
    "path", ["a", "a/b", "a/", ".gitignore", "a..b", "...", "a\\b", "C:a", "é"]
)
def test_paths_inside_the_repository(path: str) -> None:
    assert is_safe_path(path)


@pytest.mark.parametrize(
    "path", ["", "/", "/a", ".", "..", "a/..", "./a", "a//b", "a/./b", "../a/", "a//"]
)
def test_paths_that_leave_the_repository_or_have_two_spellings(path: str) -> None:
    assert not is_safe_path(path)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_a_typed_refusal(raw: bytes) -> None:
    with pytest.raises((BadRecord, NewerFormat)):
        decode_line(raw)
