"""One BM25 over passages of several memories."""

from __future__ import annotations

import pytest

from gitmem.core.ranking import Passage
from gitmem.retrieval.pooled_bm25 import PooledBm25

POOL = [
    Passage("b", "The cache key holds the tenant"),
    Passage("a", "Retries have jitter"),
    Passage("c", "Prices are cut to cents"),
]


@pytest.fixture
def reranker() -> PooledBm25:
    return PooledBm25(str.split)


def test_the_passage_with_the_rare_words_comes_first(reranker: PooledBm25) -> None:
    ranked = reranker.rerank("tenant cache", POOL)
    assert ranked[0].key == "b"
    assert len(ranked) == 3
    assert ranked[0].score > ranked[1].score


def test_a_word_counts_in_a_pool_of_two(reranker: PooledBm25) -> None:
    first, second = reranker.rerank("jitter", POOL[:2])
    assert (first.key, second.key) == ("a", "b")
    assert first.score > second.score


@pytest.mark.parametrize("question", ["", "nothing of this", "\0 ( *"])
def test_without_a_common_word_the_order_is_that_of_keys(
    reranker: PooledBm25, question: str
) -> None:
    assert [one.key for one in reranker.rerank(question, POOL)] == ["a", "b", "c"]


def test_texts_without_words_and_no_texts_are_fine(reranker: PooledBm25) -> None:
    assert reranker.rerank("x", []) == []
    assert [one.key for one in reranker.rerank("x", [Passage("b", ""), Passage("a", "")])] == [
        "a",
        "b",
    ]


def test_the_order_of_the_pool_does_not_matter(reranker: PooledBm25) -> None:
    assert reranker.rerank("the cache", POOL) == reranker.rerank("the cache", POOL[::-1])
