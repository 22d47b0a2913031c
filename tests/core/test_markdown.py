"""Others' text inside Markdown of ours has no effect, whatever it says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.markdown import code_span, escape_markdown


@pytest.mark.parametrize(
    ("hostile", "gone"),
    [
        ("![x](http://evil.example/t.png)", "!["),
        ("[x](javascript:alert(1))", "[x]("),
        ("<img src=x onerror=alert(1)>", "<img"),
        ("<!-- gitmem:pr-report -->", "<!--"),
        ("ping @ada and @org/team", "@ada"),
        ("fixes #12", "#12"),
        ("see GH-12", "GH-12"),
        ("http://evil.example", "http:"),
        ("www.evil.example", "www.evil"),
        ("**bold**", "**"),
        ("a | b", " | "),
        ("```sh", "```"),
        ("# heading", "# h"),
        ("1. list", "1. "),
        ("~~gone~~", "~~gone"),
        ("\x1b[31mred", "\x1b"),
        ("line\u202egnp", "\u202e"),
        ("two\nlines", "\n"),
        ("&lt;script&gt;", "&lt;script"),
    ],
)
def test_marks_mentions_and_markup_are_only_text(hostile: str, gone: str) -> None:
    escaped = re.sub(r"\\.", "(escaped)", escape_markdown(hostile))
    assert gone not in escaped


def test_plain_words_stay_as_they_are() -> None:
    said = "Cache keyed by tenant, because two shared a row; see cache.py (line 12)"
    assert escape_markdown(said).replace("\\", "") == said


@given(st.text(max_size=200))
def test_any_text_is_one_line_without_markup(text: str) -> None:
    escaped = escape_markdown(text)
    assert "\n" not in escaped and "<" not in escaped and ">" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|]", escaped)


@given(st.text(max_size=200))
def test_a_code_span_is_closed_by_its_own_fence_alone(text: str) -> None:
    span = code_span(text)
    fence = re.match(r"`+", span)
    assert fence is not None
    inner = span[len(fence.group()) : -len(fence.group())]
    assert span.endswith(fence.group()) and "\n" not in span
    assert len(fence.group()) not in {len(run) for run in re.findall(r"`+", inner)}


def test_a_path_stays_as_it_is_in_a_code_span() -> None:
    assert code_span("a|b\\c.py") == "`a|b\\c.py`"


@pytest.mark.parametrize("line", ["===", "/close", "  /merge", "= x", "::error::x"])
def test_no_line_begins_a_heading_or_a_command_to_the_host(line: str) -> None:
    assert escape_markdown(line) == "\\" + line.strip()
