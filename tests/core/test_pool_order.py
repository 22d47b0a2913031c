"""The order of a pool: what means the same comes forward, and nobody is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.pool_order import order_pool

KEYS = st.lists(st.text("abcdef", min_size=1, max_size=3), unique=True, max_size=12)


@given(KEYS, st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(0, 1)))
def test_every_key_stands_once_whatever_is_near(keys: list[str], near: dict[str, float]) -> None:
    assert sorted(order_pool(keys, near)) == sorted(keys)


@given(KEYS)
def test_without_vectors_words_alone_decide(keys: list[str]) -> None:
    assert order_pool(keys, {}) == keys


def test_what_means_it_comes_before_what_shares_a_few_words() -> None:
    keys = [f"k{number:02}" for number in range(16)]
    order = order_pool(keys, {"k15": 0.9, "k01": 0.5, "k02": 0.4, "k00": 0.1})
    assert order.index("k15") < 8
    assert order.index("k01") < order.index("k02")


def test_a_document_without_a_vector_keeps_its_place_by_words() -> None:
    assert order_pool(["a", "b", "c"], {"b": 0.9, "c": 0.8})[-1] == "c"
    assert order_pool(["a", "b", "c", "d"], {"c": 0.9, "d": 0.8})[0] == "a"
