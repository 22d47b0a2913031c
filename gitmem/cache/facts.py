"""Small derived facts in the cache: the keys of places, and remembered answers."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.cache.connection import Connection


class CacheFacts:
    """`ports.cache.Facts` on SQLite."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def get_place_keys(self) -> Mapping[str, str]:
        return dict(self._db.query("SELECT name, key FROM place"))

    def set_memo(self, name: str, value: str) -> None:
        if self.get_memo(name) == value:
            return
        with self._db.transaction():
            self._db.query("INSERT OR REPLACE INTO memo (name, value) VALUES (?, ?)", (name, value))

    def get_memo(self, name: str) -> str | None:
        value: str | None = self._db.scalar("SELECT value FROM memo WHERE name = ?", (name,))
        return value
