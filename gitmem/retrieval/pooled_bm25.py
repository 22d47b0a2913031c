"""One BM25 over passages pooled from several memories, whose own scores cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rank_bm25 import BM25Plus

from gitmem.core.ranking import Passage, Ranked

DIGITS = 6


class PooledBm25:
    """`ports.retrieval.Reranker`. `list_words` splits texts as full-text search does.

    BM25+ (Lv and Zhai, 2011), since the plain formula gives a word that half of a small pool
    has no weight at all."""

    def __init__(self, list_words: Callable[[str], Sequence[str]]) -> None:
        self._list_words = list_words

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Ranked]:
        """All of them, best first; ties in the order of keys."""
        words = [word.casefold() for word in self._list_words(question)]
        texts = [[word.casefold() for word in self._list_words(one.text)] for one in passages]
        # Without a single word there is no average length, which the formula divides by.
        scores = [0.0] * len(passages)
        if any(texts):
            scores = [float(score) for score in BM25Plus(texts).get_scores(words)]
        ranked = [
            Ranked(passage.key, round(score, DIGITS))
            for passage, score in zip(passages, scores, strict=True)
        ]
        return sorted(ranked, key=lambda one: (-one.score, one.key))
