"""Refs read from git's own files, written by another store: reading starts no process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gitmem.git.layout import Layout
from gitmem.git.object_codec import is_oid
from gitmem.git.ref_files import find_ref, find_symbolic, read_packed
from gitmem.ports.repository import RefStore, TreeChange


class FileRefStore:
    """`ports.repository.RefStore` for repositories that keep refs in files."""

    def __init__(self, layout: Layout, writer: RefStore) -> None:
        self._layout = layout
        self._writer = writer

    def find_ref(self, name: str) -> str | None:
        # Once more where there is none: git may have packed it between our two looks.
        return find_ref(self._layout, name) or find_ref(self._layout, name)

    def find_symbolic(self, name: str) -> str | None:
        return find_symbolic(self._layout, name)

    def list_refs(self, *prefixes: str) -> dict[str, str]:
        wanted = tuple(prefix for prefix in prefixes if prefix.startswith("refs/"))
        if not wanted:
            return {}
        loose = dict.fromkeys(name for prefix in wanted for name in self._iter_loose(prefix))
        found = {name: oid for name, oid in read_packed(self._layout) if name.startswith(wanted)}
        for name in loose:
            oid = self.find_ref(name)
            if oid is not None:
                found[name] = oid
        return {name: oid for name, oid in sorted(found.items()) if is_oid(oid)}

    def write_commit(
        self, changes: Sequence[TreeChange], *, parent: str | None, message: str, at_seconds: int
    ) -> str:
        return self._writer.write_commit(
            changes, parent=parent, message=message, at_seconds=at_seconds
        )

    def update_ref(self, name: str, new: str, expected: str | None) -> None:
        self._writer.update_ref(name, new, expected)

    def delete_ref(self, name: str, expected: str) -> None:
        self._writer.delete_ref(name, expected)

    def _iter_loose(self, prefix: str) -> Iterator[str]:
        """Names of loose refs that begin so."""
        common = str(self._layout.common_dir)
        start = os.path.join(common, *prefix[: prefix.rfind("/")].split("/"))  # noqa: PTH118
        for folder, _, files in os.walk(start):
            for file in files:
                path = os.path.relpath(os.path.join(folder, file), common)  # noqa: PTH118
                name = path.replace(os.sep, "/")
                if name.startswith(prefix):
                    yield name
