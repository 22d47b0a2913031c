"""The schemas are in step with the model, and say of records what the codec says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gitmem.core.canonical import content_id, encode_canonical
from gitmem.core.codec import build_line, decode_line
from gitmem.core.records import MAX_SEQ
from gitmem.errors import BadRecord, NewerFormat
from gitmem.schemas.check import MAX_FINDING_CHARS, MAX_FINDINGS, check_record, read_schema
from gitmem.schemas.generate import build_schemas, format_schema
from tests.support.make_schemas import FOLDERS
from tests.support.make_vectors import FILE
from tests.support.records import (
    DECISIONS,
    OTHERS,
    RECORD_FIELDS,
    TOMBSTONES,
    VALUES,
    decision_fields,
    tombstone_fields,
)

SCHEMAS = build_schemas()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("name", SCHEMAS)
def test_the_files_are_in_step(folder: Path, name: str) -> None:
    assert (folder / name).read_text(encoding="utf-8") == format_schema(SCHEMAS[name]), (
        "run: python -m tests.support.make_schemas"
    )


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_there_is_no_other_schema(folder: Path) -> None:
    assert {file.name for file in folder.glob("*.schema.json")} == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert read_schema(name) == json.loads(format_schema(SCHEMAS[name]))


def _value(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "id": content_id(fields)}


@given(RECORD_FIELDS)
def test_what_the_codec_takes_the_schema_takes(fields: dict[str, Any]) -> None:
    value = json.loads(build_line(fields).raw)
    assert check_record(value) == []


@pytest.mark.parametrize(
    ("name", "fields"), [("decision", DECISIONS), ("tombstone", TOMBSTONES), ("other", OTHERS)]
)
@given(data=st.data())
def test_the_schema_of_a_kind_takes_its_kind_alone(
    name: str, fields: st.SearchStrategy[dict[str, Any]], data: st.DataObject
) -> None:
    value = _value(data.draw(fields))
    for other in ("decision", "tombstone", "other"):
        is_valid = Draft202012Validator(SCHEMAS[f"{other}.schema.json"]).is_valid(value)
        assert is_valid == (other == name)


def test_the_published_vectors_are_valid() -> None:
    for vector in json.loads(FILE.read_text(encoding="ascii"))["records"]:
        assert check_record(json.loads(vector["canonical"])) == []


FIELDS = [
    "v",
    "kind",
    "project",
    "at",
    "seq",
    "actor",
    "key",
    "type",
    "summary",
    "paths",
    "captured_by",
    "why",
    "branch",
    "base",
    "rejected",
    "supersedes",
    "tags",
    "commits",
    "target",
    "mode",
    "reason",
    "unknown",
]
ODD = st.sampled_from(
    [
        *("", " ", "a", "a\nb", "a\n", "/a", "../a", "a/..", "a/.\n", "a//", "a/", "0" * 16),
        *("0" * 64, "0" * 63, "0" * 64 + "\n", "0" * 16 + "\n", "A" * 64, "decision", "tombstone"),
        *("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z\n", "2026-01-02", "human"),
        *(0, 1, 2, -1, MAX_SEQ, MAX_SEQ + 1, True, False, None, [], {}, [""], ["0" * 64]),
        *({"name": ""}, {"name": "x"}, {"name": 1}, [{"path": "a"}], [{"path": "a/../b"}]),
        *([{"path": ""}], [{"path": "a\0"}], [{"path": "a", "lines": [[1]]}], [{"option": 1}]),
        *([{"path": "a", "lines": [[0, 1]]}], [{"path": "a", "lines": [[1, 2]], "encoded": 1}]),
        *([{"path": "a", "lines": None}], [{"path": "...", "blob": 7}], [{"path": "..a/b.."}]),
    ]
)


@given(RECORD_FIELDS, st.dictionaries(st.sampled_from(FIELDS), ODD | VALUES, max_size=2), st.data())
def test_codec_and_schema_agree_on_changed_records(
    fields: dict[str, Any], changes: dict[str, Any], data: st.DataObject
) -> None:
    changed = {**fields, **changes}
    missing = data.draw(st.none() | st.sampled_from(sorted(changed)))
    changed.pop(missing, None)
    value = _value(changed)
    try:
        decode_line(encode_canonical(value))
    except (BadRecord, NewerFormat):
        assert check_record(value) != []
    else:
        assert check_record(value) == []


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        (decision_fields(at="2026-02-30T00:00:00.000Z"), "the calendar"),
        (decision_fields(paths=[{"path": "a", "lines": [[3, 2]]}]), "the order of lines"),
        (decision_fields(paths=[{"path": "%2E%2E/a", "encoded": True}]), "what escapes mean"),
    ],
)
def test_what_a_schema_cannot_say_remains_the_codecs(fields: dict[str, Any], what: str) -> None:
    value = _value(fields)
    assert check_record(value) == [], what
    with pytest.raises(BadRecord):
        decode_line(encode_canonical(value))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], "record"),
        ({}, "record"),
        (_value(decision_fields(seq=0)), "seq"),
        (_value(decision_fields(paths=[{"path": "/a"}])), "paths.0.path"),
        (_value(decision_fields(v=2)), "v"),
        (_value(tombstone_fields("a")), "target"),
    ],
)
def test_findings_name_their_place(value: Any, place: str) -> None:
    findings = check_record(value)
    assert findings
    assert all(finding.startswith(f"{place}: ") for finding in findings)


def test_findings_are_bounded() -> None:
    many = _value(decision_fields(paths=["x" * 10_000] * 1000))
    findings = check_record(many)
    assert len(findings) == MAX_FINDINGS
    assert max(map(len, findings)) <= MAX_FINDING_CHARS
