"""The texts of all that retrieval can find, by key, from the cache's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.path_ids import find_path_ids
from gitmem.cache.rows import decode_body, kind_list, search_text
from gitmem.cache.versions import REDACTS
from gitmem.core.passages import format_passage
from gitmem.core.ranking import DocumentKind, Passage, format_key, identity_of, kind_of
from gitmem.core.trailers import cut_trailers, find_decision

_PAGE = 500
_THERE: Mapping[DocumentKind, str] = {
    "record": "SELECT id FROM record WHERE kind = 'decision' AND is_withheld = 0"
    " AND rid NOT IN (SELECT rid FROM orphan) AND id IN (?*)",
    "commit": "SELECT oid FROM code_commit WHERE oid IN (?*)",
    "note": "SELECT id FROM chunk WHERE id IN (?*)",
}
_HEX = frozenset("0123456789abcdef")


class CacheDocuments:
    """`ports.documents.DocumentList` on SQLite. Pages are read one by one, so that other
    processes may write in between."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._iterate: Mapping[str, Callable[[], Iterator[str]]] = {
            "record": self._iter_records,
            "commit": self._iter_commits,
            "note": self._iter_chunks,
        }
        self._read: Mapping[DocumentKind, Callable[[Sequence[str]], dict[str, str]]] = {
            "record": self._read_records,
            "commit": self._read_commits,
            "note": self._read_chunks,
        }

    def iter_keys(self, kind: str) -> Iterator[str]:
        found = self._iterate.get(kind)
        return found() if found else iter(())

    def get_passages(self, keys: Sequence[str]) -> list[Passage]:
        texts: dict[str, str] = {}
        with self._db.snapshot():
            for kind, read in self._read.items():
                wanted = [identity_of(key) for key in keys if kind_of(key) == kind]
                found = read(wanted) if wanted else {}
                texts.update((format_key(kind, name), text) for name, text in found.items())
        return [Passage(key, texts[key]) for key in keys if key in texts]

    def list_gone(self, keys: Sequence[str]) -> list[str]:
        there: set[str] = set()
        with self._db.snapshot():
            for kind, sql in _THERE.items():
                wanted = [identity_of(key) for key in keys if kind_of(key) == kind]
                rows = self._db.query_in(sql, wanted if kind == "note" else _decode_ids(wanted))
                names = (one if isinstance(one, str) else one.hex() for (one,) in rows)
                there.update(format_key(kind, name) for name in names)
        return [key for key in keys if key not in there]

    def list_withheld(self) -> list[str]:
        rows = self._db.query(
            "SELECT DISTINCT target FROM link WHERE rel = ? ORDER BY target", (REDACTS,)
        )
        return [format_key("record", target.hex()) for (target,) in rows]

    def _iter_records(self) -> Iterator[str]:
        yield from self._iter_decisions(is_answered=False)
        yield from self._iter_decisions(is_answered=True)

    def _iter_decisions(self, *, is_answered: bool) -> Iterator[str]:
        """Decisions that something supersedes or withdraws, or the others."""
        pids = find_path_ids(self._db, [kind_list("decision")])
        if not pids:
            return
        last: tuple[int, int, int] = (2**62, 2**62, 2**62)
        while True:
            rows = self._db.query(
                """
                SELECT listing.seq, listing.tie, listing.rid, record.id, EXISTS (
                    SELECT 1 FROM link WHERE rel IN (1, 2, 3) AND target = record.id
                ), record.is_withheld
                FROM listing JOIN record USING (rid)
                WHERE pid = ? AND (listing.seq, tie, rid) < (?, ?, ?)
                AND rid NOT IN (SELECT rid FROM orphan)
                ORDER BY listing.seq DESC, tie DESC, rid DESC LIMIT ?
                """,
                (pids[0], *last, _PAGE),
            )
            for seq, tie, rid, record_id, answered, withheld in rows:
                last = (seq, tie, rid)
                if bool(answered) is is_answered and not withheld:
                    yield format_key("record", record_id.hex())
            if len(rows) < _PAGE:
                return

    def _iter_commits(self) -> Iterator[str]:
        last: tuple[int, int] = (2**62, 2**62)
        while True:
            rows = self._db.query(
                "SELECT at, cid, oid FROM code_commit WHERE has_reason AND (at, cid) < (?, ?)"
                " ORDER BY at DESC, cid DESC LIMIT ?",
                (*last, _PAGE),
            )
            for at, cid, oid in rows:
                last = (at, cid)
                yield format_key("commit", oid.hex())
            if len(rows) < _PAGE:
                return

    def _iter_chunks(self) -> Iterator[str]:
        last: tuple[int, str, int] = (0, "", -1)
        while True:
            rows = self._db.query(
                """
                SELECT vid, path, number, chunk.id FROM note JOIN chunk USING (nid)
                WHERE (vid, path, number) > (?, ?, ?) ORDER BY vid, path, number LIMIT ?
                """,
                (*last, _PAGE),
            )
            for vid, path, number, chunk_id in rows:
                last = (vid, path, number)
                yield format_key("note", chunk_id)
            if len(rows) < _PAGE:
                return

    def _read_chunks(self, ids: Sequence[str]) -> dict[str, str]:
        rows = self._db.query_in(
            "SELECT chunk.id, title, heading, text, number, aliases, tags"
            " FROM chunk JOIN note USING (nid) WHERE chunk.id IN (?*)",
            ids,
        )
        return {
            chunk_id: format_passage(
                title, heading, text, [] if number else _split(f"{aliases}\n{tags}")
            )
            for chunk_id, title, heading, text, number, aliases, tags in rows
        }

    def _read_records(self, ids: Sequence[str]) -> dict[str, str]:
        rows = self._db.query_in(
            "SELECT id, kind, body FROM record WHERE is_withheld = 0"
            " AND rid NOT IN (SELECT rid FROM orphan) AND id IN (?*)",
            _decode_ids(ids),
        )
        texts: dict[str, str] = {}
        for record_id, kind, body in rows:
            try:
                text = search_text(decode_body(kind, body, is_withheld=False))
            except msgspec.DecodeError as error:
                raise CacheDamaged(f"a stored record does not decode: {error}") from error
            if text is not None:
                texts[record_id.hex()] = text
        return texts

    def _read_commits(self, oids: Sequence[str]) -> dict[str, str]:
        rows = self._db.query_in(
            "SELECT oid, message FROM code_commit WHERE oid IN (?*)", _decode_ids(oids)
        )
        return {oid.hex(): _commit_text(message) for oid, message in rows}


def _decode_ids(ids: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(one) for one in ids if _HEX.issuperset(one) and len(one) % 2 == 0]


def _split(names: str) -> list[str]:
    return [name for name in names.split("\n") if name]


def _commit_text(message: str) -> str:
    """A message without its trailers, and what they decide."""
    parts = [cut_trailers(message).strip()]
    said = find_decision(message)
    if said is not None:
        parts += [said.summary or "", said.why or ""]
        for rejected in said.rejected:
            parts += (rejected.option, rejected.reason)
        parts += said.more
    return "\n".join(part for part in parts if part)
