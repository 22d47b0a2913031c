"""The index of notes: which page was read in which state, its chunks, names and links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from gitmem.cache.bad_links import list_bad_links
from gitmem.cache.connection import Connection
from gitmem.cache.full_text import forget_chunks, index_chunks
from gitmem.cache.link_targets import find_pages
from gitmem.core.note_names import fold_name, link_name, list_names, rank_pages
from gitmem.core.notes import BadLink, Chunk, Note
from gitmem.core.passages import format_passage

_NOTES = (
    "SELECT nid, vault.name, path, stamp, title, aliases, tags, is_hub"
    " FROM note JOIN vault USING (vid)"
)


class CacheNotes:
    """`ports.notes.NoteIndex` on SQLite."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_stamps(self, vault: str) -> Mapping[str, str]:
        return dict(
            self._db.query(
                "SELECT path, stamp FROM note WHERE vid = (SELECT vid FROM vault WHERE name = ?)",
                (vault,),
            )
        )

    def replace_notes(self, vault: str, notes: Iterable[Note], gone: Sequence[str]) -> None:
        """A chunk whose words stay keeps its row, and so its place in full-text search."""
        db = self._db
        with db.transaction():
            vid = _ensure_vault(db, vault)
            nids = db.query_in("SELECT nid FROM note WHERE vid = ? AND path IN (?*)", gone, (vid,))
            for (nid,) in nids:
                _Row(db, nid).forget()
            for note in notes:
                _replace(db, vid, note)

    def drop_vaults(self, kept: Sequence[str]) -> None:
        db = self._db
        with db.transaction():
            for vid, name in db.query("SELECT vid, name FROM vault ORDER BY vid"):
                if name not in kept:
                    for (nid,) in db.query("SELECT nid FROM note WHERE vid = ?", (vid,)):
                        _Row(db, nid).forget()
                    db.query("DELETE FROM vault WHERE vid = ?", (vid,))

    def get_chunks(self, ids: Sequence[str]) -> list[tuple[Note, Chunk]]:
        db = self._db
        with db.snapshot():
            rows = db.query_in(
                "SELECT nid, id, number, heading, line, text FROM chunk WHERE id IN (?*)",
                dict.fromkeys(ids),
            )
            notes = self._get_notes(row[0] for row in rows)
            found = {row[1]: (notes[row[0]], Chunk(*row[1:])) for row in rows}
        return [
            (msgspec.structs.replace(note, chunks=(chunk,)), chunk)
            for note, chunk in (found[one] for one in ids if one in found)
        ]

    def list_chunk_ids(self, vault: str, path: str) -> list[str]:
        rows = self._db.query(
            "SELECT chunk.id FROM vault JOIN note USING (vid) JOIN chunk USING (nid)"
            " WHERE vault.name = ? AND note.path = ? ORDER BY chunk.number",
            (vault, path),
        )
        return [chunk_id for (chunk_id,) in rows]

    def find_notes(self, name: str) -> list[Note]:
        with self._db.snapshot():
            pages = rank_pages(name, find_pages(self._db, link_name(name)))
            notes = self._get_notes(page.key for page in pages)
        return [notes[page.key] for page in pages]

    def list_bad_links(self, *, limit: int) -> list[BadLink]:
        with self._db.snapshot():
            return list_bad_links(self._db, limit=limit)

    def _get_notes(self, nids: Iterable[int]) -> dict[int, Note]:
        """Notes without chunks and links."""
        rows = self._db.query_in(f"{_NOTES} WHERE nid IN (?*)", sorted(set(nids)))
        return {row[0]: _build_note(row) for row in rows}


def _build_note(row: tuple[Any, ...]) -> Note:
    _, vault, path, stamp, title, aliases, tags, is_hub = row
    return Note(
        vault=vault,
        path=path,
        stamp=stamp,
        title=title,
        aliases=_decode(aliases),
        tags=_decode(tags),
        is_hub=bool(is_hub),
    )


def _encode(names: Sequence[str]) -> str:
    return "\n".join(names)


