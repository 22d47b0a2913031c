"""Chunks: about 400 tokens with 50 of overlap, nothing lost, and the same ids after an edit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.chunking import MAX_BYTES, OVERLAP_BYTES, build_chunks, cut_text
from gitmem.core.notes import Chunk
from tests.support.counting import grows_in_proportion

SENTENCES = " ".join(f"Sentence number {n} says something of its own." for n in range(200))


def chunk(text: str, first_line: int = 1) -> list[Chunk]:
    return [one for _, one in build_chunks("docs", "a.md", text, first_line)]


def size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


@pytest.mark.parametrize("text", ["", "\n", "  \n\n\t\n", "\n" * 5000, " " * 5000])
def test_an_empty_page_has_none(text: str) -> None:
    assert chunk(text) == []


def test_a_short_page_is_one_whole() -> None:
    (one,) = chunk("\n\n# Caches\n\nKeyed by tenant.\n\n## Why\n\nTwo shared a row.\n", 7)
    assert one.text.startswith("# Caches") and one.text.endswith("a row.")
    assert (one.number, one.heading, one.line) == (0, "Caches", 9)


def test_a_long_section_is_cut_between_sentences_and_overlaps() -> None:
    chunks = chunk(f"# Long\n\n{SENTENCES}")
    assert len(chunks) == 7
    for one, other in pairwise(chunks):
        assert one.text.endswith(".")
        assert other.text.startswith("Sentence number")
        shared = next(n for n in range(OVERLAP_BYTES, 0, -1) if one.text.endswith(other.text[:n]))
        assert shared >= OVERLAP_BYTES // 2
        assert other.heading == "Long"


def test_a_heading_begins_a_chunk_and_takes_nothing_along() -> None:
    text = "# One\n\n" + "a word. " * 100 + "\n\n## Two\n\n" + "b word. " * 100
    one, two = chunk(text)
    assert two.text.startswith("## Two") and (one.heading, two.heading) == ("One", "Two")
    assert two.line == 5


def test_tiny_sections_share_a_chunk() -> None:
    (one,) = chunk("".join(f"## Section {n}\n\nA line.\n\n" for n in range(10)))
    assert one.heading == "Section 0"


def test_a_heading_is_not_left_behind_by_its_text() -> None:
    text = "a word. " * 40 + "\n\n# Next\n\n" + "b word. " * 170
    chunks = chunk(text)
    assert [one.text.startswith("# Next") for one in chunks] == [False, True]


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_code_between_fences_stays_whole_where_it_fits(fence: str) -> None:
    code = f"{fence}py\n" + "value = 1  # a line of code\n\n" * 45 + fence
    text = f"# A\n\n{'a word. ' * 100}\n\n{code}\n\n{'b word. ' * 100}"
    assert size(code) > MAX_BYTES // 2
    assert [code in one.text for one in chunk(text)].count(True) == 1


def test_code_that_does_not_fit_is_cut_between_lines() -> None:
    code = "```\n" + "".join(f"value_{n} = {n}\n" for n in range(500)) + "```"
    for one in chunk(code)[1:]:
        assert one.text.startswith("value_")


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    text = "漢字" * 2000
    chunks = chunk(text)
    assert all(set(one.text) == {"漢", "字"} for one in chunks)
    assert len(chunks) >= size(text) // MAX_BYTES


def test_sentences_of_scripts_without_spaces_are_seen() -> None:
    chunks = chunk("これは文です。" * 400)
    assert all(one.text.startswith("これ") and one.text.endswith("。") for one in chunks)


def test_a_letter_keeps_its_accents() -> None:
    for one in chunk("e\u0301" * 3000):
        assert one.text[0] == "e" and one.text[-1] == "\u0301"


def test_equal_chunks_of_a_page_have_ids_of_their_own() -> None:
    chunks = chunk("```\n" + "x\n" * 5000 + "```")
    assert len({one.text for one in chunks}) < len(chunks)
    assert len({one.id for one in chunks}) == len(chunks)


def test_ids_are_of_vault_path_and_text() -> None:
    ids = {
        one.id
        for vault, path in (("a", "b"), ("a", "c"), ("ab", ""))
        for _, one in build_chunks(vault, path, "text", 1)
    }
    assert len(ids) == 3
    assert all(len(one) == 64 for one in ids)


def test_an_edit_changes_the_ids_around_it_and_no_others() -> None:
    sections = [f"# Section {n}\n\n" + f"Words of section {n}. " * 40 for n in range(20)]
    before = {one.id for one in chunk("\n\n".join(sections))}
    sections[10] = "# Another\n\nSomething else. " + "More. " * 100
    after = {one.id for one in chunk("A line above.\n\n" + "\n\n".join(sections))}
    assert len(before) >= 20
    assert len(before - after) <= 2


WORDS = ["word ", "Sentence. ", "漢字", "。", "e\u0301", "x" * 700, "🙂", " ", "\t"]
LINES = [
    "\n",
    "\n\n",
    "# Heading\n",
    "```\n",
    "~~~",
    "- item\n",
    "    code\n",
    "| a |\n",
    "<!--",
    "-->",
]
PARTS = st.sampled_from([*WORDS, *LINES])
TEXTS = st.lists(st.tuples(PARTS, st.integers(1, 30)), max_size=12).map(
    lambda parts: "".join(part * times for part, times in parts)
)


@settings(deadline=None, max_examples=80)
@given(TEXTS | st.text(max_size=400))
def test_nothing_is_lost_and_nothing_is_too_long(text: str) -> None:
    pieces = cut_text(text)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    for piece in pieces:
        assert piece.begin <= piece.start < piece.end
        assert size(text[piece.begin : piece.end]) <= MAX_BYTES
    for one, other in pairwise(pieces):
        assert one.start <= other.begin
    chunks = build_chunks("v", "p", text, 1)
    full = [piece for piece in pieces if text[piece.start : piece.end].strip()]
    assert [start for start, _ in chunks] == [piece.start for piece in full]
    for piece, (_, one) in zip(full, chunks, strict=True):
        assert text[piece.start : piece.end].strip() in one.text
        assert one.text in text[piece.begin : piece.end]
    assert chunk(text) == chunk(text)


@settings(deadline=None, max_examples=80)
@given(TEXTS)
def test_chunks_have_the_line_that_they_begin_on(text: str) -> None:
    lines = text.split("\n")
    for one in chunk(text):
        assert one.text.split("\n")[0] in lines[one.line - 1]


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "a ",
        "a. ",
        "\n",
        "# h\n",
        "- a\n",
        "```\n",
        "漢",
        "。",
        ". ",
        "...",
        "```\na\n```\n",
        " ",
    ],
)
def test_twice_the_text_takes_twice_the_work(part: str) -> None:
    assert grows_in_proportion(
        lambda n: lambda: build_chunks("v", "p", part * n, 1), size=2400 // len(part)
    )
