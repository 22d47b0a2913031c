"""Checks a foreign value against the schema of records: imports, `verify --strict`."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator

MAX_FINDINGS = 20
MAX_FINDING_CHARS = 300


def read_schema(name: str) -> dict[str, Any]:
    """A shipped schema, by file name: `record.schema.json`, `decision.schema.json`, …"""
    text = resources.files("gitmem.schemas").joinpath(name).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@functools.cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(read_schema("record.schema.json"))


def check_record(value: Any) -> list[str]:
    """What the schema of records finds wrong with a JSON value: `place: what`, bounded in
    number and length; empty where nothing is."""
    findings = []
    for error in _validator().iter_errors(value):
        place = ".".join(str(step) for step in error.absolute_path)[:80] or "record"
        findings.append(f"{place}: {error.message}"[:MAX_FINDING_CHARS])
        if len(findings) == MAX_FINDINGS:
            break
    return sorted(findings)
