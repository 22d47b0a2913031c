"""Measures against values worked out by hand, and what holds for every order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.measures import all_at, ndcg_at, recall_at, reciprocal_rank_at

RANKED = ["a", "b", "c", "d", "e"]


def test_values_worked_out_by_hand() -> None:
    relevant = ["b", "e", "x"]
    assert recall_at(relevant, RANKED, 2) == pytest.approx(1 / 3)
    assert recall_at(relevant, RANKED, 5) == pytest.approx(2 / 3)
    assert reciprocal_rank_at(relevant, RANKED, 5) == 0.5
    assert reciprocal_rank_at(["e"], RANKED, 4) == 0.0
    gain = 1 / math.log2(3) + 1 / math.log2(6)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(relevant, RANKED, 5) == pytest.approx(gain / best)
    assert all_at(["b", "e"], RANKED, 5) == 1.0
    assert all_at(["b", "e"], RANKED, 4) == 0.0
    assert all_at(relevant, RANKED, 5) == 0.0


def test_of_more_relevant_documents_than_places_as_many_count_as_there_are_places() -> None:
    assert ndcg_at(RANKED, RANKED, 2) == 1.0
    assert recall_at(RANKED, RANKED, 2) == 0.4


ORDERS = st.lists(st.integers(0, 30), min_size=1, max_size=20, unique=True)
MEASURES = [recall_at, reciprocal_rank_at, ndcg_at, all_at]


@given(ORDERS, st.data())
def test_the_relevant_first_is_perfect_and_nothing_is_better(
    ranked: list[int], data: st.DataObject
) -> None:
    relevant = data.draw(st.lists(st.sampled_from(ranked), min_size=1, unique=True))
    best = sorted(ranked, key=lambda one: one not in relevant)
    for measure in MEASURES:
        assert measure(relevant, best, len(ranked)) == pytest.approx(1.0)
        assert 0.0 <= measure(relevant, ranked, 5) <= measure(relevant, best, 5) <= 1.0 + 1e-9


@given(ORDERS, st.data())
def test_the_names_of_documents_do_not_matter(ranked: list[int], data: st.DataObject) -> None:
    relevant = data.draw(st.lists(st.integers(0, 30), min_size=1, unique=True))
    names = data.draw(st.permutations(range(31)))
    for measure in MEASURES:
        renamed = measure([names[one] for one in relevant], [names[one] for one in ranked], 7)
        assert renamed == measure(relevant, ranked, 7)
