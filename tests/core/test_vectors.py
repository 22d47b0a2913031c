"""The published vectors are in step, and implementations that share no code agree with them."""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.util
import json
from collections.abc import Callable
from typing import Any

import pytest

from gitmem.core.codec import decode_line
from tests.support.make_vectors import FILE, format_vectors

VECTORS = json.loads(FILE.read_text(encoding="ascii"))
RECORDS = [pytest.param(one, id=one["name"]) for one in VECTORS["records"]]
SEGMENTS = [pytest.param(one, id=one["name"]) for one in VECTORS["segments"]]


def _stdlib(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


CANONICAL: list[Any] = [pytest.param(_stdlib, id="json")]
if importlib.util.find_spec("rfc8785"):
    CANONICAL.append(pytest.param(importlib.import_module("rfc8785").dumps, id="rfc8785"))


def test_the_file_is_in_step() -> None:
    assert FILE.read_text(encoding="ascii") == format_vectors(), (
        "run: python -m tests.support.make_vectors"
    )


def test_names_are_unique() -> None:
    for group in ("records", "segments"):
        names = [one["name"] for one in VECTORS[group]]
        assert len(set(names)) == len(names) > 2


@pytest.mark.parametrize("encode", CANONICAL)
@pytest.mark.parametrize("vector", RECORDS)
def test_others_reach_the_same_bytes_and_id(
    vector: dict[str, str], encode: Callable[[Any], bytes]
) -> None:
    value = json.loads(vector["canonical"])
    assert encode(value) == vector["canonical"].encode()
    assert value.pop("id") == vector["id"]
    assert hashlib.sha256(encode(value)).hexdigest() == vector["id"]


@pytest.mark.parametrize("vector", RECORDS)
def test_we_read_every_record(vector: dict[str, str]) -> None:
    assert decode_line(vector["canonical"].encode()).id == vector["id"]


@pytest.mark.parametrize("vector", SEGMENTS)
def test_others_reach_the_same_segment_names(vector: dict[str, Any]) -> None:
    data = "".join(f"{line}\n" for line in vector["lines"]).encode()
    digest = hashlib.sha256(data)
    assert digest.hexdigest() == vector["bytes_sha256"]
    name = base64.b32encode(digest.digest()).decode().lower()[:26]
    assert vector["file_name"] == f"{name}.ndjson"
    order = [(one["seq"], one["id"]) for one in map(json.loads, vector["lines"])]
    assert order == sorted(order)
