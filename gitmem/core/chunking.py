"""Cutting a page into chunks of about 400 tokens that overlap by about 50.

Cut at headings, else between paragraphs, else between sentences, else between words, else
anywhere; code between fences stays whole where it fits. A token counts as four bytes of UTF-8.
The same text gives the same chunks, and an edit changes those around it and no others.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitmem.core.markdown_blocks import Block, list_blocks
from gitmem.core.notes import Chunk

BYTES_PER_TOKEN = 4
MAX_BYTES = 400 * BYTES_PER_TOKEN
OVERLAP_BYTES = 50 * BYTES_PER_TOKEN
_OWN_BYTES = MAX_BYTES - OVERLAP_BYTES
_LEAST_SECTION_BYTES = MAX_BYTES // 4
"""A heading begins a new chunk if the one before has so much: tiny sections share one."""
_LEAST_SENTENCE_CHARS = 80

# Behind a sentence, or a line. What may repeat without bound cannot fail behind that.
_SENTENCE = re.compile(r"[.!?…][\"')\]*_”’]{0,4}\s+|\n\s*|[。！？｡]+[」』）”’]*")
_WORD = re.compile(r"\s+")
_MAX_COMBINING = 16


class Piece(NamedTuple):
    """A chunk's place in its text: its own part, and where its overlap with the one before
    begins."""

    begin: int
    start: int
    end: int
    heading: str


class _Atom(NamedTuple):
    """What is never cut. `is_solid`: not in the overlap of a chunk either, but whole."""

    start: int
    end: int
    heading: str = ""
    is_heading: bool = False
    is_solid: bool = False


def build_chunks(vault: str, path: str, body: str, first_line: int) -> list[tuple[int, Chunk]]:
    """The chunks of a page's text, each with the offset at which its own part begins (before
    it is the overlap). Each character that is not white space is in one at least."""
    chunks: list[tuple[int, Chunk]] = []
    seen: dict[str, int] = {}
    at, line = 0, first_line
    for piece in cut_text(body):
        begin, end = _trim(body, piece.begin, piece.end)
        text = body[begin:end]
        if not body[piece.start : piece.end].strip():
            continue
        line += body.count("\n", at, begin) if begin >= at else -body.count("\n", begin, at)
        at = begin
        repeated = seen.get(text, 0)
        seen[text] = repeated + 1
        identity = _identify(vault, path, text, repeated)
        chunks.append((piece.start, Chunk(identity, len(chunks), piece.heading, line, text)))
    return chunks


def _identify(vault: str, path: str, text: str, repeated: int) -> str:
    """Of vault, path and text alone, so that a chunk keeps its id while others change."""
    parts = [vault, path, text] if not repeated else [vault, path, text, str(repeated)]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _trim(body: str, begin: int, end: int) -> tuple[int, int]:
    """Without the blank lines around it."""
    text = body[begin:end]
    lead = len(text) - len(text.lstrip())
    begin += text.rfind("\n", 0, lead) + 1
    return begin, begin + len(body[begin:end].rstrip())


def cut_text(body: str) -> list[Piece]:
    """Where a text is cut: own parts that are together the whole of it, each at most 400
    tokens with its overlap."""
    pieces: list[Piece] = []
    held: list[_Atom] = []
    begin = size = 0
    for atom in _iter_atoms(body):
        more = _size(body, atom.start, atom.end)
        ends_section = atom.is_heading and size >= _LEAST_SECTION_BYTES
        if held and (ends_section or size + more > MAX_BYTES):
            moved = [] if ends_section else _take_headings(body, held, MAX_BYTES - more)
            pieces.append(_piece(begin, held))
            begin = moved[0].start if moved else atom.start
            if not moved and not atom.is_heading:
                room = min(OVERLAP_BYTES, MAX_BYTES - more)
                begin = _overlap(body, held, room)
            held = moved
            size = _size(body, begin, atom.start)
        held.append(atom)
        size += more
    if held:
        pieces.append(_piece(begin, held))
    return pieces


def _piece(begin: int, atoms: Sequence[_Atom]) -> Piece:
    first = 0
    while first + 1 < len(atoms) and atoms[first].is_heading and atoms[first + 1].is_heading:
        first += 1
    return Piece(begin, atoms[0].start, atoms[-1].end, atoms[first].heading)


def _take_headings(body: str, held: list[_Atom], room: int) -> list[_Atom]:
    """Headings at the end of a chunk go with what they are above, where there is room."""
    first, end = len(held), held[-1].end
    while first > 1 and held[first - 1].is_heading:
        if _size(body, held[first - 1].start, end) > room:
            break
        first -= 1
    moved = held[first:]
    del held[first:]
    return moved


def _overlap(body: str, held: Sequence[_Atom], room: int) -> int:
    """Where the text begins that the next chunk repeats: at a sentence, else at a word."""
    end = begin = held[-1].end
    for atom in reversed(held):
        if end - atom.start <= room and _size(body, atom.start, end) <= room:
            begin = atom.start
            continue
        if not atom.is_solid and not atom.is_heading:
            begin = _begin_within(body, atom, end, begin, room)
        break
    return begin


def _begin_within(body: str, atom: _Atom, end: int, begin: int, room: int) -> int:
    low = max(atom.start, end - room)
    low = end - len(_encode(body[low:end])[-room:].decode("utf-8", "ignore")) if room else end
    for kind in (_SENTENCE, _WORD):
        found = kind.search(body, low, begin)
        if found and found.end() < begin:
            return found.end()
        if end - begin >= room // 2:
            return begin
    return _after_mark(body, low, begin)


def _iter_atoms(body: str) -> Iterator[_Atom]:
    heading = ""
    for block in list_blocks(body):
        if block.kind == "heading":
            heading = block.heading
        is_solid = block.kind in ("fence", "code", "comment")
        # Blank lines before everything have no heading of their own.
        is_heading = block.kind in ("heading", "blank")
        if _size(body, block.start, block.end) <= (MAX_BYTES if is_solid else _OWN_BYTES):
            yield _Atom(block.start, block.end, heading, is_heading, is_solid)
        else:
            for start, end in _iter_sentences(body, block):
                yield from (_Atom(a, b, heading) for a, b in _iter_cuts(body, start, end))


def _iter_sentences(body: str, block: Block) -> Iterator[tuple[int, int]]:
    """The sentences, or the lines, of a block; short ones together."""
    start = block.start
    while found := _SENTENCE.search(body, start + _LEAST_SENTENCE_CHARS, block.end):
        if found.end() == block.end:
            break
        yield start, found.end()
        start = found.end()
    yield start, block.end


def _iter_cuts(body: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in parts that fit: cut at a space in the second half, else between
    characters."""
    while _size(body, start, min(end, start + MAX_BYTES)) > _OWN_BYTES:
        window = body[start : start + _OWN_BYTES]
        fits = start + len(_encode(window)[:_OWN_BYTES].decode("utf-8", "ignore"))
        space = max(body.rfind(" ", start, fits), body.rfind("\n", start, fits)) + 1
        cut = space if space > (start + fits) // 2 else _before_mark(body, start, fits)
        yield start, cut
        start = cut
    yield start, end


def _before_mark(body: str, start: int, cut: int) -> int:
    """A place at or before `cut` that does not part a letter from its accents."""
    for back in range(_MAX_COMBINING):
        at = cut - back
        if at <= start + 1:
            break
        if at >= len(body) or not unicodedata.combining(body[at]):
            return at
    return cut


def _after_mark(body: str, cut: int, end: int) -> int:
    """The same, at or after `cut`."""
    for at in range(cut, min(end, cut + _MAX_COMBINING)):
        if not unicodedata.combining(body[at]):
            return at
    return cut


def _size(body: str, start: int, end: int) -> int:
    """Bytes of UTF-8."""
    text = body[start:end]
    return len(text) if text.isascii() else len(_encode(text))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
