"""What was said, picked and never put in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.rationale import (
    MAX_REASON_CHARS,
    MAX_REASONS,
    MAX_SUMMARY_CHARS,
    clean_said,
    has_reason,
    pick_reasons,
    summarise,
    unlink,
)

CYRILLIC = "\u041a\u043b\u044e\u0447 \u044d\u0442\u043e \u0438\u043c\u044f"


@pytest.mark.parametrize(
    ("message", "summary"),
    [
        ("Done. The cache is keyed by tenant.", "The cache is keyed by tenant"),
        ("I've added a retry to the client.", "Added a retry to the client"),
        ("## Summary\n\n- **Retries**: the client tries five times", "Retries: the client tries "),
        ("The lock is split, because readers waited.", "The lock is split"),
        ("It waits because of this lock.", "It waits because of this lock"),
        ("All tests pass.\n\nThe parser takes tabs now.", "The parser takes tabs now"),
        ("Let me look.\n\nNow I see.\n\nThe lock is held too long.", "The lock is held too long"),
        ("```py\nx = 1\n```\nThe parser takes tabs now.", "The parser takes tabs now"),
        ("| a | b |\n|---|---|\n\nThe table has a head now.", "The table has a head now"),
        ("It uses [the queue](https://x.example/q) e.g. for mail.", "It uses the queue e.g. for"),
        ("Changes made:\n\n1. Readers wait no longer", "Readers wait no longer"),
    ],
)
def test_the_first_sentence_that_says_something(message: str, summary: str) -> None:
    said = summarise("Please do it", message, ["a.py"])
    assert said.startswith(summary) and "because readers" not in said


@pytest.mark.parametrize(
    ("message", "summary"),
    [
        (
            "I found the issue. The call timed out after 5 seconds.\n\n"
            "- `auth.py`: raised the time-out to 20 seconds",
            "`auth.py`: raised the time-out to 20 seconds",
        ),
        (
            "CI is failing because `foo` imports a name that is gone. I pinned `foo<70`.",
            "Pinned `foo<70`",
        ),
        (
            "**Root cause:** the key had no locale.\n\n**Fix:** added the locale to the key.",
            "Fix: added the locale to the key",
        ),
        (
            "Perfect! All tests are passing now.\n\nThe limit is set in `app.py`.",
            "The limit is set in `app.py`",
        ),
        (
            "I've made the change you asked for. The loop gives up after 3 attempts.",
            "The loop gives up after 3 attempts",
        ),
        ("I can see the button. The button is on the left now.", "The button is on the left now"),
        (
            "The session must be created per request. I moved it there.",
            "Moved it there",
        ),
        ("\u2705 Kept `__init__.py` and `__main__.py` as they were.", "Kept `__init__.py` and"),
        (f"{CYRILLIC}. {CYRILLIC} 2.", CYRILLIC),
    ],
)
def test_what_was_changed_comes_before_what_was_found_out(message: str, summary: str) -> None:
    said = summarise("Please do it", message, ["a.py"])
    assert said.startswith(summary)
    assert len(said) < len(summary) + 30


def test_under_a_heading_that_asks_why_every_sentence_is_a_reason() -> None:
    message = (
        "The settings are YAML now.\n\n### Key decisions\n"
        "- **ruamel over PyYAML**: comments survive a write\n"
        "- **Old files still load**: with a warning\n\n"
        "Next steps:\n- update the pages of the manual\n"
    )
    assert pick_reasons("", message, "The settings are YAML now") == (
        "ruamel over PyYAML: comments survive a write",
        "Old files still load: with a warning",
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "This avoids hammering the upstream while it restarts.",
        "I considered a hash map, but we need ranges.",
        "The limiter fails open, since a stop of everything is worse.",
        "That requires a newer interpreter than ours.",
        "Es wartet, weil die Sperre nur einmal da ist.",
    ],
)
def test_reasons_have_many_forms(sentence: str) -> None:
    assert pick_reasons("", f"It is so now. {sentence}", "It is so now") == (sentence,)


def test_a_short_request_says_more_than_the_names_of_files() -> None:
    assert summarise("Use pathlib", "\u2705 Migration complete", ["a.py"]) == "Use pathlib"


def test_without_an_answer_the_request_and_without_that_the_files() -> None:
    assert summarise("Key the cache by tenant.", "Done.", ["a.py"]) == "Key the cache by tenant"
    assert summarise("ok", "Done.", ["src/a.py", "b.py"]) == "Changed a.py, b.py"
    assert summarise("", "", [f"{n}.py" for n in range(9)]) == "Changed 0.py, 1.py, 2.py and 6 more"
    assert summarise("", "", []) == ""


def test_reasons_are_sentences_as_they_stand() -> None:
    message = (
        "The key has the tenant. I chose a pair instead of a string, because separators "
        "can be part of a name. It is Tuesday. Readers must not wait for writers."
    )
    assert pick_reasons("Do it so that nobody waits.", message, "The key has the tenant") == (
        "Do it so that nobody waits.",
        "I chose a pair instead of a string, because separators can be part of a name.",
        "Readers must not wait for writers.",
    )


def test_the_strongest_reasons_are_kept_in_their_order() -> None:
    weak = "".join(f"Reader {n} must not wait for it. " for n in range(9))
    strong = "It waits because the lock is one for all."
    picked = pick_reasons("", weak + strong, "")
    assert len(picked) == MAX_REASONS
    assert picked[-1] == strong
    assert picked[0] == "Reader 0 must not wait for it."


def test_what_gives_no_reason_gives_none() -> None:
    assert pick_reasons("Do it.", "It is done. All is well. Why not?", "") == ()
    assert not has_reason("It is done, and must stay so.")
    assert has_reason("It is done so, because it was slow.")


def test_wrappers_and_wikilinks_are_not_what_was_said() -> None:
    text = "<system-reminder>be nice</system-reminder>Key it. See [[Plan]] and [[[x]]]."
    assert clean_said(text) == "Key it. See [ [Plan] ] and [ [ [x] ] ]."
    assert clean_said("<gitmem-context-0123456789ab>\nold\n") == ""


@given(st.text(alphabet="[] a", max_size=40))
def test_no_wikilink_survives(text: str) -> None:
    assert "[[" not in unlink(text) and "]]" not in unlink(text)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_gives_one_line_and_short_reasons(request: str, message: str) -> None:
    summary = summarise(clean_said(request), clean_said(message), ["a.py"])
    assert 0 < len(summary) <= MAX_SUMMARY_CHARS
    assert "\n" not in summary
    for reason in pick_reasons(request, message, summary):
        assert len(reason) <= MAX_REASON_CHARS


@pytest.mark.parametrize("unit", ["<system-reminder> ", "```\n", "**", "[a](", "a. ", "because "])
def test_hostile_repetition_takes_no_time_to_speak_of(unit: str) -> None:
    text = clean_said(unit * 20_000)
    summarise(text, text, [])
    pick_reasons(text, text, "")
