"""From a question to documents in order: rankers fused, places reserved for links."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.fusion import DEFAULTS, Fused, FusionSettings, fuse, reserve
from gitmem.core.ranking import Neighbour, Ranked

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Links, Ranker


class RetrieveSettings(msgspec.Struct, frozen=True):
    """`limit` places; documents of these `kinds`; how rankers are combined."""

    limit: int = 10
    kinds: tuple[str, ...] = ("record", "commit", "note", "article", "source")
    fusion: FusionSettings = DEFAULTS


def retrieve(
    question: str,
    rankers: Sequence[Ranker],
    links: Links | None,
    settings: RetrieveSettings,
) -> list[Fused]:
    """The documents that answer, best first, each with what found it; more than `limit`, the
    rest after those, so that whoever leaves some out can go on. Without `links` no place is
    reserved."""
    rankings = {
        ranker.name: ranker.rank(
            question, kinds=settings.kinds, limit=max(settings.limit, settings.fusion.depth)
        )
        for ranker in rankers
    }
    return combine(rankings, links, settings)


def combine(
    rankings: Mapping[str, Sequence[Ranked]],
    links: Links | None,
    settings: RetrieveSettings,
    *,
    accepted: Collection[str] | None = None,
) -> list[Fused]:
    """The same from rankings that are at hand."""
    fused = fuse(rankings, settings.fusion)
    if links is None:
        return fused

    def list_neighbours(keys: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        return links.list_neighbours(keys, most=settings.fusion.degree)

    return reserve(fused, list_neighbours, settings.fusion, limit=settings.limit)
