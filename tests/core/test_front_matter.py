"""Front matter: read tolerantly, never executed, and otherwise part of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.front_matter import MAX_CHARS, MAX_VALUES, FrontMatter, parse_front_matter
from tests.support.counting import grows_in_proportion


def read(*lines: str) -> FrontMatter:
    return parse_front_matter("\n".join(["---", *lines, "---", "Body", ""]))


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["title: Caches"], "Caches"),
        (["Title:   Caches  "], "Caches"),
        (['title: "A: \\"b\\""'], 'A: "b"'),
        (["title: 'It''s'"], "It's"),
        (["title: Caches # for now"], "Caches"),
        (["title: C#"], "C#"),
        (["title: [not a list"], "[not a list"),
        (["title:"], ""),
        (["title: |", "  many lines"], ""),
        (["other: x", "title: y"], "y"),
        (["nested:", "  title: x"], ""),
    ],
)
def test_a_title_is_a_scalar(lines: list[str], title: str) -> None:
    assert read(*lines).title == title


@pytest.mark.parametrize(
    "lines",
    [
        ["aliases: [a, b c]"],
        ["aliases: [\"a\", 'b c']"],
        ["aliases: [ a , b c , ]"],
        ["aliases:", "  - a", "  - b c"],
        ["aliases:", "- a", '- "b c"'],
        ["alias: a", "aliases: [b c]"],
        ["alias:", "  - a", "tags: [t]", "aliases:", "  - b c"],
        ["aliases: [a, b c, a]"],
        ["ALIASES: [a, b c"],
    ],
)
def test_aliases_are_lists_of_either_kind_or_one_scalar(lines: list[str]) -> None:
    assert read(*lines).aliases == ("a", "b c")


@pytest.mark.parametrize("line", ["tags: [a, '#b']", "tags: a, b", "tags: '#a #b'", "tag: [a, b]"])
def test_tags_are_words(line: str) -> None:
    assert read(line).tags == ("a", "b")


def test_a_comma_inside_quotes_is_part_of_the_name() -> None:
    assert read('aliases: ["a, b", c]').aliases == ("a, b", "c")


@pytest.mark.parametrize(
    "text",
    [
        "title: x\n",
        " ---\ntitle: x\n---\n",
        "\n---\ntitle: x\n---\n",
        "---\ntitle: x\n",
        "---\nJust a rule and a sentence.\n---\n",
        "---\n---\n",
        "----\ntitle: x\n---\n",
        "---\n" + "a: b\n" * MAX_CHARS + "---\n",
        "",
    ],
)
def test_what_is_no_front_matter_is_body(text: str) -> None:
    assert parse_front_matter(text) == FrontMatter()


@pytest.mark.parametrize("close", ["---", "..."])
def test_the_body_begins_behind_the_closing_line(close: str) -> None:
    text = f"---\ntitle: x\n{close}  \nBody"
    assert text[parse_front_matter(text).end :] == "Body"


def test_what_yaml_could_run_is_only_text() -> None:
    front = read('title: !!python/object/apply:os.system ["touch x"]', "aliases: [*a, &b c]")
    assert front.title.startswith("!!python") and front.aliases == ("*a", "&b c")


def test_there_are_at_most_so_many_values_of_a_bounded_length() -> None:
    front = read("aliases: [" + ",".join(f"a{n}" for n in range(500)) + "]", "title: " + "x" * 999)
    assert len(front.aliases) == MAX_VALUES
    assert len(front.title) == 300


@given(st.text(max_size=200) | st.text("-:[]'\"\\ \n#,|>ab", max_size=80))
def test_any_text_is_fine(text: str) -> None:
    front = parse_front_matter(f"---\n{text}\n---\nBody")
    assert 0 <= front.end <= len(text) + 20
    assert all(front.aliases) and all(front.tags)


@pytest.mark.parametrize("part", ["[", "'", '"', "\\", ",", "[,", "''", "- x\n", "a: [b\n"])
def test_twice_the_text_takes_twice_the_work(part: str) -> None:
    def make(number: int):  # type: ignore[no-untyped-def]
        text = f"---\naliases: [{part * number}\n---\n"
        return lambda: parse_front_matter(text)

    assert grows_in_proportion(make, size=100)
