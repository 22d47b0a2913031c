"""Excerpts: within the budget, around what matches, and honest about what is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.excerpts import count_tokens, cut_text, find_roots, share_budget

TEXT = "Cache keyed by tenant\nOne.\nTwo tenants shared rows in the caches.\nThree.\nFour."


def test_a_text_that_fits_stays_whole() -> None:
    assert cut_text(TEXT, find_roots("cache"), max_tokens=count_tokens(TEXT)) == TEXT


def test_the_first_line_and_the_lines_that_match_are_kept() -> None:
    roots = find_roots("why was the row shared by tenants")
    cut = cut_text(TEXT, roots, max_tokens=18)
    assert cut == "Cache keyed by tenant\n...\nTwo tenants shared rows in the caches.\n..."
    assert count_tokens(cut) <= 18


def test_a_long_line_ends_with_a_word() -> None:
    cut = cut_text("word " * 1000, frozenset(), max_tokens=10)
    assert cut == "word word word word word word word ..." and count_tokens(cut) <= 10


@given(st.text(max_size=400), st.text(max_size=20), st.integers(min_value=4, max_value=60))
def test_the_budget_is_kept_whatever_the_text(text: str, question: str, most: int) -> None:
    assert count_tokens(cut_text(text, find_roots(question), max_tokens=most)) <= most


@given(st.lists(st.integers(0, 500), max_size=9), st.integers(0, 900))
def test_a_budget_is_shared_out_whole(sizes: list[int], total: int) -> None:
    shares = share_budget(sizes, total)
    assert sum(shares) <= total
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    if sum(sizes) <= total:
        assert shares == sizes


def test_short_texts_leave_their_share_to_long_ones() -> None:
    assert share_budget([10, 500, 500], 210) == [10, 100, 100]
