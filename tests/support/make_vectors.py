"""Makes `schema/vectors.json`, what other implementations check their hashes against.

Run it from the root of the repository: python -m tests.support.make_vectors
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gitmem.core.codec import build_line
from gitmem.core.segments import encode_segment, segment_name
from tests.support.records import decision_fields, make_decision, make_tombstone, tombstone_fields

FILE = Path(__file__).parent.parent.parent / "schema" / "vectors.json"

RECORDS: dict[str, dict[str, Any]] = {
    "the least a decision has": decision_fields(paths=[]),
    "everything a decision has": decision_fields(
        actor={"name": "Ada", "email": "ada@example.com", "agent": "a", "model": "m"},
        paths=[{"path": "src/app.py", "blob": "0" * 40, "lines": [[1, 2], [10, 40]]}],
        why="Two tenants shared a row when it was keyed by URL.",
        branch="main",
        base="1" * 40,
        rejected=[{"option": "global cache", "reason": "leaks between tenants"}],
        supersedes=["2" * 64],
        tags=["cache"],
        commits=["3" * 40],
        seq=2**48,
    ),
    "empty lists are content": decision_fields(tags=[], rejected=[]),
    "text beyond ASCII stands as it is": decision_fields(summary="é ü 漢 \U0001f602 \u2028 \x7f"),
    "escapes are the short ones": decision_fields(why='"\\/\b\f\n\r\t\x00\x1b'),
    "text is not normalised": decision_fields(summary="cafe\u0301"),
    "a path that is not UTF-8": decision_fields(paths=[{"path": "caf%E9.py", "encoded": True}]),
    "unknown fields are content": decision_fields(confidence=870, x={"b": [True, None], "a": {}}),
    "keys sort by their bytes": decision_fields(**{"Z": 1, "a-": 2, "a_": 3, "a0": 4, "": 5}),
    "the largest integers": decision_fields(most=2**53 - 1, least=-(2**53) + 1),
    "a retraction": tombstone_fields("4" * 64, "retract"),
    "a redaction": tombstone_fields("5" * 64, "redact", reason="a password"),
    "an unknown kind of another version": decision_fields(kind="topic", v=3),
}


def build_vectors() -> dict[str, Any]:
    """Everything that the file says, as a JSON value."""
    decision = make_decision()
    segments = {
        "one record": [decision],
        "seq, then id": [make_decision(seq=seq, summary=text) for seq in (2, 1) for text in "ab"],
        "two kinds": [make_tombstone(decision.id), decision],
    }
    return {
        "format": 1,
        "records": [
            {"name": name, "canonical": line.raw.decode(), "id": line.id}
            for name, line in ((name, build_line(fields)) for name, fields in RECORDS.items())
        ],
        "segments": [_describe_segment(name, encode_segment(s)) for name, s in segments.items()],
    }


def _describe_segment(name: str, data: bytes) -> dict[str, Any]:
    return {
        "name": name,
        "lines": data.decode().split("\n")[:-1],
        "bytes_sha256": hashlib.sha256(data).hexdigest(),
        "file_name": segment_name(data),
    }


def format_vectors() -> str:
    """The text of the file: ASCII, so that no editor and no checkout can change it."""
    return json.dumps(build_vectors(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(format_vectors(), encoding="ascii", newline="\n")
