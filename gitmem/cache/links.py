"""Who is linked to whom: by wikilinks, by what supersedes what, by place in a note, by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from gitmem.cache.connection import Connection
from gitmem.cache.link_targets import LinkTargets
from gitmem.cache.note_edges import iter_note_edges
from gitmem.cache.record_edges import iter_record_edges
from gitmem.core.ranking import Neighbour, identity_of, kind_of


class CacheLinks:
    """`ports.retrieval.Links` on SQLite: rows that an index finds, and nothing else."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_neighbours(
        self, keys: Sequence[str], *, most: int
    ) -> Mapping[str, Sequence[Neighbour]]:
        """What somebody said comes first: what supersedes, then links from here, links to
        here, the same note, the same path. Of two links to one document the first counts."""
        with self._db.snapshot():
            targets = LinkTargets(self._db, most)
            return {key: self._list(key, targets, most) for key in dict.fromkeys(keys)}

    def _list(self, key: str, targets: LinkTargets, most: int) -> list[Neighbour]:
        found: dict[str, Neighbour] = {}
        for neighbour in islice(self._iter_edges(key, targets, most), 20 * most):
            if neighbour.key != key:
                found.setdefault(neighbour.key, neighbour)
            if len(found) > most:
                return []
        return list(found.values())

    def _iter_edges(self, key: str, targets: LinkTargets, most: int) -> Iterator[Neighbour]:
        if kind_of(key) == "record":
            return iter_record_edges(self._db, identity_of(key), targets, most)
        if kind_of(key) == "note":
            return iter_note_edges(self._db, identity_of(key), targets, most)
        return iter(())
