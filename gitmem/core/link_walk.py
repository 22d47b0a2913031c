"""Following links from the best documents: a bounded walk that the question guides.

A reader who starts at the best documents and follows their links is met with a certain
chance at each document nearby: that chance is its *mass*. It is high at the end of a chain of
documents that link on to one another, and low in a thicket where everything links to
everything: so chains are followed far, and thickets are not, without being told which is
which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gitmem.core.fused import Fused, FusionSettings, Hop, Neighbours
from gitmem.core.ranking import Neighbour

_NEAR = 12
"""Of a document's neighbours so many are looked at, those that match the question first."""
_BEAM = 8
"""So many documents are followed on from, at each hop."""


class Found(msgspec.Struct, frozen=True):
    """A document that links reached: `strength` is its mass, times how it matches."""

    key: str
    strength: float
    chain: tuple[Hop, ...]


def follow(
    scores: Mapping[str, float], neighbours: Neighbours, settings: FusionSettings
) -> list[Found]:
    """What links reach firmly, strongest first; no seed, and no hub.

    `scores` are how well documents answer the question, best first, the best 1.0. The mass of
    a seed is the square of its score; a document's mass is shared out among its neighbours,
    to each as it matches the question and as few others link to it.
    """
    seeds = list(scores)[: settings.seeds]
    mass = {seed: scores[seed] ** 2 for seed in seeds}
    chains: dict[str, tuple[Hop, ...]] = dict.fromkeys(seeds, ())
    links = dict(neighbours(seeds)) if seeds else {}
    front = seeds
    # With less mass than this nothing can become strong enough, however well it matches.
    lost = settings.least / (1 + settings.match)
    for _ in range(settings.hops):
        near = {start: _nearest(links.get(start, ()), scores, settings.degree) for start in front}
        ahead = {one.key for ones in near.values() for one in ones} - links.keys()
        if ahead:
            links.update(neighbours(sorted(ahead)))
        arrived: dict[str, float] = {}
        best: dict[str, tuple[float, Hop]] = {}
        for start in front:
            onward = [one for one in near[start] if one.key not in chains]
            for one, share in _share(onward, links, scores, settings):
                part = mass[start] * settings.decay * share
                arrived[one.key] = arrived.get(one.key, 0.0) + part
                if part > best.get(one.key, (0.0,))[0]:
                    best[one.key] = (part, Hop(start, one))
        front = sorted(arrived, key=lambda key: (-arrived[key], key))[:_BEAM]
        front = [key for key in front if arrived[key] >= lost]
        for key in front:
            hop = best[key][1]
            mass[key] = arrived[key]
            chains[key] = (*chains[hop.start], hop)
        if not front:
            break
    return _strongest(mass, chains, scores, settings)


def _nearest(
    neighbours: Iterable[Neighbour], scores: Mapping[str, float], degree: int
) -> list[Neighbour]:
    """Each document once, by its likeliest link; those that match the question first."""
    links: dict[str, Neighbour] = {}
    for one in neighbours:
        known = links.get(one.key)
        if known is None or (known.is_backward and not one.is_backward):
            links[one.key] = one
    if len(links) > degree:
        return []
    ranked = sorted(links.values(), key=lambda one: (-scores.get(one.key, 0.0), one.is_backward))
    return ranked[:_NEAR]


def _share(
    near: Sequence[Neighbour],
    links: Mapping[str, Sequence[Neighbour]],
    scores: Mapping[str, float],
    settings: FusionSettings,
) -> list[tuple[Neighbour, float]]:
    """The neighbours that are no hub, and the part of the mass that each of them gets."""
    wanted = []
    for one in near:
        degree = len({other.key for other in links.get(one.key, ())})
        if degree:
            is_against = one.is_backward and one.link != "supersedes"
            likely = settings.backward if is_against else 1.0
            match = 1 + settings.match * scores.get(one.key, 0.0)
            wanted.append((one, likely * match / degree))
    total = sum(weight for _, weight in wanted)
    return [(one, weight / total) for one, weight in wanted]


def _strongest(
    mass: Mapping[str, float],
    chains: Mapping[str, tuple[Hop, ...]],
    scores: Mapping[str, float],
    settings: FusionSettings,
) -> list[Found]:
    found = [
        Found(key, mass[key] * (1 + settings.match * scores.get(key, 0.0)), chain)
        for key, chain in chains.items()
        if chain
    ]
    firm = [one for one in found if one.strength >= settings.least]
    return sorted(firm, key=lambda one: (-one.strength, one.key))


def walk(fused: Sequence[Fused], neighbours: Neighbours, settings: FusionSettings) -> list[Fused]:
    """Everything that links reach from the first `seeds`, nearest first, each with its chain,
    in the order in which `neighbours` gives it; no seed."""
    known = {one.key: one for one in fused}
    chains: dict[str, tuple[Hop, ...]] = {one.key: () for one in fused[: settings.seeds]}
    front = list(chains)
    found: list[str] = []
    for _ in range(settings.hops):
        links = neighbours(front) if front else {}
        reached: list[str] = []
        for start in front:
            for one in links.get(start, ())[: settings.degree]:
                if one.key not in chains:
                    chains[one.key] = (*chains[start], Hop(start, one))
                    reached.append(one.key)
        found += reached
        front = reached
    return [
        msgspec.structs.replace(known.get(key, Fused(key, 0.0)), chain=chains[key]) for key in found
    ]