def _decode(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _ensure_vault(db: Connection, name: str) -> int:
    db.query("INSERT OR IGNORE INTO vault (name) VALUES (?)", (name,))
    return int(db.scalar("SELECT vid FROM vault WHERE name = ?", (name,)))


def _replace(db: Connection, vid: int, note: Note) -> None:
    nid = db.scalar("SELECT nid FROM note WHERE vid = ? AND path = ?", (vid, note.path))
    kept: dict[str, int] = {}
    if nid is not None:
        kept = _Row(db, nid).clear(note)
    values = (note.stamp, note.title, _encode(note.aliases), _encode(note.tags), note.is_hub)
    if nid is None:
        db.query(
            "INSERT INTO note (vid, path, stamp, title, aliases, tags, is_hub)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (vid, note.path, *values),
        )
        nid = db.scalar("SELECT nid FROM note WHERE vid = ? AND path = ?", (vid, note.path))
    else:
        db.query(
            "UPDATE note SET stamp = ?, title = ?, aliases = ?, tags = ?, is_hub = ? WHERE nid = ?",
            (*values, nid),
        )
    _insert_chunks(db, nid, note, kept)
    names = {(name, nid, 0) for name in list_names(note.path)}
    names |= {(fold_name(alias), nid, 1) for alias in note.aliases}
    db.insert_many("INSERT INTO note_name (name, nid, is_alias) VALUES", sorted(names))
    folder = note.path.rpartition("/")[0]
    db.insert_many(
        "INSERT INTO note_link (nid, position, number, name, target, heading, block, line) VALUES",
        [
            (
                nid,
                position,
                link.chunk,
                link_name(link.target, folder),
                link.target,
                link.heading,
                link.block,
                link.line,
            )
            for position, link in enumerate(note.links)
        ],
    )


def _insert_chunks(db: Connection, nid: int, note: Note, kept: Mapping[str, int]) -> None:
    """New chunks, and the places of those that are kept."""
    db.run_many(
        "UPDATE chunk SET number = ?, line = ? WHERE chid = ?",
        [(c.number, c.line, kept[c.id]) for c in note.chunks if c.id in kept],
    )
    fresh = [chunk for chunk in note.chunks if chunk.id not in kept]
    first = (db.scalar("SELECT max(chid) FROM chunk") or 0) + 1
    db.insert_many(
        "INSERT INTO chunk (chid, id, nid, number, heading, line, text) VALUES",
        [
            (chid, chunk.id, nid, chunk.number, chunk.heading, chunk.line, chunk.text)
            for chid, chunk in enumerate(fresh, first)
        ],
    )
    index_chunks(db, [(chid, passage_of(note, chunk)) for chid, chunk in enumerate(fresh, first)])


def passage_of(note: Note, chunk: Chunk) -> str:
    """What full-text search reads of a chunk, and what is embedded."""
    names = (*note.aliases, *note.tags) if chunk.number == 0 else ()
    return format_passage(note.title, chunk.heading, chunk.text, names)


class _Row:
    """What the tables hold of one note, to be taken out of them."""

    def __init__(self, db: Connection, nid: int) -> None:
        self._db = db
        self._nid = nid

    def clear(self, new: Note) -> dict[str, int]:
        """Names, links, and the chunks whose words change; the rest as id → row."""
        db, nid = self._db, self._nid
        row = db.query(f"{_NOTES} WHERE nid = ?", (nid,))[0]
        old = _build_note(row)
        wanted = {chunk.id: passage_of(new, chunk) for chunk in new.chunks}
        kept: dict[str, int] = {}
        gone: list[tuple[int, str]] = []
        rows = db.query(
            "SELECT chid, id, number, heading, line, text FROM chunk WHERE nid = ? ORDER BY number",
            (nid,),
        )
        for chid, *fields in rows:
            chunk = Chunk(*fields)
            passage = passage_of(old, chunk)
            if wanted.get(chunk.id) == passage:
                kept[chunk.id] = chid
            else:
                gone.append((chid, passage))
        forget_chunks(db, gone)
        db.run_many("DELETE FROM chunk WHERE chid = ?", [(chid,) for chid, _ in gone])
        db.query("DELETE FROM note_name WHERE nid = ?", (nid,))
        db.query("DELETE FROM note_link WHERE nid = ?", (nid,))
        return kept

    def forget(self) -> None:
        self.clear(Note("", "", ""))
        self._db.query("DELETE FROM note WHERE nid = ?", (self._nid,))
