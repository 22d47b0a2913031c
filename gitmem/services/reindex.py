"""Embed everything that has no vector yet, resumably, and drop the vectors of what is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from gitmem.core.ranking import DocumentKind, Passage
from gitmem.services.catch_up import catch_up
from gitmem.services.embedding import cut_passage
from gitmem.services.note_index import refresh_notes
from gitmem.services.take_vectors import Taken, take_vectors
from gitmem.services.workspace import Notice, Workspace

KINDS: tuple[DocumentKind, ...] = ("record", "note", "commit")
"""In this order: what is asked for most is there first."""
_PAGE = 500
_TEXTS = 50
"""So many texts are held at once: each may have some megabytes."""


class Reindexed(msgspec.Struct, frozen=True, kw_only=True):
    """What was done. `vectors` is how many there are now, `stamp` names their space;
    `taken` is how many were taken over from what writers share, `other_stamps` how many
    models' vectors were deleted."""

    stamp: str
    embedded: int
    dropped: int
    taken: int
    other_stamps: int
    vectors: int
    notices: tuple[Notice, ...] = ()


def reindex(workspace: Workspace, *, from_scratch: bool = False) -> Reindexed:
    """Bring the vectors in step with the documents; `from_scratch` embeds all of them again,
    else what writers share is taken over first. Interrupted, it goes on where it was. Vectors
    of other models go once all is done.

    Raises SearchMissing, ModelMissing and ModelDamaged, and what the work tree's vaults and
    the vectors' folder raise.
    """
    notices = (*catch_up(workspace).notices, *refresh_notes(workspace))
    vectors = workspace.vectors
    vectors.check()
    if from_scratch:
        vectors.clear(only_other_stamps=False)
    dropped = drop_gone(workspace, KINDS)
    taken = Taken() if from_scratch else take_vectors(workspace)
    embedded = embed_missing(workspace, KINDS)
    return Reindexed(
        stamp=vectors.stamp.format(),
        embedded=embedded,
        dropped=dropped,
        taken=taken.taken,
        other_stamps=vectors.clear(only_other_stamps=True),
        vectors=vectors.count(),
        notices=(*notices, *taken.notices),
    )


def drop_gone(workspace: Workspace, kinds: Sequence[DocumentKind]) -> int:
    """Drop the vectors of documents that are gone or redacted; how many there were."""
    dropped = 0
    for kind in kinds:
        keys = workspace.vectors.iter_keys(kind)
        gone: list[str] = []
        for page in _paged(keys):
            gone += workspace.documents.list_gone(page)
        if gone:
            workspace.vectors.forget(gone)
        dropped += len(gone)
    return dropped


def embed_missing(
    workspace: Workspace, kinds: Sequence[DocumentKind], *, most: int | None = None
) -> int:
    """Embed every document of these kinds that has no vector, or so many; how many there were."""
    missing: list[str] = []
    for kind in kinds:
        missing += workspace.vectors.list_missing(workspace.documents.iter_keys(kind))
    missing = missing[:most]
    total = len(missing)
    if not total:
        return 0
    workspace.report("embedding", 0, total)

    def report(done: int) -> None:
        workspace.report("embedding", done, total)

    return workspace.vectors.add(_iter_passages(workspace, missing), report)


def _iter_passages(workspace: Workspace, keys: Sequence[str]) -> Iterator[Passage]:
    for page in _paged(iter(keys), _TEXTS):
        yield from map(cut_passage, workspace.documents.get_passages(page))


def _paged(keys: Iterator[str], size: int = _PAGE) -> Iterator[list[str]]:
    while page := list(islice(keys, size)):
        yield page
