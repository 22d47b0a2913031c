"""Inserting decoded segments: streamed, in batches of one transaction each."""

from __future__ import annotations

import gc
import importlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from operator import itemgetter

from gitmem.cache.connection import Connection
from gitmem.cache.list_ids import ListIds
from gitmem.cache.path_ids import PathIds
from gitmem.cache.redaction import find_redacted, withhold
from gitmem.cache.rows import (
    base_name,
    encode_withheld,
    key_number,
    links_of,
    search_text,
    tie_of,
    withheld,
)
from gitmem.cache.segments import ensure_segments, mark_read, refresh_live
from gitmem.cache.text import RECORD, add_texts, purge_text
from gitmem.cache.versions import ABSENT, LISTED
from gitmem.core.records import Decision, Line, Record, Tombstone
from gitmem.core.segments import Segment, is_absent

_BATCH_RECORDS = 8000
_BATCH_BYTES = 8 * 1024 * 1024


def project_segments(db: Connection, paths: PathIds, segments: Iterable[Segment]) -> int:
    """Insert what is not inserted yet; the number of new records."""
    count = 0
    has_withheld = False
    with db.bulk(), _uncollected():
        for batch in _iter_batches(segments):
            added, stripped = _insert_batch(db, paths, batch)
            count += added
            has_withheld = has_withheld or stripped
        if has_withheld:
            with db.transaction():
                purge_text(db)
    if has_withheld:
        db.shrink_log()
    return count


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: a batch is many objects and no cycles, and collecting
    would walk them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _iter_batches(segments: Iterable[Segment]) -> Iterator[list[Segment]]:
    batch: list[Segment] = []
    records = size = 0
    for segment in segments:
        batch.append(segment)
        records += len(segment.lines)
        size += sum(len(line.raw) for line in segment.lines)
        if records >= _BATCH_RECORDS or size >= _BATCH_BYTES:
            yield batch
            batch, records, size = [], 0, 0
    if batch:
        yield batch


def _insert_batch(db: Connection, paths: PathIds, batch: list[Segment]) -> tuple[int, bool]:
    with db.transaction():
        paths.begin()
        try:
            return _Batch(db, paths, batch).insert()
        except BaseException:
            paths.forget()
            raise


