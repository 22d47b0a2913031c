"""Combining rankers: their votes summed, and places reserved for what links reach.

Pure and deterministic: the same rankings and links give the same order on every machine, and
ties fall in the order of keys. How a question is answered:

    fused = fuse({"text": text.rank(…), "vectors": vectors.rank(…)})
    order = reserve(fused, lambda keys: links.list_neighbours(keys, most=settings.degree))
    shown = order[:limit]

Links are never summed into the score: a page that everything links to would outrank what
answers the question. They get a few places of their own instead, where they lead somewhere.
The settings were measured (docs/evaluation.md says how, benchmarks/RESULTS.md what came out).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from gitmem.core.fused import DEFAULTS, Fused, FusionSettings, Hop, Neighbours, Vote
from gitmem.core.link_walk import Found, follow, walk
from gitmem.core.ranking import Ranked

__all__ = ["DEFAULTS", "Fused", "FusionSettings", "Hop", "Vote", "fuse", "reserve", "walk"]


def fuse(
    rankings: Mapping[str, Sequence[Ranked]], settings: FusionSettings = DEFAULTS
) -> list[Fused]:
    """All documents that any ranker named, best first.

    `rankings` maps a ranker's name to its documents, best first; an empty one changes
    nothing. A vote is the ranker's weight times the mean of two numbers from 0 to 1: the
    reciprocal rank (k + 1) / (k + rank), after Cormack, Clarke and Büttcher, "Reciprocal Rank
    Fusion", 2009; and the score between that of the last of `depth` documents (0 where there
    are fewer) and that of the first. Ranks alone let a weak ranker overrule one that is sure.
    """
    weights = dict(settings.weights)
    votes: dict[str, list[Vote]] = {}
    scores: dict[str, float] = {}
    for name in sorted(rankings):
        ranking = _first_only(rankings[name])
        lowest, span = _scale(ranking, settings.depth)
        for rank, one in enumerate(ranking, 1):
            by_rank = (settings.k + 1) / (settings.k + rank)
            by_score = max(0.0, (one.score - lowest) / span) if span > 0 else 1.0
            vote = settings.rank_share * by_rank + (1 - settings.rank_share) * by_score
            votes.setdefault(one.key, []).append(Vote(name, rank, one.score))
            scores[one.key] = scores.get(one.key, 0.0) + weights.get(name, 1.0) * vote
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return [Fused(key, scores[key], tuple(votes[key])) for key in order]


def _first_only(ranking: Sequence[Ranked]) -> list[Ranked]:
    seen: dict[str, Ranked] = {}
    for one in ranking:
        seen.setdefault(one.key, one)
    return list(seen.values())


def _scale(ranking: Sequence[Ranked], depth: int) -> tuple[float, float]:
    """The score that counts 0, and how far above it the one is that counts 1."""
    if not ranking:
        return 0.0, 0.0
    last = ranking[min(depth, len(ranking)) - 1].score
    lowest = last if len(ranking) >= depth else min(0.0, last)
    return lowest, ranking[0].score - lowest


def reserve(
    fused: Sequence[Fused],
    neighbours: Neighbours,
    settings: FusionSettings = DEFAULTS,
    *,
    limit: int = 10,
    accepts: Callable[[str], bool] | None = None,
) -> list[Fused]:
    """The order of an answer of `limit` places, some of them given to what links reach.

    `neighbours` gives the documents one link away from each key (none for a hub); `accepts`
    tells which documents may be shown, others are walked through. Only what links reach
    firmly gets a place, at the end of the first `room`: what stands above is never moved, and
    the rest follows, so nothing is lost. Of less than four places none is reserved.
    """
    room = min(limit, settings.room)
    most = min(settings.places, room // 2) if room >= 4 else 0
    if not fused or most <= 0:
        return list(fused)
    scores = {one.key: one.score / fused[0].score for one in fused if fused[0].score > 0}
    safe = {one.key for one in fused[: room - most]}
    found = [
        one
        for one in follow(scores, neighbours, settings)
        if one.key not in safe and (accepts is None or accepts(one.key))
    ][:most]
    top = list(fused[: room - len(found)])
    shown = {one.key for one in top}
    known = {one.key: one for one in fused}
    linked = [_place(one, known) for one in found if one.key not in shown]
    shown.update(one.key for one in linked)
    return [*top, *linked, *(one for one in fused[len(top) :] if one.key not in shown)]


def _place(found: Found, known: Mapping[str, Fused]) -> Fused:
    fused = known.get(found.key, Fused(found.key, 0.0))
    return msgspec.structs.replace(fused, chain=found.chain, strength=found.strength)
