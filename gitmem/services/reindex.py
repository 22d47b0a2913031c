"""Embed everything that has no vector yet, resumably, and drop the vectors of what is gone."""

from __future__ import annotations

import msgspec

from gitmem.services.workspace import Notice, Workspace


class Reindexed(msgspec.Struct, frozen=True, kw_only=True):
    """What was done. `vectors` is how many there are now; `stamp` names their space."""

    stamp: str
    embedded: int
    dropped: int
    vectors: int
    notices: tuple[Notice, ...] = ()


def reindex(workspace: Workspace, *, from_scratch: bool = False) -> Reindexed:
    """Bring the vectors in step with the documents. Interrupted, it goes on where it was."""
    raise NotImplementedError
