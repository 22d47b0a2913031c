"""Wikilinks: what is one, what it says, and that no text takes longer than its length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.markdown_blocks import list_blocks
from gitmem.core.notes import Link
from gitmem.core.wikilinks import MAX_INNER_CHARS, MAX_LINKS, iter_links, parse_links
from tests.support.counting import grows_in_proportion


def targets(text: str) -> list[str]:
    return [link.target for link in parse_links(text)]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[a]]", Link("a", line=1)),
        ("[[ a ]]", Link("a", line=1)),
        ("[[a|b]]", Link("a", "b", line=1)),
        ("[[a|]]", Link("a", line=1)),
        ("[[a | b ]]", Link("a", "b", line=1)),
        ("[[a#h]]", Link("a", "", "h", line=1)),
        ("[[a#h|b]]", Link("a", "b", "h", line=1)),
        ("[[a#h#sub]]", Link("a", "", "h#sub", line=1)),
        ("[[a^block]]", Link("a", "", "", "block", line=1)),
        ("[[a#^block]]", Link("a", "", "", "block", line=1)),
        ("[[a#h^block]]", Link("a", "", "h", "block", line=1)),
        ("![[a]]", Link("a", is_embed=True, line=1)),
        ("![[a.png|100]]", Link("a.png", "100", is_embed=True, line=1)),
        ("one\ntwo [[a]]", Link("a", line=2)),
        ("[[a/b c.md]]", Link("a/b c.md", line=1)),
        ("[[animal.dog]]", Link("animal.dog", line=1)),
        ("[[[a]]]", Link("a", line=1)),
        ("[[not this [[a]]", Link("a", line=1)),
        ("[[a|with `code` in it]]", Link("a", "with `code` in it", line=1)),
    ],
)
def test_a_link_says_page_alias_heading_and_block(text: str, link: Link) -> None:
    assert parse_links(text) == (link,)


@pytest.mark.parametrize("row", ["[[a\\|b]]", "| x | [[a\\|b]] |\n|---|---|\n"])
def test_the_bar_of_an_alias_may_be_escaped_as_tables_need_it(row: str) -> None:
    assert [(link.target, link.alias) for link in parse_links(row)] == [("a", "b")]


@pytest.mark.parametrize(
    "text",
    [
        "[[]]",
        "[[ ]]",
        "[[|a]]",
        "[[#heading]]",
        "[[^block]]",
        "[example]",
        "[x]",
        "[^1]",
        "- [ ] to do\n- [x] done",
        "[a](b.md)",
        "[[a",
        "a]]",
        "[[a]",
        "[[a\nb]]",
        "[[a\n]]",
        "\\[[a]]",
        "[[https://example.com/a]]",
        "[[" + "a" * (MAX_INNER_CHARS + 1) + "]]",
    ],
)
def test_what_only_looks_like_a_link_is_none(text: str) -> None:
    assert parse_links(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "```\n[[no]]\n```\n",
        "```` md\n[[no]]\n```\n[[no]]\n````\n",
        "~~~\n[[no]]\n```\n[[no]]\n~~~\n",
        "~~~~~\n[[no]]\n~~~\n~~~~\n[[no]]\n~~~~~~\n",
        "- item\n\n  ```\n  [[no]]\n  ```\n",
        "- ```\n  [[no]]\n  ```\n",
        "> ```\n> [[no]]\n> ```\n",
        "text\n\n    [[no]]\n\n    [[no]]\n",
        "\t[[no]]\n",
        "# heading\n    [[no]]\n",
        "- item\n\n      [[no]]\n",
        "`[[no]]`",
        "``[[no]] ` [[no]]``",
        "`` ` [[no]] ``",
        "`a\n[[no]]`",
        "`\\` and `[[no]]`",
        "<!-- [[no]] -->",
        "text <!-- [[no]] --> text",
        "<!--\n[[no]]\n\n[[no]]\n-->",
    ],
)
def test_code_and_comments_hold_no_links(text: str) -> None:
    assert targets(f"{text}\n[[yes]]\n") == ["yes"]


@pytest.mark.parametrize(
    "text",
    [
        "- item\n\n    [[yes]]\n",
        "1. item\n\n   [[yes]]\n",
        "text\n    [[yes]]\n",
        "a ` b [[yes]]",
        "a `` b ` [[yes]]",
        "\\`[[yes]]\\`",
        "\\\\[[yes]]",
        "> ```\n> [[no]]\n[[yes]]\n",
        "```inline``` [[yes]]",
        "a <!-- b [[yes]]",
        "\\<!-- [[yes]] -->",
        "<!-- [[no]] --> [[yes]]",
        "<!--\n[[no]]\n--> [[yes]]",
        "one `a\n\n[[yes]] b`",
        "## [[yes]]",
        "[[yes]]\n===\n",
        "- [ ] [[yes]]",
        "* * *\n\n[[yes]]",
        "[[no `]]` [[yes]]",
    ],
)
def test_what_only_looks_like_code_hides_no_links(text: str) -> None:
    assert targets(text) == ["yes"]


def test_an_unclosed_fence_is_code_to_the_end() -> None:
    assert targets("[[a]]\n```\n[[b]]\n\n[[c]]") == ["a"]


def test_links_have_the_lines_that_they_stand_on() -> None:
    text = "[[a]]\n\n```\n[[x]]\n```\n- [[b]] `two\nlines` [[c]]\n<!--\n\n-->\n[[d]]"
    assert [(link.target, link.line) for link in parse_links(text)] == [
        ("a", 1),
        ("b", 6),
        ("c", 7),
        ("d", 11),
    ]


def test_offsets_point_at_the_brackets() -> None:
    text = "é [[a]]\n\n![[b#c]] [[[d]]]"
    for offset, link in iter_links(text):
        assert text.startswith(f"[[{link.target}", offset)


def test_there_are_at_most_so_many() -> None:
    assert len(parse_links("[[a]] " * (MAX_LINKS + 5))) == MAX_LINKS


SIGNS = ["[[", "]]", "[", "]", "|", "#", "^", "!", "\\", "`", "``", "<!--", "-->", "a", "é"]
STARTS = ["\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "```", "~~~", "---", "==="]
MARKS = st.sampled_from([*SIGNS, *STARTS])
HOSTILE = st.lists(MARKS, max_size=60).map("".join)


@given(HOSTILE | st.text(max_size=200))
def test_any_text_is_fine(text: str) -> None:
    for offset, link in iter_links(text):
        assert text.startswith("[[", offset)
        assert link.target and link.target == link.target.strip()
        assert link.line == 1 + text.count("\n", 0, offset)


@given(HOSTILE)
def test_blocks_are_together_the_whole_text(text: str) -> None:
    blocks = list_blocks(text)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    for block in blocks:
        assert block.line == 1 + text.count("\n", 0, block.start)


@pytest.mark.parametrize(
    "part",
    [
        "[[",
        "[[a",
        "]]",
        "[[a]]",
        "[[a`",
        "`",
        "`a",
        "``a`b",
        "\\",
        "\\[[",
        "<!--",
        "<!--\n",
        "-->",
        "a <!-- [[b]] ",
        "- ",
        "-\n",
        "> ",
        "```\n[[a]]\n",
        "    [[a]]\n\n",
        "[[a\n",
        "# [[a]]\n",
    ],
)
def test_twice_the_text_takes_twice_the_work(part: str) -> None:
    assert grows_in_proportion(lambda n: lambda: parse_links(part * n + "[[a]]"), size=100)


def test_code_spans_of_all_lengths_take_no_more() -> None:
    def make(number: int):  # type: ignore[no-untyped-def]
        text = "".join("`" * (1 + at % 50) + "[[a" for at in range(number))
        return lambda: parse_links(text)

    assert grows_in_proportion(make, size=200)


def test_a_million_brackets_are_no_trouble() -> None:
    assert parse_links("[[" * 500_000) == ()
    assert targets("[[" * 500_000 + "a]]") == ["a"]
