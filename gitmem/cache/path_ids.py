"""Row ids of paths and of lists, remembered between the transactions of one process."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.cache.connection import Connection
from gitmem.core.paths import decode_path, fold_path

_KEEP = 200_000


class PathIds:
    """Path → row id. Rows may be deleted by a redaction of another process, so what is
    remembered holds only as long as nobody else writes."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._ids: dict[str, int] = {}
        self._version = -1

    def begin(self) -> dict[str, int]:
        """To be called first in a write transaction; what is known already."""
        version = self._db.data_version()
        if version != self._version or len(self._ids) > _KEEP:
            self._ids.clear()
            self._version = version
        return self._ids

    def forget(self) -> None:
        """After a transaction that failed, or one that deleted paths."""
        self._ids.clear()

    def ensure(self, names: Iterable[str]) -> dict[str, int]:
        """Ids for all the names, made where there are none. Sorted first: row ids follow."""
        ids = self._ids
        missing = sorted({name for name in names if name not in ids})
        if not missing:
            return ids
        if self._db.scalar("SELECT 1 FROM path LIMIT 1"):
            rows = self._db.query_in("SELECT path, pid FROM path WHERE path IN (?*)", missing)
            ids.update(rows)
            missing = [name for name in missing if name not in ids]
        first = (self._db.scalar("SELECT max(pid) FROM path") or 0) + 1
        fresh = list(enumerate(missing, first))
        self._db.run_many(
            "INSERT INTO path (pid, path, reversed) VALUES (?, ?, ?)",
            ((pid, name, _reversed(name)) for pid, name in fresh),
        )
        spelled = [(fold_path(name), pid) for pid, name in fresh if not name.isascii()]
        self._db.run_many("INSERT INTO spelling (folded, pid) VALUES (?, ?)", spelled)
        ids.update((name, pid) for pid, name in fresh)
        return ids


def _reversed(name: str) -> str | None:
    """What a look-up by the end of a path reads; lists that are no paths have none."""
    return None if name.startswith("/") else fold_path(name)[::-1]


def storable(path: str) -> str:
    """A path as it can be stored: bytes that are not UTF-8 are percent-encoded."""
    if path.isascii():
        return path
    return decode_path(path.encode("utf-8", "surrogateescape"))[0]


def find_path_ids(db: Connection, paths: Iterable[str]) -> list[int]:
    """Ids of these paths or lists, in every spelling, sorted; unknown ones are left out."""
    folded = {fold_path(path) for path in paths}
    found = db.query_in("SELECT pid FROM path WHERE path IN (?*)", folded)
    found += db.query_in(
        "SELECT pid FROM spelling WHERE folded IN (?*)",
        [path for path in folded if not path.isascii()],
    )
    return sorted({pid for (pid,) in found})
