"""A note's chunks as they are searched, and as links lead to them."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.core.notes import Chunk


def find_chunk(chunks: Sequence[Chunk], heading: str, block: str) -> Chunk | None:
    """The chunk of a note that a link to a heading or block means; else its first. Of
    `a#b#c` the last heading counts."""
    if block:
        for chunk in chunks:
            if any(line.endswith(f"^{block}") for line in chunk.text.split("\n")):
                return chunk
    wanted = _plain(heading.rpartition("#")[2])
    if wanted:
        for chunk in chunks:
            if any(
                _plain(line.lstrip("# ")) == wanted
                for line in chunk.text.split("\n")
                if line.startswith("#")
            ):
                return chunk
        for chunk in chunks:
            if _plain(chunk.heading) == wanted:
                return chunk
    return chunks[0] if chunks else None


def _plain(heading: str) -> str:
    return " ".join(heading.casefold().split())


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
