"""From a question to documents in order: rankers fused, judged, places reserved for links.

Pure over ports: the same rankings, links and judgement give the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.fusion import DEFAULTS, Fused, FusionSettings, fuse, reserve
from gitmem.core.ranking import Neighbour, Passage

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Links, Ranker, Reranker

KINDS = ("record", "commit", "note", "article", "source")
_BATCH = 32
_MOST_JUDGED = 512

Judge = Callable[[Sequence[str]], Mapping[str, float]]
"""Keys → what their score is multiplied with; a key that is left out is not shown."""


class RetrieveSettings(msgspec.Struct, frozen=True):
    """`limit` places, documents of these `kinds`, and how rankers are combined."""

    limit: int = 10
    kinds: tuple[str, ...] = KINDS
    fusion: FusionSettings = DEFAULTS


def retrieve(
    question: str,
    rankers: Sequence[Ranker],
    links: Links | None,
    settings: RetrieveSettings,
    *,
    judge: Judge | None = None,
    reorder: Callable[[list[Fused]], list[Fused]] | None = None,
) -> list[Fused]:
    """The documents that answer, best first, each with what found it.

    The first `limit` are the answer; the rest follows in order. `reorder` (see `rerank_with`)
    orders what stands by its score again, before places are reserved. Without `links` no
    place is reserved; a link that leads to what `judge` leaves out is walked all the same.
    """
    fusion, limit = settings.fusion, settings.limit
    rankings = {
        ranker.name: ranker.rank(question, kinds=settings.kinds, limit=max(limit, fusion.depth))
        for ranker in rankers
    }
    order = fuse(rankings, fusion)
    if judge is not None:
        order = _apply(order, judge, limit)
    if reorder is not None:
        order = reorder(order)
    if links is None:
        return order

    def list_neighbours(keys: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        return links.list_neighbours(keys, most=fusion.degree)

    def accepts(key: str) -> bool:
        return judge is None or key in judge([key])

    return reserve(order, list_neighbours, fusion, limit=limit, accepts=accepts)


def rerank_with(
    reranker: Reranker, question: str, get_passages: Callable[[Sequence[str]], Sequence[Passage]]
) -> Callable[[list[Fused]], list[Fused]]:
    """A `reorder` that has the best documents ordered again by their texts."""

    def reorder(order: list[Fused]) -> list[Fused]:
        head = {one.key: one for one in order[:_BATCH]}
        ranked = reranker.rerank(question, get_passages(list(head)))
        first = [head.pop(one.key) for one in ranked if one.key in head]
        return [*first, *head.values(), *order[_BATCH:]]

    return reorder


def _apply(order: list[Fused], judge: Judge, limit: int) -> list[Fused]:
    """Judge the best until there are as many as are asked for, and half as many again."""
    judged: list[Fused] = []
    for start in range(0, min(len(order), _MOST_JUDGED), _BATCH):
        batch = order[start : start + _BATCH]
        factors = judge([one.key for one in batch])
        judged += [
            msgspec.structs.replace(one, score=one.score * factors[one.key])
            for one in batch
            if one.key in factors
        ]
        if 2 * len(judged) >= 3 * limit:
            break
    return sorted(judged, key=lambda one: (-one.score, one.key))
