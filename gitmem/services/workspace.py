"""What a service is given: the ports and values of one repository, for one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.records import Actor
from gitmem.core.sharing import Share
from gitmem.errors import GitmemError, NoMemory

if TYPE_CHECKING:
    # A port is only a type here, and defining Protocols takes time that hot commands lack.
    from gitmem.ports.cache import Facts, Projection, Records
    from gitmem.ports.clock import Clock
    from gitmem.ports.commits import CommitGrowth, CommitIndex
    from gitmem.ports.documents import DocumentList
    from gitmem.ports.history import HistoryReader
    from gitmem.ports.notes import NoteIndex, Vault
    from gitmem.ports.range_reader import RangeReader
    from gitmem.ports.range_records import RangeRecords
    from gitmem.ports.retrieval import Links, Reranker, TextRanker, VectorIndex
    from gitmem.ports.segment_records import SegmentRecords
    from gitmem.ports.worktree import WorkTree
    from gitmem.store.paths import ClonePaths, Memory
    from gitmem.store.sources import Sources
    from gitmem.store.stamps import Present
    from gitmem.store.union import Refreshed


class Notice(msgspec.Struct, frozen=True):
    """A warning with its stable code: what an answer lacks, and what would mend it."""

    code: str
    message: str


class Place(msgspec.Struct, frozen=True):
    """Where the question was asked. `work_tree` is None in a bare repository; `branch` is
    None where HEAD is detached."""

    cwd: Path
    work_tree: Path | None
    worktree: str
    branch: str | None
    is_shallow: bool


class Workspace(msgspec.Struct, frozen=True):
    """One repository. `memory` is None where `init` was never run: history still answers.

    `refresh` and `grow` bring the projection and the history index in step (see `grow`).
    `refusal` says why a `.gitmem` that is there is not one: history answers beside it.
    `is_large` tells whether its history takes longer to index than a person waits;
    `grow_in_background` starts one child that finishes the index; `report` is told of
    progress, as (what, done, total or 0).
    `segment_records` says which records a segment holds.
    `vaults` are the configured folders of notes, `notes` the index over them. `text`, `links`
    and `vectors` find documents of every kind, `documents` has their texts; vectors, and
    `reranker`, which reads question and text together, need an optional part. `share` is the
    policy for what agents captured.
    """

    place: Place
    clone: ClonePaths
    memory: Memory | None
    present: Present
    sources: Sources
    facts: Facts
    records: Records
    commits: CommitIndex
    projection: Projection
    growth: CommitGrowth
    history: HistoryReader
    ranges: RangeReader
    range_records: RangeRecords
    tree: WorkTree
    clock: Clock
    refresh: Callable[[Workspace], Refreshed]
    grow: Callable[[Workspace], int]
    is_large: Callable[[], bool]
    grow_in_background: Callable[[], bool]
    report: Callable[[str, int, int], None]
    vaults: Callable[[], Sequence[Vault]]
    notes: NoteIndex
    text: TextRanker
    links: Links
    documents: DocumentList
    segment_records: SegmentRecords
    vectors: VectorIndex
    reranker: Reranker
    refusal: GitmemError | None = None
    share: Share = "summary"

    @property
    def is_detached(self) -> bool:
        return self.memory is not None and self.memory.is_detached

    def get_memory(self) -> Memory:
        """The memory; raises NoMemory where there is none, and what refused it."""
        if self.refusal is not None:
            raise self.refusal
        if self.memory is None:
            raise NoMemory("this repository has no memory yet")
        return self.memory

    def get_actor(self) -> Actor:
        """The person git says is at work here; raises UsageError where git knows none."""
        name, email = self.sources.settings.get_identity()
        return Actor(name, email or None)
