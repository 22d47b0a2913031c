"""Notes: pages of Markdown in a vault, cut into chunks. Values only."""

from __future__ import annotations

import msgspec


class Link(msgspec.Struct, frozen=True, array_like=True):
    """A wikilink as written. `target` is the page's name without alias, heading or block;
    `line` is 1-based; `chunk` is the number of the chunk it stands in, -1 where there is none."""

    target: str
    alias: str = ""
    heading: str = ""
    block: str = ""
    is_embed: bool = False
    line: int = 0
    chunk: int = -1


class Chunk(msgspec.Struct, frozen=True, array_like=True):
    """A run of a note's text of about 400 tokens. `id` is 64 hex, of vault, path and text;
    `heading` is the nearest one above; `line` is where it begins, 1-based."""

    id: str
    number: int
    heading: str
    line: int
    text: str


class Note(msgspec.Struct, frozen=True):
    """One page. `path` is relative to its vault; `stamp` tells whether the file changed.

    A hub (an index page such as `MEMORY.md`, which is mostly links) has links and no chunks.
    """

    vault: str
    path: str
    stamp: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    is_hub: bool = False
    tags: tuple[str, ...] = ()


class BadLink(msgspec.Struct, frozen=True):
    """A link that leads nowhere (`candidates` empty) or to several pages.

    `vault` is "" for a link in a decision's text, and `path` the decision's id then."""

    vault: str
    path: str
    line: int
    target: str
    candidates: tuple[str, ...] = ()


class Complaint(msgspec.Struct, frozen=True):
    """What of a vault could not be taken, with a stable code."""

    code: str
    message: str
