"""What a range of commits asks of the cache: by named commit, by base, and by segment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitmem.cache.connection import Connection
from gitmem.cache.rows import base_name


class CacheRangeRecords:
    """`ports.range_records.RangeRecords` on SQLite."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_naming(self, commits: Iterable[str]) -> list[str]:
        return self._list_mentioning(commits)

    def list_based(self, commits: Iterable[str]) -> list[str]:
        return self._list_mentioning({base_name(commit) for commit in commits})

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
