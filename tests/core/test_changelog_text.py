"""Words of others in release notes: readable, and without effect."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.changelog_text import end_sentence, format_words, split_request


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use snake_case - it's plain (really).", "Use snake_case - it's plain (really)."),
        ("R&D -> 3 > 2", "R&D -> 3 > 2"),
        ("a*b*", r"a\*b\*"),
        ("_x_ __init__", r"\_x\_ \_\_init\_\_"),
        ("&lt;b> <b>", "&amp;lt;b> &lt;b>"),
        ("`<b>` and `c", r"`<b>` and \`c"),
        ("``a`b``", r"\`\`a\`b\`\`"),
        ("a | b", r"a \| b"),
        ("![x](y)", r"!\[x\]\(y)"),
        ("me@example.com @you", "me@example.com @\u200byou"),
        ("so.@you é@you (@org/team", "so.@\u200byou é@\u200byou (@\u200borg/team"),
        ("a\\`b`", r"a\\\`b\`"),
        ("two\nlines\t\x1b[m", r"two lines \\x1b\[m"),
    ],
)
def test_only_what_has_an_effect_is_escaped(text: str, expected: str) -> None:
    assert format_words(text, most_chars=500) == expected


def test_it_is_cut_at_a_word() -> None:
    assert format_words("one two three", most_chars=9) == "one two …"
    assert format_words("x" * 50, most_chars=10) == "x" * 10 + " …"


@given(st.text(alphabet="ab `\\<>[]()!@*_&|#\n", max_size=60))
def test_outside_of_code_no_mark_is_left(text: str) -> None:
    shown = format_words(text, most_chars=500)
    bare = re.sub(r"(?<!\\)`[^`]+`", "", re.sub(r"\\\\", "", shown))
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)[*\[\]`|]|<", bare), shown


def test_the_number_of_a_request_is_told_apart() -> None:
    assert split_request("Add it (#12)") == ("Add it", "12")
    assert split_request("Add (#1) it") == ("Add (#1) it", None)
    assert [end_sentence(word) for word in ("a", "b.", "c?")] == ["a.", "b.", "c?"]
