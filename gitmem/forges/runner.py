"""What a runner takes from a step: a summary, outputs, annotations.

Source: GitHub's documentation of workflow commands and environment files. Other runners have
none of these; then nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

MAX_SUMMARY_BYTES = 1_000_000
"""GitHub takes a mebibyte a step."""
MAX_ANNOTATIONS = 10
"""GitHub shows so many warnings a step."""
_MAX_MESSAGE_CHARS = 1000


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """A warning at a line (1-based) of a file of the head."""

    title: str
    message: str
    path: str = ""
    line: int = 1


def write_summary(environ: Mapping[str, str], text: str) -> bool:
    """Add Markdown to the step's summary; whether there is one. Raises OSError."""
    file = environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return False
    data = text.encode("utf-8", "replace")[:MAX_SUMMARY_BYTES]
    with open(Path(file), "ab") as opened:
        opened.write(data.decode("utf-8", "ignore").encode() + b"\n")
    return True


def write_outputs(environ: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """Say the step's outputs; whether anybody takes them. Raises OSError."""
    file = environ.get("GITHUB_OUTPUT")
    if not file:
        return False
    lines = [f"{name}={' '.join(value.split())}\n" for name, value in values.items()]
    with open(Path(file), "ab") as opened:
        opened.write("".join(lines).encode("utf-8", "replace"))
    return True


def format_annotations(environ: Mapping[str, str], annotations: Sequence[Annotation]) -> list[str]:
    """Lines for the log that the host shows beside the change; none for other runners."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return []
    shown = [_format(one) for one in annotations[:MAX_ANNOTATIONS]]
    left = len(annotations) - len(shown)
    return [*shown, f"{left} more warnings are in the report"] if left > 0 else shown


def _format(one: Annotation) -> str:
    place = f"file={_escape_property(one.path)},line={one.line}," if one.path else ""
    title = _escape_property(one.title)
    return f"::warning {place}title={title}::{_escape(one.message[:_MAX_MESSAGE_CHARS])}"


def _escape(text: str) -> str:
    """Nothing in it may begin another command: a line end is what begins one."""
    clean = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    return clean.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(" ".join(text.split())).replace(":", "%3A").replace(",", "%2C")
