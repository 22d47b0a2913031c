"""Publish this clone's vectors beside the segments on its own ref, and take them off again.

Only what this clone's ref publishes anyway gets vectors, only whole segments, and never one
that holds a redacted record: its vectors go with the next push.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from gitmem.core.ranking import Stamp, format_key, identity_of
from gitmem.core.shared_vectors import count_bytes, encode_stamp, encode_vectors
from gitmem.errors import ModelDamaged, PartMissing, RemoteError
from gitmem.ports.repository import TreeChange
from gitmem.services.workspace import Workspace
from gitmem.store.own_ref import change_own_ref
from gitmem.store.vector_tree import (
    SharedFolder,
    format_stamp_path,
    format_vector_path,
    list_published,
    list_shared_folders,
    list_vector_blobs,
)

MOST_BYTES = 32 * 1024 * 1024
"""So much goes into one commit, which is held in memory; more makes several commits."""
PAGE = 2000
"""Of so many records vectors are read from the disk at once."""


class Shared(msgspec.Struct, frozen=True):
    """The tip of this clone's ref; of how many decisions vectors came to it, from how many
    segments they went, and how many decisions lack one, so that their segments wait."""

    tip: str
    added: int = 0
    removed: int = 0
    lacking: int = 0


def share_vectors(workspace: Workspace, writer: str, tip: str, *, is_on: bool) -> Shared:
    """Bring the vectors on this clone's ref in step with its segments, as the cache knows them;
    off, all of them are taken off. Loads no model where the stamp is known without. Raises
    Contended, CannotWrite."""
    step = _Step(workspace, is_on=is_on)
    refs = workspace.sources.memory_refs
    added = removed = 0
    while True:
        before = tip
        tip = (
            change_own_ref(refs, writer, step.plan, at_seconds=workspace.clock.now_ms() // 1000)
            or tip
        )
        if tip == before:
            return Shared(tip, added, removed, step.lacking)
        added, removed = added + step.added, removed + step.removed


class _Step:
    """What one commit changes; after `plan`, what that is in numbers."""

    def __init__(self, workspace: Workspace, *, is_on: bool) -> None:
        self._workspace = workspace
        self._objects = workspace.sources.memory_objects
        self._stamp = _find_stamp(workspace) if is_on else None
        self._is_on = is_on
        self.added = self.removed = self.lacking = 0

    def plan(self, tip: str | None) -> list[TreeChange]:
        self.added = self.removed = self.lacking = 0
        if tip is None:
            return []
        folders = list_shared_folders(self._objects, tip)
        fit = self._list_fit(tip) if self._is_on else {}
        ours = self._find_ours(folders)
        there = list_vector_blobs(self._objects, ours.tree) if ours is not None else {}
        changes = self._add({name: ids for name, ids in fit.items() if name not in there})
        has_ours = bool(changes) or bool(there.keys() & fit.keys())
        if changes and ours is None and self._stamp is not None:
            changes.append(TreeChange(format_stamp_path(self._stamp), encode_stamp(self._stamp)))
        for folder in folders:
            is_kept = folder == ours or (self._is_on and not has_ours)
            changes += self._take_off(folder, fit if is_kept else {})
        return changes

    def _find_ours(self, folders: Sequence[SharedFolder]) -> SharedFolder | None:
        name = self._stamp.format() if self._stamp is not None else None
        return next((one for one in folders if one.name == name), None)

    def _list_fit(self, tip: str) -> dict[str, tuple[str, ...]]:
        """Segment → its decisions, of those that this ref publishes and nothing redacted."""
        held = self._workspace.segment_records.list_decisions(list_published(self._objects, tip))
        return {name: held[name].ids for name in sorted(held) if not held[name].has_redacted}

    def _take_off(self, folder: SharedFolder, fit: Mapping[str, object]) -> list[TreeChange]:
        """The whole folder where nothing of it stays."""
        there = list_vector_blobs(self._objects, folder.tree)
        gone = sorted(there.keys() - fit.keys())
        self.removed += len(gone)
        if len(gone) == len(there):
            return [TreeChange(folder.path)]
        return [TreeChange(format_vector_path(folder.name, name)) for name in gone]

    def _add(self, fit: Mapping[str, tuple[str, ...]]) -> list[TreeChange]:
        """Blobs for those segments of which all decisions have a vector."""
        if self._stamp is None or not fit:
            return []
        vectors = self._workspace.vectors
        keys = {format_key("record", one) for ids in fit.values() for one in ids}
        missing = {identity_of(key) for key in vectors.list_missing(sorted(keys))}
        self.lacking = len(missing)
        whole = {name: ids for name, ids in fit.items() if missing.isdisjoint(ids)}
        changes: list[TreeChange] = []
        left = MOST_BYTES
        for page in _paged(whole):
            if left <= 0:
                break
            read = vectors.read_vectors(
                format_key("record", one) for ids in page.values() for one in ids
            )
            for name, ids in page.items():
                found = {
                    one: read[key] for one in ids if (key := format_key("record", one)) in read
                }
                if len(found) == len(ids):
                    data = encode_vectors(self._stamp.dimension, found)
                    changes.append(TreeChange(format_vector_path(self._stamp.format(), name), data))
                    self.added += len(ids)
                left -= count_bytes(len(ids), self._stamp.dimension)
        return changes


def _find_stamp(workspace: Workspace) -> Stamp | None:
    """The stamp of this clone's vectors; None where nothing here can tell."""
    try:
        return workspace.vectors.stamp
    except (PartMissing, ModelDamaged, RemoteError):
        return None


def _paged(segments: Mapping[str, tuple[str, ...]]) -> Iterator[dict[str, tuple[str, ...]]]:
    page: dict[str, tuple[str, ...]] = {}
    count = 0
    for name, ids in segments.items():
        if page and count + len(ids) > PAGE:
            yield page
            page, count = {}, 0
        page[name] = ids
        count += len(ids)
    if page:
        yield page
