"""A page of Markdown: from its bytes to a note."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Collection, Sequence

import msgspec

from gitmem.core.chunking import build_chunks
from gitmem.core.front_matter import parse_front_matter
from gitmem.core.markdown_blocks import list_blocks
from gitmem.core.note_names import file_name, name_of
from gitmem.core.notes import Chunk, Link, Note
from gitmem.core.wikilinks import iter_links

MAX_TITLE_CHARS = 300
_PROBE = 8192
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def build_note(
    vault: str, path: str, stamp: str, data: bytes, hubs: Collection[str] = ()
) -> Note | None:
    """The note that a file's bytes are; None where they are no text. What does not decode is
    replaced, and every line end becomes a line feed. `hubs` are file names, in any case."""
    text = decode_text(data)
    if text is None:
        return None
    front = parse_front_matter(text)
    body = text[front.end :]
    first_line = 1 + text.count("\n", 0, front.end)
    is_hub = file_name(path).casefold() in {hub.casefold() for hub in hubs}
    placed = [] if is_hub else build_chunks(vault, path, body, first_line)
    return Note(
        vault=vault,
        path=path,
        stamp=stamp,
        title=(front.title or _find_title(body) or file_name(name_of(path)))[:MAX_TITLE_CHARS],
        aliases=front.aliases,
        tags=front.tags,
        links=(*_front_links(text[: front.end], placed), *_body_links(body, first_line, placed)),
        chunks=tuple(chunk for _, chunk in placed),
        is_hub=is_hub,
    )


def decode_text(data: bytes) -> str | None:
    """Text of any common encoding that says so, else UTF-8; None for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            break
    else:
        if b"\0" in data[:_PROBE]:
            return None
        text = data.decode("utf-8", "replace")
    return text.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")


def _find_title(body: str) -> str:
    """The first heading, if the page begins with one."""
    for block in list_blocks(body[:_PROBE]):
        if block.kind in ("heading", "blank"):
            if block.heading:
                return block.heading
        else:
            break
    return ""


def _front_links(front: str, placed: Sequence[tuple[int, Chunk]]) -> list[Link]:
    """Links in properties: they stand in no chunk, so they are the first one's."""
    chunk = 0 if placed else -1
    return [msgspec.structs.replace(link, chunk=chunk) for _, link in iter_links(front)]


def _body_links(body: str, first_line: int, placed: Sequence[tuple[int, Chunk]]) -> list[Link]:
    starts = [start for start, _ in placed]
    return [
        msgspec.structs.replace(
            link,
            line=link.line + first_line - 1,
            chunk=max(0, bisect_right(starts, offset) - 1) if placed else -1,
        )
        for offset, link in iter_links(body)
    ]
