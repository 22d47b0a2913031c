"""The names a file had: renames and copies followed back through HEAD's history."""

from __future__ import annotations

import msgspec

from gitmem.cache.connection import Connection
from gitmem.cache.path_ids import find_path_ids
from gitmem.core.history import PathSpan

_MAX_NAMES = 32
_CREATING = frozenset("ARC")


class Reach(msgspec.Struct, frozen=True):
    """What HEAD reaches: commits up to the order `last`, but those listed outside for `hid`."""

    last: int
    hid: int


class _Touch(msgspec.Struct, frozen=True):
    cid: int
    status: str
    old_pid: int | None


def list_names(db: Connection, path: str, reach: Reach) -> list[PathSpan]:
    """The path itself first, then older names, nearest first; at most 32 in all."""
    spans = [PathSpan(path)]
    pids = find_path_ids(db, [path])
    seen = set(pids)
    queue: list[tuple[int, int, int, bool]] = [(pid, reach.last + 1, 0, False) for pid in pids]
    while queue and len(spans) < _MAX_NAMES:
        pid, before, since, is_copy = queue.pop(0)
        touches = _list_changes(db, pid, before, reach)
        for touch in sorted(touches, key=lambda one: (one.status == "C", -one.cid)):
            old = touch.old_pid
            if old is None or touch.cid < since or old in seen or len(spans) == _MAX_NAMES:
                continue
            name = db.scalar("SELECT path FROM path WHERE pid = ?", (old,))
            if name is None:
                continue
            seen.add(old)
            start = _start_of_life(_list_changes(db, old, touch.cid, reach))
            copied = is_copy or touch.status == "C"
            spans.append(PathSpan(name, touch.cid, start, copied))
            queue.append((old, touch.cid, start or 0, copied))
    return spans


def _list_changes(db: Connection, pid: int, before: int, reach: Reach) -> list[_Touch]:
    """Where a path came into being or ceased to be, oldest first."""
    rows = db.query(
        "SELECT cid, status, old_pid FROM touch WHERE pid = ? AND cid < ? AND cid <= ?"
        " AND status IN ('A', 'D', 'R', 'C') AND NOT EXISTS"
        " (SELECT 1 FROM outside WHERE outside.hid = ? AND outside.cid = touch.cid)"
        " ORDER BY cid",
        (pid, before, reach.last, reach.hid),
    )
    return [_Touch(*row) for row in rows]


def _start_of_life(touches: list[_Touch]) -> int | None:
    """The order at which a name was last taken after it had been free; None where it never
    was. Where branches that ran side by side make the order unclear, nothing is cut off."""
    start = None
    is_free = False
    for touch in touches:
        if touch.status == "D":
            is_free = True
        elif is_free and touch.status in _CREATING:
            start, is_free = touch.cid, False
    return start
