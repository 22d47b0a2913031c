"""Times of records, and how old they are in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.codec import is_at
from gitmem.core.timestamps import format_age, format_at, parse_at

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_times_of_the_years_1_to_9999_round_trip(epoch_ms: int) -> None:
    text = format_at(epoch_ms)
    assert is_at(text)
    assert parse_at(text) == epoch_ms


def test_known_times() -> None:
    assert format_at(0) == "1970-01-01T00:00:00.000Z"
    assert format_at(-1) == "1969-12-31T23:59:59.999Z"
    assert format_at(1_767_323_045_678) == "2026-01-02T03:04:05.678Z"


@pytest.mark.parametrize(
    ("text", "epoch_ms"),
    [
        ("2026-01-02T03:04:05.678Z", 1_767_323_045_678),
        ("2026-01-02T03:04:05Z", 1_767_323_045_000),
        ("2026-01-02T04:04:05+01:00", 1_767_323_045_000),
        ("2026-01-02T03:04:05", 1_767_323_045_000),
        ("2026-01-02 03:04:05", 1_767_323_045_000),
        ("2026-01-02", 1_767_312_000_000),
    ],
)
def test_times_people_type_are_read(text: str, epoch_ms: int) -> None:
    assert parse_at(text) == epoch_ms


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-02-30", "2026-13-01", "1767312000", "0000-01-01"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_at(text)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_a_value_error(text: str) -> None:
    try:
        assert isinstance(parse_at(text), int)
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("ago_ms", "words"),
    [
        (-DAY, "just now"),
        (0, "just now"),
        (59 * SECOND, "just now"),
        (MINUTE, "1 minute ago"),
        (59 * MINUTE, "59 minutes ago"),
        (HOUR, "1 hour ago"),
        (23 * HOUR, "23 hours ago"),
        (DAY, "1 day ago"),
        (13 * DAY, "13 days ago"),
        (14 * DAY, "2 weeks ago"),
        (69 * DAY, "9 weeks ago"),
        (70 * DAY, "2 months ago"),
        (364 * DAY, "12 months ago"),
        (365 * DAY, "1 year ago"),
        (800 * DAY, "2 years ago"),
    ],
)
def test_ages_in_words(ago_ms: int, words: str) -> None:
    assert format_age(10**12 - ago_ms, 10**12) == words
