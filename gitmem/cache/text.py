"""Full-text search: safe queries from any words, and an order that a rebuild does not change."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.cache.connection import Connection

_MAX_WORDS = 64
_MAX_WORD_CHARS = 200
_COMMON_SHARE = 4
"""A word in more than one of so many texts is left out: it finds everything, slowly."""
_COMMON_LEAST = 200

_STOP_TEXT = (
    "a about after all also an and any are as at be because been before but by can could did do"
    " does for from had has have he her his how i if in into is it its just may me more most my"
    " no not of on one only or other our out over she should so some such than that the their"
    " them then there these they this those to too up us was we were what when where which who"
    " why will with would you your"
)
STOP_WORDS = frozenset(_STOP_TEXT.split())

_BEST = {
    "record_text": "SELECT rowid, rank FROM record_text WHERE record_text MATCH ?"
    " ORDER BY rank LIMIT ?",
    "message_text": "SELECT rowid, rank FROM message_text WHERE message_text MATCH ?"
    " ORDER BY rank LIMIT ?",
}
_COUNT = {
    "record_text": "SELECT count(*) FROM"
    " (SELECT 1 FROM record_text WHERE record_text MATCH ? LIMIT ?)",
    "message_text": "SELECT count(*) FROM"
    " (SELECT 1 FROM message_text WHERE message_text MATCH ? LIMIT ?)",
}


def build_match(words: Iterable[str]) -> list[str]:
    """Words as quoted FTS5 phrases, each once, stop words left out unless nothing else is."""
    cleaned = {}
    for word in words:
        text = word.replace("\0", " ").encode("utf-8", "ignore").decode().strip()
        text = text[:_MAX_WORD_CHARS]
        if any(char.isalnum() for char in text):
            cleaned[text.lower()] = '"' + text.replace('"', '""') + '"'
        if len(cleaned) >= _MAX_WORDS:
            break
    telling = [phrase for text, phrase in cleaned.items() if text not in STOP_WORDS]
    return telling or list(cleaned.values())


def search_table(
    db: Connection, table: str, words: Iterable[str], *, limit: int, total: int
) -> list[tuple[int, float]]:
    """(row id, score, higher is better) of the best rows of a full-text table of this room;
    beyond the limit follow those that tie with the last. `total`: texts in the table."""
    phrases = build_match(words)
    if not phrases or limit <= 0:
        return []
    most = max(_COMMON_LEAST, total // _COMMON_SHARE)
    if total > most and len(phrases) > 1:
        rare = [phrase for phrase in phrases if not _is_common(db, table, phrase, most)]
        phrases = rare or phrases
    match = " OR ".join(phrases)
    # Rows of one score come in the order of row ids, which a rebuild changes: so all of those
    # that tie are fetched, and the caller orders them by what lasts.
    asked = limit + 1
    while True:
        rows = db.query(_BEST[table], (match, asked))
        if len(rows) < asked or rows[-1][1] != rows[limit - 1][1]:
            return [(rowid, -rank) for rowid, rank in rows]
        asked *= 4


def _is_common(db: Connection, table: str, phrase: str, most: int) -> bool:
    return int(db.scalar(_COUNT[table], (phrase, most + 1))) > most
