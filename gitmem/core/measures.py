"""How good an order of documents is: recall, reciprocal rank, gain, and all the evidence.

`ranked` is best first, each document once; `relevant` is not empty. All from 0 to 1, 1 best.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def recall_at(relevant: Collection[T], ranked: Sequence[T], k: int) -> float:
    """The share of the relevant documents that is among the first `k`."""
    wanted = set(relevant)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def all_at(relevant: Collection[T], ranked: Sequence[T], k: int) -> float:
    """1 if every relevant document is among the first `k`: an answer that needs all of them
    cannot be given from less."""
    return float(set(relevant).issubset(ranked[:k]))


def reciprocal_rank_at(relevant: Collection[T], ranked: Sequence[T], k: int) -> float:
    """One over the rank of the first relevant document, 0 if it is not among the first `k`."""
    wanted = set(relevant)
    for rank, one in enumerate(islice(ranked, k), 1):
        if one in wanted:
            return 1 / rank
    return 0.0


def ndcg_at(relevant: Collection[T], ranked: Sequence[T], k: int) -> float:
    """Normalised discounted cumulative gain with binary relevance (Järvelin and Kekäläinen,
    2002): the sum of 1 / log2(1 + rank) over the relevant, over what the best order has."""
    wanted = set(relevant)
    gain = sum(_discount(rank) for rank, one in enumerate(ranked[:k], 1) if one in wanted)
    return gain / sum(_discount(rank) for rank in range(1, min(k, len(wanted)) + 1))


def _discount(rank: int) -> float:
    return 1 / math.log2(1 + rank)
