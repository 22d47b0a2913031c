"""Full-text search: one index over documents of every kind, so that their scores compare.

A document's row id is its own table's, times four, plus its kind. What a search may cost is
bounded here, too: a word that a large part of the documents has finds everything, slowly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.core.words import prepare_text, stress_title

RECORD, COMMIT, CHUNK = 0, 1, 2
"""Kinds of documents, as they stand in row ids."""
KINDS = 4

_COMMON_SHARE = 16
"""A word in more than one of so many documents is common,"""
_COMMON_LEAST = 2000
"""but only if that is more than so many."""
_SEARCHED_SHARE = 4
"""All words together are looked for in at most one of so many documents."""
_TAKEN_AT_ONCE = 20_000
_FEW = 10
_MOST_COMMON = 3
_COMMON_SEARCHED_SHARE = 2
"""Of common words, where nothing else is asked, no more than are in one of so many documents,"""
_COMMON_SEARCHED_LEAST = 30_000
"""or in so many, which takes less time than to start."""

_ALL = "SELECT rowid, rank FROM full_text WHERE full_text MATCH ? AND rowid % 4 IN (?*)"
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM full_text WHERE full_text MATCH ? LIMIT ?)"
_AVERAGES = "SELECT block FROM full_text_data WHERE id = 1"


def add_texts(db: Connection, kind: int, rows: Iterable[tuple[int, str]]) -> None:
    """Inside a transaction: index documents of a kind, as (row id of its own table, text)."""
    db.insert_many(
        "INSERT INTO full_text (rowid, text) VALUES",
        [(rowid * KINDS + kind, prepare_text(stress_title(text))) for rowid, text in rows],
    )


def remove_texts(db: Connection, kind: int, rows: Iterable[tuple[int, str]]) -> None:
    """Inside a transaction: take documents out again, by the very texts that were added."""
    db.run_many(
        "INSERT INTO full_text (full_text, rowid, text) VALUES ('delete', ?, ?)",
        [(rowid * KINDS + kind, prepare_text(stress_title(text))) for rowid, text in rows],
    )


def purge_text(db: Connection) -> None:
    """Rewrite the index without what was taken out of it: until then, deleted words stand
    beside the note that they are gone."""
    db.query("INSERT INTO full_text (full_text) VALUES ('optimize')")


def count_texts(db: Connection) -> int:
    """How many documents are in the index, as it counts them itself: the first number of its
    averages record (SQLite's fts5_index.c, "Averages record")."""
    block = db.scalar(_AVERAGES)
    if not isinstance(block, bytes):
        raise CacheDamaged("the cache is damaged: the full-text index has no averages")
    total = 0
    for byte in block[:8]:
        total = total << 7 | byte & 0x7F
        if not byte & 0x80:
            break
    return total


def format_phrase(word: str) -> str:
    """A word of `core.words` in the index's query language, in which it means itself."""
    is_start = word.endswith("*")
    text = word.removesuffix("*").replace('"', '""')
    return f'"{text}"*' if is_start else f'"{text}"'


def choose_phrases(db: Connection, words: Sequence[str]) -> dict[str, int]:
    """Phrases to search for → in how many documents each is, counted up to a bound. The rarest,
    as long as all together are in no more than a share of the documents: what many have tells
    nothing, and looking at it would take long. Where that finds next to nothing, what common
    ones there is time for, too."""
    total = count_texts(db)
    common = max(_COMMON_LEAST, total // _COMMON_SHARE)
    left = max(_COMMON_LEAST, total // _SEARCHED_SHARE)
    phrases = [format_phrase(word) for word in words]
    counts = {one: _count(db, one, common) for one in phrases}
    chosen: dict[str, int] = {}
    for one in sorted(counts, key=lambda one: (counts[one], one)):
        left -= counts[one]
        if counts[one] > common or left < 0:
            break
        chosen[one] = counts[one]
    if sum(chosen.values()) < _FEW:
        rest = [one for one in phrases if one not in chosen]
        most = max(_COMMON_SEARCHED_LEAST, total // _COMMON_SEARCHED_SHARE)
        chosen.update(_choose_common(db, rest[:_MOST_COMMON], most))
    return chosen


def _choose_common(db: Connection, phrases: Sequence[str], most: int) -> dict[str, int]:
    """The rarest of common phrases, as long as all together are in at most so many documents.
    If that is none, the rarest where it begins a text, which is found without a look at all
    that have it."""
    counts = {one: _count(db, one, most) for one in phrases}
    order = sorted(counts, key=lambda one: (counts[one], one))
    chosen: dict[str, int] = {}
    for one in order:
        if sum(chosen.values()) + counts[one] > most:
            break
        chosen[one] = counts[one]
    if chosen or not order:
        return chosen
    beginning = f"^ {order[0]}"
    found = _count(db, beginning, most)
    return {beginning: found} if found >= _FEW else {order[0]: counts[order[0]]}


def _count(db: Connection, phrase: str, most: int) -> int:
    """In how many documents a phrase is; one more than `most` stands for all above."""
    return int(db.scalar(_COUNT, (phrase, most + 1)))


def search_texts(
    db: Connection, phrases: Mapping[str, int], kinds: Sequence[int], *, limit: int
) -> list[tuple[int, float]]:
    """(row id, score, higher is better) of the best documents of these kinds with any of the
    phrases, which come with how many have them; those that tie with the last are there, too."""
    match = " OR ".join(phrases)
    if not match or not kinds or limit <= 0:
        return []
    found = _ALL.replace("?*", ",".join("?" * len(kinds)))
    values = (match, *kinds)
    asked = 8 * limit
    # Rows of one score come in the order of row ids, which a rebuild changes: so all of those
    # that tie are taken, and the caller orders them by what lasts. Of few documents, all are
    # taken at once, since to ask again costs as much as to ask.
    rows = None
    if sum(phrases.values()) > _TAKEN_AT_ONCE:
        rows = db.query(f"{found} ORDER BY rank LIMIT ?", (*values, asked))
    if rows is None or (len(rows) == asked and rows[-1][1] == rows[limit - 1][1]):
        rows = db.query(found, values)
    best = nsmallest(limit, (rank for _, rank in rows))
    last = best[-1] if len(best) == limit else 0.0
    return [(rowid, -rank) for rowid, rank in rows if rank <= last]
