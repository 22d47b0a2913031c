"""The JSON Schemas, made from the record model and the bounds that only the codec states.

They say as much as a schema can: hashes, calendar dates, the order of line numbers and the
canonical form remain the codec's. Unknown fields are always allowed.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from gitmem.core.records import FORMAT_VERSION, MAX_SEQ, Decision, Other, Tombstone

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODELS = {"decision": Decision, "tombstone": Tombstone, "other": Other}

# `$` also matches before a last line end in some dialects of patterns: lengths close the gap.
_ID = {"type": "string", "pattern": "^[0-9a-f]{64}$", "maxLength": 64}
_KEY = {"type": "string", "pattern": "^[0-9a-f]{16}$", "maxLength": 16}
_AT = {
    "type": "string",
    "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z$",
    "maxLength": 24,
}
_NOT_EMPTY = {"type": "string", "minLength": 1}
_ONE_LINE = {"type": "string", "pattern": "\\S", "not": {"pattern": "\n"}}
_SAFE_PATH = {
    "type": "string",
    "minLength": 1,
    "not": {"pattern": "\u0000|(^|/)\\.{0,2}/|(^|/)\\.{1,2}(?![\\s\\S])"},
}
_LINE_NUMBER = {"type": "integer", "minimum": 1}

_COMMON: dict[str, Any] = {
    "id": _ID,
    "v": {"type": "integer", "minimum": 1},
    "project": _NOT_EMPTY,
    "at": _AT,
    "seq": {"type": "integer", "minimum": 1, "maximum": MAX_SEQ},
}
_KNOWN: dict[str, Any] = {
    **_COMMON,
    "v": {"type": "integer", "minimum": 1, "const": FORMAT_VERSION},
}
_BOUNDS: dict[str, dict[str, Any]] = {
    "Decision": {
        **_KNOWN,
        "key": _KEY,
        "summary": _ONE_LINE,
        "supersedes": {"type": "array", "items": _ID, "default": []},
    },
    "Tombstone": {**_KNOWN, "target": _ID},
    "Other": {**_COMMON, "kind": {**_NOT_EMPTY, "not": {"enum": ["decision", "tombstone"]}}},
    "Actor": {"name": _NOT_EMPTY},
    "PathRef": {"path": _SAFE_PATH},
}


def build_schemas() -> dict[str, dict[str, Any]]:
    """File name → JSON Schema: `record.schema.json` for any record, and one for each kind."""
    _, parts = msgspec.json.schema_components(_MODELS.values(), ref_template="#/$defs/{name}")
    for name, bounds in _BOUNDS.items():
        parts[name]["properties"].update(bounds)
    _number_lines_from_one(parts["PathRef"]["properties"]["lines"])
    names = {kind: model.__name__ for kind, model in _MODELS.items()}
    shared = {name: part for name, part in parts.items() if name not in names.values()}
    schemas = {
        f"{kind}.schema.json": {"$schema": DIALECT, **parts[name], "$defs": shared}
        for kind, name in names.items()
    }
    schemas["record.schema.json"] = {
        "$schema": DIALECT,
        "title": "Record",
        "description": "One line of a segment of gitmem's memory, format version 1.",
        "type": "object",
        "required": ["kind"],
        "allOf": [_choose("decision", "Decision"), _choose("tombstone", "Tombstone")],
        "if": {"not": {"properties": {"kind": {"enum": ["decision", "tombstone"]}}}},
        "then": {"$ref": "#/$defs/Other"},
        "$defs": parts,
    }
    return schemas


def _choose(kind: str, name: str) -> dict[str, Any]:
    return {
        "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
        "then": {"$ref": f"#/$defs/{name}"},
    }


def _number_lines_from_one(lines: dict[str, Any]) -> None:
    spans = next(choice for choice in lines["anyOf"] if choice["type"] == "array")
    spans["items"]["prefixItems"] = [_LINE_NUMBER, _LINE_NUMBER]


def format_schema(schema: dict[str, Any]) -> str:
    """The text of a schema file."""
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"
