"""Capturing what is nearly there already: said by a warning, and kept all the same."""

from __future__ import annotations

import pytest

from tests.support.commandline import Clone

SAID = "Cache keyed by tenant and region"


def capture(clone: Clone, summary: str, *words: str) -> tuple[str, list[dict[str, str]]]:
    """The id of what is kept, and the warnings."""
    done = clone.gitmem("--json", "capture", "-m", summary, *words).ok()
    return done.data["id"], done.json["warnings"]


def warn_of(clone: Clone, summary: str, *words: str) -> list[str]:
    return [warning["code"] for warning in capture(clone, summary, *words)[1]]


@pytest.mark.parametrize(
    "summary",
    [
        SAID,
        "The cache is keyed by tenant and by region",
        "cache keyed by tenants and regions!",
        "Cache now keyed by tenant and region",
    ],
)
def test_a_decision_that_stands_is_named(ada: Clone, summary: str) -> None:
    old = ada.capture(SAID, "app.py")
    new, (warning,) = capture(ada, summary, "app.py")
    assert warning["code"] == "nearly-the-same"
    assert old[:7] in warning["message"] and SAID in warning["message"]
    assert ada.find_hit("app.py", new) is not None


@pytest.mark.parametrize(
    "summary",
    [
        "Cache not keyed by tenant and region",
        "Cache never keyed by tenant and region",
        "Cache keyed by tenant and region for 30 days",
        "Cache dropped",
        "Queue bounded by memory and time",
        "缓存按租户分键",
    ],
)
def test_what_says_something_else_is_not(ada: Clone, summary: str) -> None:
    ada.capture(SAID, "app.py")
    assert warn_of(ada, summary, "app.py") == []


def test_languages_without_spaces_are_compared_too(ada: Clone) -> None:
    ada.capture("缓存按租户和地区分键", "app.py")
    assert warn_of(ada, "缓存按租户和地区分键了", "app.py") == ["nearly-the-same"]


def test_only_the_same_files_count(ada: Clone) -> None:
    ada.write("other.py", "x")
    ada.capture(SAID, "app.py")
    assert warn_of(ada, SAID, "other.py") == []
    assert warn_of(ada, SAID, "other.py", "app.py") == ["nearly-the-same"]


def test_what_was_superseded_is_named_when_it_is_said_again(ada: Clone) -> None:
    old = ada.capture(SAID, "app.py")
    newer = ada.capture("Cache has one key only", "--supersedes", old, "app.py")
    _, (warning,) = capture(ada, SAID, "app.py")
    assert warning["code"] == "repeats-superseded"
    assert old[:7] in warning["message"] and newer[:7] in warning["message"]


def test_what_was_retracted_is_named_with_the_reason(ada: Clone) -> None:
    old = ada.capture(SAID, "app.py")
    ada.gitmem("retract", old, "-m", "measured: no gain").ok()
    _, (warning,) = capture(ada, SAID, "app.py")
    assert warning["code"] == "repeats-retracted"
    assert "measured: no gain" in warning["message"]


def test_what_is_replaced_is_not_meant(ada: Clone) -> None:
    old = ada.capture(SAID, "app.py")
    assert warn_of(ada, f"{SAID} alone", "--supersedes", old, "app.py") == []


def test_editing_twice_repeats_nothing(ada: Clone) -> None:
    first = ada.capture(SAID, "app.py")
    second = ada.gitmem("--json", "edit", first, "-m", f"{SAID} here").ok()
    third = ada.gitmem("--json", "edit", second.data["id"], "-m", f"{SAID} there").ok()
    assert second.json["warnings"] == [] == third.json["warnings"]


def test_redacted_words_are_not_repeated_to_anybody(ada: Clone) -> None:
    old = ada.capture(SAID, "app.py")
    ada.gitmem("redact", old, "-m", "held a name", "--yes")
    assert warn_of(ada, SAID, "app.py") == []
