"""Words: both sides of a search prepared alike, whatever the script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.prompts import is_skipped
from gitmem.core.words import MAX_WORDS, list_words, prepare_text


def test_plain_words_stay_as_they_are() -> None:
    text = "Cache keyed by tenant, not by URL."
    assert prepare_text(text) == text
    assert list_words(text) == ["cache", "keyed", "tenant", "url"]


def test_names_are_found_by_their_parts() -> None:
    assert prepare_text("parseHTTPHeader") == "parseHTTPHeader\nparse HTTP Header"
    assert list_words("parseHTTPHeader") == ["parsehttpheader", "parse", "http", "header"]
    assert list_words("snake_case foo.py src/app") == [
        "snake_case", "snake", "case", "foo", "py", "src", "app",
    ]  # fmt: skip


def test_characters_that_show_nothing_do_not_hide_a_word() -> None:
    for hidden in "\u200b\u00ad\u2060\u202e\ufe0f\U000e0041\u034f":
        assert list_words(f"re{hidden}dis") == ["redis"]
        assert prepare_text(f"re{hidden}dis") == "redis"
    assert list_words("p\u0430ypal") == list_words("paypal")
    assert list_words("\uff32\uff45\uff44\uff49\uff53") == ["redis"]


@pytest.mark.parametrize("form", ["кэширование", "кэшированием", "кэшированию", "КЭШИРОВАНИЯ"])
def test_cyrillic_words_lose_their_endings(form: str) -> None:
    assert list_words(form) == list_words("кэширования") == [prepare_text(form)]


def test_runs_without_spaces_become_pairs() -> None:
    assert list_words("数据库缓存") == ["数据", "据库", "库缓", "缓存"]
    assert set(list_words("缓存")) <= set(prepare_text("我们把数据库缓存起来").split())
    assert list_words("库") == ["库*"]
    assert list_words("キャッシュ")[0] in prepare_text("新しいキャッシュの設計").split()


def test_stop_words_count_only_where_nothing_else_is_asked() -> None:
    assert list_words("why is the cache there") == ["cache"]
    assert list_words("why is it so") == ["why", "is", "it", "so"]


def test_a_question_of_any_length_has_a_bounded_number_of_words() -> None:
    assert len(list_words(" ".join(f"word{n}" for n in range(10_000)))) == MAX_WORDS
    assert len(list_words("x" * 5_000_000)[0]) == 200


@given(st.text(max_size=60))
def test_any_text_gives_words_that_can_be_stored(text: str) -> None:
    for word in [*list_words(text), prepare_text(text)]:
        word.replace("\ud800", "").encode("utf-8")
    assert all(word.strip() for word in list_words(text))


@pytest.mark.parametrize(
    ("prompt", "skipped"),
    [
        ("", True),
        ("ok", True),
        ("go on please", False),
        ("yes do", True),
        ("/clear everything in this session", True),
        ("!ls -la in the folder", True),
        ("# remember to use tabs", True),
        ("why is the cache keyed by tenant", False),
        ("为什么按租户缓存", False),
        ("好的", True),
        ("#42 fails on Windows since Monday", False),
    ],
)
def test_short_prompts_and_commands_are_skipped(prompt: str, skipped: bool) -> None:
    assert is_skipped(prompt) is skipped


@pytest.mark.parametrize("run", ["б", "A", "a", "1", "aB", "aб", "库", "_", "A_", "a.", "б_"])
def test_a_long_run_takes_time_in_proportion(run: str) -> None:
    text = "aB é " + run * (200_000 // len(run)) + " end"
    assert prepare_text(text).split()[-1]
    assert "end" in prepare_text(text)
