"""The full-text ranker: documents of every kind, best first by bm25, for any question."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from gitmem.cache.connection import Connection
from gitmem.cache.messages import index_messages
from gitmem.cache.text import (
    CHUNK,
    COMMIT,
    KINDS,
    RECORD,
    add_texts,
    choose_phrases,
    count_texts,
    remove_texts,
    search_texts,
)
from gitmem.core.ranking import DocumentKind, Ranked, format_key, identity_of, kind_of
from gitmem.core.words import list_words
from gitmem.errors import CannotWrite, Contended

_NUMBERS: Mapping[DocumentKind, int] = {"record": RECORD, "commit": COMMIT, "note": CHUNK}
_IDS = {
    RECORD: "SELECT rid, id FROM record WHERE rid NOT IN (SELECT rid FROM orphan) AND rid IN (?*)",
    COMMIT: "SELECT cid, oid FROM code_commit WHERE cid IN (?*)",
    CHUNK: "SELECT chid, id FROM chunk WHERE chid IN (?*)",
}
_ROWS = {
    RECORD: "SELECT id, rid FROM record WHERE id IN (?*)",
    COMMIT: "SELECT oid, cid FROM code_commit WHERE oid IN (?*)",
    CHUNK: "SELECT id, chid FROM chunk WHERE id IN (?*)",
}
_IN_ORDER = {
    RECORD: "SELECT rid, id FROM record WHERE id > ? AND rid NOT IN (SELECT rid FROM orphan)"
    " ORDER BY id LIMIT ?",
    COMMIT: "SELECT cid, oid FROM code_commit WHERE oid > ? ORDER BY oid LIMIT ?",
    CHUNK: "SELECT chid, id FROM chunk WHERE id > ? ORDER BY id LIMIT ?",
}
_PAGE = 1000
_MANY = 4000
"""Of so many that tie, those are faster found that come first than all are looked up."""
_LEAST_WORDS = 3
_LEAST_TOTAL = 1000
"""A memory of few documents does not tell which words are rare; this is taken for its size."""
_HAS = "SELECT rowid FROM full_text WHERE full_text MATCH ? AND rowid IN (?*)"


def index_chunks(db: Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Inside a transaction: index chunks of notes, as (chid, text)."""
    add_texts(db, CHUNK, rows)


def forget_chunks(db: Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Inside a transaction: take chunks out again, by the very texts that were indexed."""
    remove_texts(db, CHUNK, rows)


class CacheFullText:
    """`ports.retrieval.TextRanker` on SQLite. Redacted records are never found."""

    name = "text"

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._chosen: tuple[str, dict[str, int]] = ("", {})

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        numbers = sorted(number for kind, number in _NUMBERS.items() if kind in kinds)
        words = list_words(question)
        if not words or not numbers or limit <= 0:
            return []
        # Always, whatever is asked for: scores must not depend on what was asked before.
        with contextlib.suppress(CannotWrite, Contended):
            index_messages(self._db)
        with self._db.snapshot():
            gone = self._db.scalar("SELECT count(*) FROM orphan") if RECORD in numbers else 0
            phrases = self._choose(question, words)
            hits = search_texts(self._db, phrases, numbers, limit=limit + gone)
            keys = self._find_first_keys(hits, limit)
        found = [Ranked(keys[rowid], score) for rowid, score in hits if rowid in keys]
        return sorted(found, key=lambda one: (-one.score, one.key))[:limit]

    def measure_coverage(self, question: str, keys: Sequence[str]) -> Mapping[str, int]:
        """A question is taken for at least as much as three words that one document has: one
        word in common, however rare, is no subject in common."""
        with self._db.snapshot():
            counts = self._choose(question, list_words(question))
            total = max(_LEAST_TOTAL, count_texts(self._db))
            rows = self._find_rows(keys)
            matched = dict.fromkeys(rows, 0.0)
            mass = 0.0
            for phrase, count in counts.items():
                weight = math.log(1 + (max(0, total - count) + 0.5) / (count + 0.5))
                mass += weight
                if count:
                    for (rowid,) in self._db.query_in(_HAS, sorted(rows), before=(phrase,)):
                        matched[rowid] += weight
        whole = max(mass, _LEAST_WORDS * math.log(1 + total))
        return {rows[rowid]: round(1000 * one / whole) for rowid, one in matched.items()}

    def _choose(self, question: str, words: Sequence[str]) -> dict[str, int]:
        """What to search for, remembered: a question is ranked and then measured."""
        if self._chosen[0] != question:
            self._chosen = (question, choose_phrases(self._db, words))
        return self._chosen[1]

    def _find_first_keys(self, hits: Sequence[tuple[int, float]], limit: int) -> dict[int, str]:
        """Keys of the hits, but of very many that tie for the last places only the first."""
        last = min((score for _, score in hits), default=0.0)
        keys: dict[int, str] = {}
        for kind, number in _NUMBERS.items():
            own = [hit for hit in hits if hit[0] % KINDS == number]
            tied = {rowid // KINDS for rowid, score in own if score == last}
            found: Iterable[tuple[int, Any]] = ()
            if len(tied) > _MANY:
                found = islice((row for row in self._iter_by_id(number) if row[0] in tied), limit)
                own = [hit for hit in own if hit[1] != last]
            named = self._db.query_in(_IDS[number], [rowid // KINDS for rowid, _ in own])
            for row, identity in chain(named, found):
                name = identity if number == CHUNK else identity.hex()
                keys[row * KINDS + number] = format_key(kind, name)
        return keys

    def _iter_by_id(self, number: int) -> Iterator[tuple[int, Any]]:
        """All documents of a kind in the order of ids, which is that of keys."""
        after: Any = "" if number == CHUNK else b""
        while rows := self._db.query(_IN_ORDER[number], (after, _PAGE)):
            yield from rows
            after = rows[-1][1]

    def _find_rows(self, keys: Sequence[str]) -> dict[int, str]:
        rows: dict[int, str] = {}
        for kind, number in _NUMBERS.items():
            names = {identity_of(key): key for key in keys if kind_of(key) == kind}
            ids = list(names) if number == CHUNK else map(bytes.fromhex, names)
            for identity, row in self._db.query_in(_ROWS[number], ids):
                name = identity if number == CHUNK else identity.hex()
                rows[row * KINDS + number] = names[name]
        return rows
