"""Notes in an index, made of their text."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.cache.building import Cache
from gitmem.cache.notes import CacheNotes
from gitmem.core.note_text import build_note
from gitmem.core.notes import Note
from gitmem.core.ranking import format_key

HUBS = ("MEMORY.md", "index.md")


def make_note(path: str, text: str, *, vault: str = "docs", stamp: str = "1") -> Note:
    note = build_note(vault, path, stamp, text.encode(), HUBS)
    assert note is not None
    return note


def index_notes(cache: Cache, pages: Mapping[str, str], *, vault: str = "docs") -> dict[str, Note]:
    """Index pages, path → text; path → the note."""
    notes = {path: make_note(path, text, vault=vault) for path, text in pages.items()}
    CacheNotes(cache.db).replace_notes(vault, notes.values(), ())
    return notes


def key_of(note: Note, number: int = 0) -> str:
    """The key of a note's chunk."""
    return format_key("note", note.chunks[number].id)
