"""The text that a commit's editor opens with, and what gitmem adds to it as comments."""

from __future__ import annotations

from collections.abc import Sequence

MAX_SHOWN = 10
MAX_CHARS = 100
# What git itself chooses from where core.commentChar is "auto".
_CANDIDATES = "#;@!$%^&|:"


def find_comment_mark(text: str, configured: str | None) -> str | None:
    """What comments begin with here; None where that cannot be told, as where git kept no
    comment in the text."""
    if configured is None:
        return "#"
    if configured.lower() != "auto":
        return configured
    lines = [line for line in text.split("\n") if line]
    return lines[-1][0] if lines and lines[-1][0] in _CANDIDATES else None


def add_suggestions(text: str, mark: str, summaries: Sequence[str]) -> str:
    """The text with the summaries as comments, before the first comment there is."""
    shown = [" ".join(summary.split())[:MAX_CHARS] for summary in summaries[:MAX_SHOWN]]
    rows = [f"{mark} Decisions that go with this commit (gitmem):"]
    rows += [f"{mark}   {summary}" for summary in shown]
    if len(summaries) > MAX_SHOWN:
        rows.append(f"{mark}   and {len(summaries) - MAX_SHOWN} more")
    block = "\n".join([*rows, mark, ""])
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(mark):
            return "\n".join([*lines[:number], block + "\n".join(lines[number:])])
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}\n{block}"
