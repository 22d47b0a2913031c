"""What a person types for a range: refused, split, named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.ranges import Split, check_words, list_names, split_range
from gitmem.errors import UsageError


@pytest.mark.parametrize("word", ["", " ", "-n", "--output=x", "a\0b", "a\nb", "x" * 5000])
def test_what_git_could_take_for_something_else_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        check_words([word])


def test_a_hundred_words_are_enough() -> None:
    with pytest.raises(UsageError):
        check_words(["HEAD"] * 101)


@pytest.mark.parametrize(
    ("word", "split"),
    [
        ("a..b", Split("a", "b")),
        ("a...b", Split("a", "b", True)),
        ("..b", Split("HEAD", "b")),
        ("a..", Split("a", "HEAD")),
        ("v/1.0..HEAD~3", Split("v/1.0", "HEAD~3")),
        ("v1.0", None),
        ("..", None),
        ("^a", None),
    ],
)
def test_the_first_two_dots_divide(word: str, split: Split | None) -> None:
    assert split_range(word) == split


def test_every_revision_is_named_once() -> None:
    assert list_names(["a..b", "^c", "b", "d...a"]) == ["a", "b", "c", "d"]


@given(st.lists(st.text(max_size=30), max_size=4))
def test_any_words_pass_or_are_refused_in_our_words(words: list[str]) -> None:
    try:
        checked = check_words(words)
    except UsageError:
        return
    assert all(not word.startswith("-") for word in checked)
    assert list_names(checked) == list(dict.fromkeys(list_names(checked)))