class _Batch:
    """The rows of one transaction."""

    def __init__(self, db: Connection, paths: PathIds, segments: list[Segment]) -> None:
        self._db = db
        self._paths = paths
        self._sids = ensure_segments(db, [segment.ref for segment in segments])
        states = dict(
            db.query_in("SELECT sid, state FROM segment WHERE sid IN (?*)", self._sids.values())
        )
        self._segments = [
            segment
            for segment in segments
            for state in (states[self._sids[segment.ref]],)
            if state == LISTED or (state == ABSENT and not is_absent(segment))
        ]
        self._found = [
            (sid,) for s in self._segments for sid in (self._sids[s.ref],) if states[sid] == ABSENT
        ]
        self._rids: dict[str, int] = {}
        self._new: list[tuple[int, Line]] = []

    def insert(self) -> tuple[int, bool]:
        """(new records, whether stored ones were stripped)."""
        self._assign_rids()
        redacting = {
            bytes.fromhex(line.record.target)
            for _, line in self._new
            if isinstance(line.record, Tombstone) and line.record.mode == "redact"
        }
        new_ids = [bytes.fromhex(line.id) for _, line in self._new]
        redacted = find_redacted(self._db, new_ids) | redacting
        stripped = bool(redacting) and withhold(self._db, redacting)
        if stripped:
            self._paths.forget()
        self._insert_records(redacted)
        self._insert_holdings()
        return len(self._new), stripped

    def _assign_rids(self) -> None:
        db, rids = self._db, self._rids
        lines = {line.id: line for segment in self._segments for line in segment.lines}
        last = db.scalar("SELECT max(rid) FROM record") or 0
        if last:
            stored = db.query_in(
                "SELECT id, rid FROM record WHERE id IN (?*)", [bytes.fromhex(i) for i in lines]
            )
            rids.update((record_id.hex(), rid) for record_id, rid in stored)
        for record_id, line in lines.items():
            if record_id not in rids:
                last += 1
                rids[record_id] = last
                self._new.append((last, line))

    def _insert_records(self, redacted: set[bytes]) -> None:
        records, texts, links, mentions, listed, linked = [], [], [], [], [], []
        for rid, line in self._new:
            record, raw, key = line.record, line.raw, None
            record_id = bytes.fromhex(record.id)
            is_withheld = record_id in redacted
            if is_withheld:
                raw = encode_withheld(record)
                record = withheld(record)
            elif isinstance(record, Decision):
                key = key_number(record.key)
                text = search_text(record) or ""
                texts.append((rid, text))
                if "[[" in text:
                    linked.append((rid, record))
                if record.supersedes:
                    links += [(*link, rid) for link in links_of(record)]
                if record.commits:
                    mentions += [(name, rid) for name in record.commits]
                if record.base:
                    mentions.append((base_name(record.base), rid))
            if isinstance(record, Tombstone):
                links += [(*link, rid) for link in links_of(record)]
            listed.append((record, rid))
            records.append((rid, record_id, record.seq, record.kind, key, is_withheld, raw))
        run = self._db.insert_many
        run(
            "INSERT INTO record (rid, id, seq, kind, key, is_withheld, body) VALUES",
            records,
        )
        add_texts(self._db, RECORD, texts)
        run("INSERT OR IGNORE INTO link (rel, target, rid) VALUES", links)
        run("INSERT OR IGNORE INTO mention (name, rid) VALUES", mentions)
        if linked:
            # Few decisions link, and what parses links takes time to load.
            importlib.import_module("gitmem.cache.record_links").insert_links(self._db, linked)
        self._insert_lists(listed)

    def _insert_lists(self, listed: list[tuple[Record, int]]) -> None:
        lists = ListIds(self._paths, [record for record, _ in listed])
        rows = [
            (pid, record.seq, tie, rid)
            for record, rid in listed
            for tie in (tie_of(record.id),)
            for pid in lists.of(record)
        ]
        rows.sort(key=itemgetter(0))
        self._db.insert_many("INSERT INTO listing (pid, seq, tie, rid) VALUES", rows)
        totals = Counter(map(itemgetter(0), rows))
        self._db.run_many(
            "UPDATE path SET total = total + ? WHERE pid = ?",
            [(count, pid) for pid, count in totals.items()],
        )

    def _insert_holdings(self) -> None:
        db, rids = self._db, self._rids
        holdings: list[tuple[int, int]] = []
        problems: list[tuple[int, int, str, str, str, str | None]] = []
        for segment in self._segments:
            sid = self._sids[segment.ref]
            holdings += [(rids[line.id], sid) for line in segment.lines]
            problems += [(sid, p.line, p.code, p.detail, p.place, p.id) for p in segment.problems]
            mark_read(db, sid, segment)
        db.run_many("DELETE FROM problem WHERE sid = ?", self._found)
        db.insert_many("INSERT OR IGNORE INTO holding (rid, sid) VALUES", holdings)
        db.insert_many("INSERT INTO problem (sid, line, code, detail, place, id) VALUES", problems)
        sids = [self._sids[segment.ref] for segment in self._segments]
        refresh_live(db, sids)
        rows = db.query_in("SELECT sid FROM segment WHERE is_live AND sid IN (?*)", sids)
        live = {sid for (sid,) in rows}
        held = {rid for rid, sid in holdings if sid in live}
        db.insert_many(
            "INSERT INTO orphan (rid, seq, tie) VALUES",
            [(rid, line.record.seq, tie_of(line.id)) for rid, line in self._new if rid not in held],
        )
