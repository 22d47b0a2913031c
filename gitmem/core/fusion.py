"""Combining rankers: reciprocal ranks summed, and places reserved for what links reach.

Pure and deterministic: the same rankings and links give the same order on every machine, and
ties fall in the order of keys. How a question is answered:

    fused = fuse({"text": text.rank(…), "vectors": vectors.rank(…)})
    order = reserve(fused, lambda keys: links.list_neighbours(keys, most=settings.degree))
    shown = order[:limit]

Links are never summed into the score: a page that everything links to would outrank what
answers the question. They get a few places of their own instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from gitmem.core.ranking import Neighbour, Ranked

Neighbours = Callable[[Sequence[str]], Mapping[str, Sequence[Neighbour]]]


class FusionSettings(msgspec.Struct, frozen=True):
    """What was measured best, not for one set but for all of them (docs/evaluation.md).

    `k` flattens reciprocal ranks; `weights` is each ranker's say (an unlisted one has 1);
    `depth` is how many documents each ranker is asked for; `places` are reserved for links,
    found from the best `seeds` over at most `hops` links; a document with more than `degree`
    neighbours is not followed.
    """

    k: int = 10
    weights: tuple[tuple[str, float], ...] = (("text", 1.0), ("vectors", 0.5))
    depth: int = 100
    places: int = 2
    seeds: int = 3
    hops: int = 2
    degree: int = 50


DEFAULTS = FusionSettings()


class Vote(msgspec.Struct, frozen=True, array_like=True):
    """What one ranker said of a document: `rank` counts from 1, `score` is its own."""

    ranker: str
    rank: int
    score: float


class Hop(msgspec.Struct, frozen=True, array_like=True):
    """One link followed: from the document `start` to `neighbour`."""

    start: str
    neighbour: Neighbour


class Fused(msgspec.Struct, frozen=True):
    """A document in the common order. `score` is the sum of weighted reciprocal ranks, 0.0
    for one that only links found. `chain` is how links reached it, the first hop from the
    seed; empty for what stands by its score."""

    key: str
    score: float
    votes: tuple[Vote, ...] = ()
    chain: tuple[Hop, ...] = ()

    @property
    def is_reserved(self) -> bool:
        """Whether it stands in a place reserved for links."""
        return bool(self.chain)


def fuse(
    rankings: Mapping[str, Sequence[Ranked]], settings: FusionSettings = DEFAULTS
) -> list[Fused]:
    """All documents that any ranker named, best first.

    `rankings` maps a ranker's name to its documents, best first; an empty one changes
    nothing. Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), weighted: the score is
    the sum of weight / (k + rank) over the rankers.
    """
    weights = dict(settings.weights)
    votes: dict[str, list[Vote]] = {}
    scores: dict[str, float] = {}
    for name in sorted(rankings):
        weight = weights.get(name, 1.0)
        for rank, (key, score) in enumerate(_first_only(rankings[name]), 1):
            votes.setdefault(key, []).append(Vote(name, rank, score))
            scores[key] = scores.get(key, 0.0) + weight / (settings.k + rank)
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [Fused(key, scores[key], tuple(votes[key])) for key in order]


def _first_only(ranking: Sequence[Ranked]) -> list[tuple[str, float]]:
    seen: dict[str, float] = {}
    for one in ranking:
        seen.setdefault(one.key, one.score)
    return list(seen.items())


def reserve(
    fused: Sequence[Fused],
    neighbours: Neighbours,
    settings: FusionSettings = DEFAULTS,
    *,
    limit: int = 10,
    accepts: Callable[[str], bool] | None = None,
) -> list[Fused]:
    """The order of an answer of `limit` places, some of them given to what links reach.

    `neighbours` gives the documents one link away from each key (none for a hub); it is asked
    once a hop. `accepts` tells which documents may be shown; others are walked through. What
    stands above the reserved places is never moved, and the rest follows: nothing is lost.
    """
    found = walk(fused, neighbours, settings, accepts=accepts)
    kept = max(limit - settings.places, 1)
    top = list(fused[:kept])
    shown = {one.key for one in top}
    linked = [one for one in found if one.key not in shown][: max(limit - kept, 0)]
    shown.update(one.key for one in linked)
    return [*top, *linked, *(one for one in fused[kept:] if one.key not in shown)]


def walk(
    fused: Sequence[Fused],
    neighbours: Neighbours,
    settings: FusionSettings = DEFAULTS,
    *,
    accepts: Callable[[str], bool] | None = None,
) -> list[Fused]:
    """What links reach from the best seeds, nearest first, each with its chain; a seed never."""
    known = {one.key: one for one in fused}
    chains: dict[str, tuple[Hop, ...]] = {one.key: () for one in fused[: settings.seeds]}
    frontier = list(chains)
    found: list[str] = []
    for _ in range(settings.hops):
        links = neighbours(frontier)
        reached: list[str] = []
        for start in frontier:
            for neighbour in links.get(start, ())[: settings.degree]:
                if neighbour.key not in chains:
                    chains[neighbour.key] = (*chains[start], Hop(start, neighbour))
                    reached.append(neighbour.key)
        found += reached
        frontier = reached
    return [
        msgspec.structs.replace(known.get(key, Fused(key, 0.0)), chain=chains[key])
        for key in found
        if accepts is None or accepts(key)
    ]
