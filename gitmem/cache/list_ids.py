"""Row ids of the lists that records stand in, looked up once a path and not once a record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

from gitmem.cache.path_ids import PathIds
from gitmem.cache.rows import MANY_PATHS, kind_list, lists_of, lists_of_path
from gitmem.core.records import Decision, Record


class ListIds:
    """The lists of a batch of records, made where there are none."""

    def __init__(self, paths: PathIds, records: Sequence[Record]) -> None:
        kinds = {record.kind for record in records}
        few: set[str] = set()
        many: set[str] = set()
        for record in records:
            if isinstance(record, Decision):
                if len(record.paths) < MANY_PATHS:
                    few.update(ref.path for ref in record.paths)
                else:
                    many.update(lists_of(record))
        names = {path: lists_of_path(path) for path in few}
        self._ids = paths.ensure(
            chain(map(kind_list, kinds), chain.from_iterable(names.values()), many)
        )
        self._of_kind = {kind: self._ids[kind_list(kind)] for kind in kinds}
        self._of_path = {
            path: tuple(map(self._ids.__getitem__, lists)) for path, lists in names.items()
        }

    def of(self, record: Record) -> Collection[int]:
        """The row ids of a record's lists, each once."""
        kind = self._of_kind[record.kind]
        if not isinstance(record, Decision) or not record.paths:
            return (kind,)
        if len(record.paths) == 1:
            return (kind, *self._of_path[record.paths[0].path])
        if len(record.paths) < MANY_PATHS:
            return {kind, *chain.from_iterable(self._of_path[r.path] for r in record.paths)}
        return {self._ids[name] for name in lists_of(record)}
