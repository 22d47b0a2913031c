"""What fusion works with: its settings, a ranker's vote, a link followed, a document in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from gitmem.core.ranking import Neighbour

Neighbours = Callable[[Sequence[str]], Mapping[str, Sequence[Neighbour]]]
"""Documents one link away from each key, both ways, in a fixed order; none for a hub."""


class FusionSettings(msgspec.Struct, frozen=True):
    """How rankers and links are combined, as measured (docs/evaluation.md).

    Rankers: `weights` is each one's say (an unlisted one has 1). Of a vote `rank_share` comes
    from the rank, flattened by `k`, and the rest from the score, scaled over the `depth`
    documents that each ranker is asked for.

    Links: at most `places` of the first `room` are reserved. They are found from the best
    `seeds` over at most `hops` links, through documents with at most `degree` neighbours. A
    hop keeps `decay` of the chance of getting there, a link against its direction is
    `backward` times as likely to be followed, and a document that answers as well as the
    best counts 1 + `match` times one that does not answer at all. What is reached with a
    strength of `least` deserves a place.
    """

    weights: tuple[tuple[str, float], ...] = (("text", 1.0), ("vectors", 0.6))
    k: int = 1
    rank_share: float = 0.3
    depth: int = 100
    places: int = 4
    room: int = 8
    seeds: int = 3
    hops: int = 3
    degree: int = 50
    decay: float = 0.9
    backward: float = 0.15
    match: float = 4.0
    least: float = 0.3


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
    """A document in the common order. `score` is the sum of its votes, 0.0 for one that only
    links found. `chain` is how links reached it, the first hop from the seed, and `strength`
    how firmly; both empty for what stands by its score."""

    key: str
    score: float
    votes: tuple[Vote, ...] = ()
    chain: tuple[Hop, ...] = ()
    strength: float = 0.0

    @property
    def is_reserved(self) -> bool:
        """Whether it stands in a place reserved for links."""
        return bool(self.chain)
