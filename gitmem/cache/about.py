"""What is about a record: the closure that a fold needs, bounded."""

from __future__ import annotations

from gitmem.cache.connection import Connection

_MAX_ROUNDS = 8
_MAX_RECORDS = 2000


def list_about(db: Connection, ids: set[bytes]) -> set[bytes]:
    """The ids, tombstones on them, what supersedes them, what shares a key or a superseded
    target with them, and so on; what was asked for always, the rest within bounds."""
    found = set(ids)
    edge = set(ids)
    for _ in range(_MAX_ROUNDS):
        rids = sorted(_list_neighbours(db, edge))
        rows = db.query_in("SELECT id FROM record WHERE rid IN (?*)", rids)
        edge = {record_id for (record_id,) in rows} - found
        room = max(_MAX_RECORDS, len(ids)) - len(found)
        if len(edge) > room:
            edge = set(sorted(edge)[:room])
        found |= edge
        if not edge:
            break
    return found


def _list_neighbours(db: Connection, edge: set[bytes]) -> set[int]:
    """Row ids of records one step away. At most the bound of each kind is fetched at once: a
    key that a hundred thousand records share must not cost a hundred thousand rows."""
    ids = sorted(edge)
    # CROSS JOIN, and the plus, keep SQLite from beginning at the larger end.
    rids: set[int] = set()
    for sql in (
        "SELECT rid FROM link WHERE rel IN (1, 2, 3) AND target IN (?*)",
        "SELECT alike.rid FROM record CROSS JOIN record AS alike ON alike.key = record.key"
        " WHERE record.id IN (?*)",
        "SELECT rival.rid FROM record CROSS JOIN link ON link.rid = record.rid AND +link.rel = 1"
        " CROSS JOIN link AS rival ON rival.rel = 1 AND rival.target = link.target"
        " WHERE record.id IN (?*)",
    ):
        rows = db.query_in(f"{sql} LIMIT {_MAX_RECORDS + 1}", ids)
        rids.update(rid for (rid,) in rows)
    return rids
