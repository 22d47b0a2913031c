"""Rows of segments: which is known, whose content stands for which, and what is still alive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.cache.connection import Connection
from gitmem.cache.rows import tie_of
from gitmem.cache.versions import ABSENT, LISTED, READ, VERIFIED
from gitmem.core.segments import Segment, SegmentRef, is_absent, is_whole

_SOURCE_OF_NEW = """
    SELECT sid FROM segment WHERE name = ? AND (state = 2 OR ? = '' AND state = 1)
    ORDER BY state DESC, sid LIMIT 1
"""


def find_known(db: Connection, names: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """Name → (blob, state) of every row of that name."""
    rows = db.query_in("SELECT name, blob, state FROM segment WHERE name IN (?*)", names)
    known: dict[str, list[tuple[str, int]]] = {}
    for name, blob, state in rows:
        known.setdefault(name, []).append((blob, state))
    return known


def is_read(ref: SegmentRef, rows: Sequence[tuple[str, int]]) -> bool:
    """Whether a segment's content is known, by the (blob, state) of the rows of its name: a
    content that matched its name stands for every blob; any other only for its own."""
    return any(state == VERIFIED or (state == READ and blob == ref.blob) for blob, state in rows)


def ensure_segments(db: Connection, refs: Iterable[SegmentRef]) -> dict[SegmentRef, int]:
    """Row ids of segments, made where there are none."""
    wanted = set(refs)
    names = {ref.name for ref in wanted}
    rows = db.query_in("SELECT name, blob, sid FROM segment WHERE name IN (?*)", names)
    found = {SegmentRef(name, blob): sid for name, blob, sid in rows}
    named = {ref.name for ref in found}
    missing = sorted(wanted - found.keys(), key=lambda ref: (ref.name, ref.blob))
    first = (db.scalar("SELECT max(sid) FROM segment") or 0) + 1
    fresh = []
    for sid, ref in enumerate(missing, first):
        source = None
        if ref.name in named:
            source = db.scalar(_SOURCE_OF_NEW, (ref.name, ref.blob))
        fresh.append((sid, ref.name, ref.blob, source))
        found[ref] = sid
    db.run_many("INSERT INTO segment (sid, name, blob, source) VALUES (?, ?, ?, ?)", fresh)
    return {ref: found[ref] for ref in wanted}


def mark_read(db: Connection, sid: int, segment: Segment) -> None:
    """Say that a segment's content is in the tables, and what else it stands for."""
    ref, is_verified = segment.ref, is_whole(segment)
    state = VERIFIED if is_verified else ABSENT if is_absent(segment) else READ
    db.query("UPDATE segment SET state = ?, source = sid WHERE sid = ?", (state, sid))
    if is_verified:
        db.query(
            "UPDATE segment SET source = ? WHERE name = ? AND state IN (?, ?)",
            (sid, ref.name, LISTED, ABSENT),
        )
    elif state == READ:
        db.query(
            "UPDATE segment SET source = ?"
            " WHERE name = ? AND blob = '' AND state = ? AND source IS NULL",
            (sid, ref.name, LISTED),
        )


_CHANGED = """
    SELECT sid, is_live FROM segment WHERE is_live != EXISTS (
        SELECT 1 FROM segment AS alike WHERE alike.source = segment.sid AND (
            EXISTS (SELECT 1 FROM place_segment WHERE place_segment.sid = alike.sid)
            OR EXISTS (SELECT 1 FROM added WHERE added.sid = alike.sid)
            OR EXISTS (
                SELECT 1 FROM shelf_segment JOIN place_shelf USING (shid)
                WHERE shelf_segment.sid = alike.sid
            )
        )
    ) AND sid IN (?*)
"""


def refresh_live(db: Connection, sids: Iterable[int]) -> set[int]:
    """After places or commits gained or lost these segments: bring `is_live` of their
    content, and the list of orphaned records, up to date; those that came alive."""
    sources = db.query_in(
        "SELECT DISTINCT source FROM segment WHERE source IS NOT NULL AND sid IN (?*)",
        sorted(set(sids)),
    )
    changed = db.query_in(_CHANGED, sorted({source for (source,) in sources}))
    db.run_many(
        "UPDATE segment SET is_live = ? WHERE sid = ?",
        [(0 if was_live else 1, sid) for sid, was_live in changed],
    )
    if db.scalar("SELECT 1 FROM orphan LIMIT 1"):
        db.run_many(
            "DELETE FROM orphan WHERE rid IN (SELECT rid FROM holding WHERE sid = ?)",
            [(sid,) for sid, was_live in changed if not was_live],
        )
    for sid, was_live in changed:
        if was_live:
            _orphan_records(db, sid)
    return {sid for sid, was_live in changed if not was_live}


def _orphan_records(db: Connection, sid: int) -> None:
    rows = db.query(
        """
        SELECT record.rid, record.seq, record.id FROM holding JOIN record USING (rid)
        WHERE holding.sid = ? AND NOT EXISTS (
            SELECT 1 FROM holding AS other JOIN segment ON segment.sid = other.sid
            WHERE other.rid = record.rid AND segment.is_live
        )
        """,
        (sid,),
    )
    db.run_many(
        "INSERT OR IGNORE INTO orphan (rid, seq, tie) VALUES (?, ?, ?)",
        [(rid, seq, tie_of(record_id.hex())) for rid, seq, record_id in rows],
    )
