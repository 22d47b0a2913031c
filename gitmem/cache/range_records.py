"""What a range of commits asks of the cache: by named commit, by base, and by segment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.rows import base_name, decode_body, is_intact
from gitmem.core.records import Line
from gitmem.core.segments import SegmentRef


class CacheRangeRecords:
    """`ports.range_records.RangeRecords` on SQLite."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_naming(self, commits: Iterable[str]) -> list[str]:
        return self._list_mentioning(commits)

    def list_based(self, commits: Iterable[str]) -> list[str]:
        return self._list_mentioning({base_name(commit) for commit in commits})

    def read_segments(self, refs: Iterable[SegmentRef]) -> Mapping[str, tuple[Line, ...]]:
        blobs = {ref.name: ref.blob for ref in refs}
        rows = self._db.query_in(
            """
            SELECT segment.name, segment.blob, id, kind, is_withheld, body FROM segment
            CROSS JOIN holding ON holding.sid = segment.source
            CROSS JOIN record USING (rid)
            WHERE segment.name IN (?*)
            """,
            blobs,
        )
        found: dict[str, list[Line]] = {}
        for name, blob, record_id, kind, is_withheld, body in rows:
            if blobs[name] == blob:
                found.setdefault(blob, []).append(
                    _build_line(record_id.hex(), kind, is_withheld, body)
                )
        return {blob: tuple(lines) for blob, lines in found.items()}

    def list_spoken_of(self, ids: Iterable[str]) -> set[str]:
        wanted = [bytes.fromhex(record_id) for record_id in ids]
        found: set[str] = set()
        for sql in (
            "SELECT DISTINCT target FROM link WHERE rel IN (1, 2, 3) AND target IN (?*)",
            "SELECT id FROM record CROSS JOIN link ON link.rid = record.rid AND +link.rel = 1"
            " WHERE id IN (?*)",
            "SELECT id FROM record WHERE id IN (?*) AND EXISTS (SELECT 1 FROM record AS alike"
            " WHERE alike.key = record.key AND alike.rid != record.rid)",
        ):
            found.update(target.hex() for (target,) in self._db.query_in(sql, wanted))
        return found

    def list_segments(self, ids: Iterable[str]) -> Mapping[str, frozenset[str]]:
        rows = self._db.query_in(
            """
            SELECT record.id, segment.name FROM record
            CROSS JOIN holding USING (rid)
            CROSS JOIN segment ON segment.source = holding.sid
            WHERE record.id IN (?*)
            """,
            [bytes.fromhex(record_id) for record_id in ids],
        )
        found: dict[str, set[str]] = {}
        for record_id, name in rows:
            found.setdefault(record_id.hex(), set()).add(name)
        return {record_id: frozenset(names) for record_id, names in found.items()}

    def _list_mentioning(self, names: Iterable[str]) -> list[str]:
        rows = self._db.query_in(
            """
            SELECT record.id FROM mention CROSS JOIN record USING (rid)
            WHERE rid NOT IN (SELECT rid FROM orphan) AND name IN (?*)
            """,
            sorted(names),
        )
        return sorted({record_id.hex() for (record_id,) in rows})


def _build_line(record_id: str, kind: str, is_withheld: bool, body: bytes) -> Line:
    if not is_withheld and not is_intact(record_id, body):
        raise CacheDamaged(f"the cache is damaged: record {record_id[:12]} was changed")
    try:
        record = decode_body(kind, body, is_withheld=bool(is_withheld))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CacheDamaged(f"a stored record does not decode: {error}") from error
    return Line(record, b"" if is_withheld else body)
