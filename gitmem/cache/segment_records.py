"""Which decisions stand in a segment, by its name, from the cache's tables."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.cache.connection import Connection
from gitmem.cache.versions import VERIFIED
from gitmem.ports.segment_records import Decisions


class CacheSegmentRecords:
    """`ports.segment_records.SegmentRecords` on SQLite."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_decisions(self, names: Iterable[str]) -> dict[str, Decisions]:
        rows = self._db.query_in(
            """
            SELECT DISTINCT segment.name, record.id, record.is_withheld
            FROM segment JOIN holding USING (sid) JOIN record USING (rid)
            WHERE segment.state = ? AND record.kind = 'decision' AND segment.name IN (?*)
            """,
            sorted(set(names)),
            before=(VERIFIED,),
        )
        ids: dict[str, list[str]] = {}
        redacted: set[str] = set()
        for name, record_id, is_withheld in rows:
            ids.setdefault(name, []).append(record_id.hex())
            if is_withheld:
                redacted.add(name)
        return {name: Decisions(tuple(sorted(ids[name])), name in redacted) for name in ids}
