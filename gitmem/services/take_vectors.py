"""Take over vectors that writers share under our own stamp, checked, instead of making them.

A blob counts for the decisions of its own segment and for nothing else; one that is not what it
should be is left out whole, and named. Whether vectors are those of their texts is asked of the
model here, about a few chosen by chance out of each batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from gitmem.core.ranking import Stamp, format_key
from gitmem.core.refnames import FETCHED_PREFIX, OWN_PREFIX
from gitmem.core.shared_vectors import count_most_bytes, decode_vectors
from gitmem.core.wording import format_count
from gitmem.errors import (
    BadVectors,
    CannotWrite,
    Contended,
    Damaged,
    ModelDamaged,
    PartMissing,
    RemoteError,
)
from gitmem.ports.repository import ObjectReader
from gitmem.services.embedding import cut_passage
from gitmem.services.workspace import Notice, Workspace
from gitmem.store.vector_tree import (
    MAX_STAMPS,
    SharedFolder,
    list_shared_folders,
    list_vector_blobs,
    read_stamp,
)

MAX_WRITERS = 1000
"""So many writers' refs are looked at."""
MAX_BLOBS = 100_000
"""Of one writer's so many are looked at, as of its segments."""
BATCH = 2000
"""So many vectors are kept at once, and lost by a kill."""
SAMPLE = 4
"""So many of a batch are made here, too, and compared."""


class Taken(msgspec.Struct, frozen=True):
    """`taken` vectors are ours now. `stamps` are those that writers share under, as they name
    them; `refused` says what was not used, and why."""

    taken: int = 0
    stamps: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def notices(self) -> tuple[Notice, ...]:
        if not self.refused:
            return ()
        count = format_count(len(self.refused), "time")
        return (
            Notice(
                "bad-vectors",
                f"shared vectors were not used, {count}; the first: {self.refused[0]}",
            ),
        )


def take_vectors(workspace: Workspace) -> Taken:
    """Take what writers share and is missing here; needs the cache to be in step. Raises
    PartMissing and ModelDamaged where nothing can be embedded here, CannotWrite, Contended."""
    folders = _list_folders(workspace)
    if not folders:
        return Taken()
    workspace.vectors.check()
    stamp, stamps = workspace.vectors.stamp, list_shared_stamps(workspace)
    ours = [one for one in folders if one.name == stamp.format()]
    if not ours:
        return Taken(stamps=stamps)
    taking = _Taking(workspace, stamp)
    for folder in ours:
        taking.take_folder(folder)
    return Taken(taking.taken, stamps, tuple(taking.refused))


def list_shared_stamps(workspace: Workspace) -> tuple[str, ...]:
    """The names of the stamps that writers share under, as they say."""
    return tuple(sorted({one.name for one in _list_folders(workspace)})[:MAX_STAMPS])


def _list_folders(workspace: Workspace) -> list[SharedFolder]:
    """Every tree of shared vectors, once whoever has it."""
    refs = workspace.sources.memory_refs.list_refs(FETCHED_PREFIX, OWN_PREFIX)
    tips = list(dict.fromkeys(refs[name] for name in sorted(refs)))[:MAX_WRITERS]
    folders: dict[str, SharedFolder] = {}
    for tip in tips:
        for folder in list_shared_folders(workspace.sources.memory_objects, tip):
            folders.setdefault(folder.tree, folder)
    return list(folders.values())


def try_take_vectors(workspace: Workspace) -> Taken:
    """The same where it is a favour: without a model, or without room, nothing is taken."""
    try:
        return take_vectors(workspace)
    except (PartMissing, ModelDamaged, CannotWrite, Contended, RemoteError):
        return Taken(stamps=list_shared_stamps(workspace))


class _Taking:
    def __init__(self, workspace: Workspace, stamp: Stamp) -> None:
        self._workspace = workspace
        self._objects: ObjectReader = workspace.sources.memory_objects
        self._stamp = stamp
        keys = workspace.documents.iter_keys("record")
        self._missing = set(workspace.vectors.list_missing(keys))
        self._total = len(self._missing)
        self._seen: set[str] = set()
        self.taken = 0
        self.refused: list[str] = []

    def take_folder(self, folder: SharedFolder) -> None:
        """What one tree has; after the first batch that is not what our model makes, none."""
        try:
            if self._missing and read_stamp(self._objects, folder) != self._stamp:
                raise BadVectors(f"the vectors of {folder.name} are of another revision")
            for batch in self._iter_batches(folder):
                self._check(batch)
                self.taken += self._workspace.vectors.keep_vectors(batch.items())
                self._missing -= batch.keys()
                done = self._total - len(self._missing)
                self._workspace.report("taking over vectors", done, self._total)
        except Damaged as error:  # BadVectors is one of them
            self.refused.append(error.message)

    def _check(self, batch: Mapping[str, bytes]) -> None:
        """Compare a few with what the model here makes. Raises BadVectors."""
        order = sorted(batch)
        chosen = {order[int(self._workspace.clock.random_hex(8), 16) % len(order)]
                  for _ in range(SAMPLE)}  # fmt: skip
        passages = list(map(cut_passage, self._workspace.documents.get_passages(sorted(chosen))))
        vectors = [batch[one.key] for one in passages]
        if passages and not self._workspace.vectors.is_like_ours(passages, vectors):
            raise BadVectors(
                f"vectors under {self._stamp.format()} are not what this model makes of the texts"
            )

    def _iter_batches(self, folder: SharedFolder) -> Iterator[dict[str, bytes]]:
        batch: dict[str, bytes] = {}
        for segment, data in self._iter_blobs(folder):
            batch.update(self._read(segment, data))
            if len(batch) >= BATCH:
                yield batch
                batch = {}
        if batch:
            yield batch

    def _iter_blobs(self, folder: SharedFolder) -> Iterator[tuple[_Segment, bytes]]:
        """The blobs that have something we lack, each once whoever shares it."""
        if not self._missing:
            return
        there = list_vector_blobs(self._objects, folder.tree)
        names = sorted(there)[:MAX_BLOBS]
        held = self._workspace.segment_records.list_decisions(names)
        wanted: dict[str, _Segment] = {}
        for name in names:
            known = held.get(name)
            if known is None or there[name] in self._seen:
                continue
            segment = _Segment(name, frozenset(format_key("record", one) for one in known.ids))
            if not self._missing.isdisjoint(segment.keys):
                wanted[there[name]] = segment
        self._seen |= wanted.keys()
        limit = count_most_bytes(self._stamp.dimension)
        for blob in self._objects.iter_blobs(list(wanted), limit):
            segment = wanted[blob.oid]
            if blob.data is None:
                self.refused.append(f"the vectors of {segment.name} are missing, or too large")
            else:
                yield segment, blob.data

    def _read(self, segment: _Segment, data: bytes) -> dict[str, bytes]:
        """The vectors of a blob that we lack; none where anything in it is off."""
        try:
            read = decode_vectors(data, self._stamp.dimension)
            found = {format_key("record", one): vector for one, vector in read.items()}
            if not found.keys() <= segment.keys:
                raise BadVectors("vectors of records that the segment does not hold")
        except BadVectors as error:
            self.refused.append(f"{segment.name}: {error.message}")
            return {}
        return {key: vector for key, vector in found.items() if key in self._missing}


class _Segment(msgspec.Struct, frozen=True):
    name: str
    keys: frozenset[str]
