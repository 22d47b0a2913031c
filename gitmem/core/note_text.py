"""A page of Markdown: from its bytes to a note, and from its chunks to what is searched."""

from __future__ import annotations

from collections.abc import Sequence


def format_passage(title: str, heading: str, text: str, other_names: Sequence[str] = ()) -> str:
    """A chunk's text as it is searched, embedded and ranked: under its note's title and the
    heading above it; a note's first chunk with its aliases and tags, too."""
    parts = [title]
    if heading and heading != title and not text.lstrip("# \n").startswith(heading):
        parts.append(heading)
    if other_names:
        parts.append(", ".join(other_names))
    parts.append(text)
    return "\n".join(part for part in parts if part)
