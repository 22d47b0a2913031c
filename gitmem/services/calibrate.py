"""Calibrating the similarity gate of a model: what lets answers through and holds noise back.

The rule: the lowest gate that at most two in a hundred off-topic prompts pass, which is the one
that keeps most of what is relevant. A prompt passes if any document is that similar to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.labelled_set import Query
from gitmem.core.off_topic import OFF_TOPIC
from gitmem.services.evaluate import KINDS, Corpus

if TYPE_CHECKING:
    from gitmem.ports.retrieval import VectorIndex

MOST_OFF_TOPIC = 20
"""Per mille of the off-topic prompts that may pass."""
STEP = 50


class Point(msgspec.Struct, frozen=True):
    """At this gate so many per mille of the queries keep a relevant document, and so many per
    mille of the off-topic prompts are answered with anything."""

    per_mille: int
    kept: int
    admitted: int


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """The gate chosen, `how` in a line, and the curve it was chosen on."""

    stamp: str
    chosen: Point
    curve: tuple[Point, ...]
    queries: int
    off_topic: int
    how: str


def calibrate(
    corpus: Corpus, vectors: VectorIndex, name: str, report: Callable[[str, int, int], None]
) -> Calibrated:
    """Measure the model that made these vectors on a set of this name."""
    relevant: list[int] = []
    for query in corpus.labelled.queries:
        report("measuring queries", len(relevant), len(corpus.labelled.queries))
        relevant.append(_round(_find_relevant(corpus, vectors, query)))
    off_topic: list[int] = []
    for prompt in OFF_TOPIC:
        report("measuring off-topic prompts", len(off_topic), len(OFF_TOPIC))
        best = vectors.rank(prompt, kinds=KINDS, limit=1)
        off_topic.append(_round(best[0].score) if best else 0)
    chosen = next(
        point
        for gate in range(1001)
        if (point := _measure(gate, relevant, off_topic)).admitted <= MOST_OFF_TOPIC
    )
    how = (
        f"lowest at which at most {MOST_OFF_TOPIC}‰ of {len(off_topic)} off-topic prompts pass;"
        f" {chosen.kept}‰ of {len(relevant)} queries of {name} keep a relevant document"
    )
    return Calibrated(
        stamp=vectors.stamp.format(),
        chosen=chosen,
        curve=tuple(_measure(gate, relevant, off_topic) for gate in range(0, 1001, STEP)),
        queries=len(relevant),
        off_topic=len(off_topic),
        how=how,
    )


def _find_relevant(corpus: Corpus, vectors: VectorIndex, query: Query) -> float:
    """The similarity of the nearest relevant document; 0 where it points another way."""
    wanted = {str(one) for one in query.relevant}
    ranked = vectors.rank(query.query, kinds=KINDS, limit=len(corpus.documents))
    return next((one.score for one in ranked if corpus.documents[one.key] in wanted), 0.0)


def _round(score: float) -> int:
    return int(score * 1000)


def _measure(gate: int, relevant: Sequence[int], off_topic: Sequence[int]) -> Point:
    return Point(gate, _share(gate, relevant), _share(gate, off_topic))


def _share(gate: int, similarities: Sequence[int]) -> int:
    return round(1000 * sum(one >= gate for one in similarities) / len(similarities))
