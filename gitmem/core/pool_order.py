"""The order of a pool of several memories: by words, and by meaning where that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_RANK_CONSTANT = 60
"""As in reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""


def order_pool(by_words: Sequence[str], similarities: Mapping[str, float]) -> list[str]:
    """The keys of a pool, best first. `by_words` has all of them in the order of one ranker;
    `similarities` are cosines under one stamp, of those that have a vector. Ranks of both are
    fused; for a document without a vector its words count twice, so that nothing is lost by
    coming from a memory that shares none."""
    if not similarities:
        return list(by_words)
    near = sorted(
        (key for key in by_words if key in similarities), key=lambda key: (-similarities[key], key)
    )
    by_meaning = {key: rank for rank, key in enumerate(near, 1)}
    scores = {
        key: 1 / (_RANK_CONSTANT + rank) + 1 / (_RANK_CONSTANT + by_meaning.get(key, rank))
        for rank, key in enumerate(by_words, 1)
    }
    return sorted(by_words, key=lambda key: -scores[key])
