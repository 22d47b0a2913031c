"""From bytes to a note: encodings, titles, hubs, and where links stand."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.note_text import build_note, decode_text
from gitmem.core.notes import Chunk, Note
from gitmem.core.passages import find_chunk, format_passage


def note(text: str | bytes, path: str = "a.md", hubs: tuple[str, ...] = ()) -> Note:
    data = text if isinstance(text, bytes) else text.encode()
    built = build_note("docs", path, "stamp", data, hubs)
    assert built is not None
    return built


@pytest.mark.parametrize(
    "data",
    [
        b"caf\xc3\xa9\nx",
        codecs.BOM_UTF8 + b"caf\xc3\xa9\nx",
        codecs.BOM_UTF16_LE + "café\nx".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "café\nx".encode("utf-16-be"),
        b"caf\xc3\xa9\r\nx",
        b"caf\xc3\xa9\rx",
    ],
)
def test_text_of_any_common_encoding_is_read(data: bytes) -> None:
    assert decode_text(data) == "café\nx"


def test_what_does_not_decode_is_replaced() -> None:
    assert decode_text(b"a\xff\xfeb") == "a\ufffd\ufffdb"


@pytest.mark.parametrize("data", [b"\0", b"\x89PNG\r\n\x1a\n\0\0", b"a" * 100 + b"\0"])
def test_what_is_no_text_is_no_note(data: bytes) -> None:
    assert build_note("docs", "a.md", "", data) is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From above\n---\n# From the heading\n", "From above"),
        ("\n\n# From the heading\ntext", "From the heading"),
        ("From the heading\n===\n", "From the heading"),
        ("Text first.\n\n# Later\n", "my page"),
        ("", "my page"),
        ("```\n# no heading\n```\n", "my page"),
    ],
)
def test_a_title_is_the_first_of_three(text: str, title: str) -> None:
    assert note(text, "x/my page.md").title == title


def test_lines_count_from_the_top_of_the_file() -> None:
    built = note("---\ntags: [t]\nup: '[[Top]]'\n---\n\n# A\n\nSee [[b]].\n")
    assert [(link.target, link.line, link.chunk) for link in built.links] == [
        ("Top", 3, 0),
        ("b", 8, 0),
    ]
    assert built.chunks[0].line == 6
    assert built.tags == ("t",)


def test_a_link_belongs_to_the_chunk_whose_own_part_it_stands_in() -> None:
    filler = "Some words of filler. " * 30
    text = "\n\n".join(f"{filler}[[page {n}]] at the end." for n in range(12))
    built = note(text)
    assert len(built.chunks) > 3
    for link in built.links:
        assert f"[[{link.target}]]" in built.chunks[link.chunk].text
    assert [link.chunk for link in built.links] == sorted(link.chunk for link in built.links)


@pytest.mark.parametrize("path", ["MEMORY.md", "notes/memory.md"])
def test_a_hub_has_links_and_no_text(path: str) -> None:
    built = note("# Index\n\n- [[a]]\n- [[b]]\n", path, ("MEMORY.md",))
    assert built.is_hub and built.chunks == ()
    assert [(link.target, link.chunk) for link in built.links] == [("a", -1), ("b", -1)]


def test_a_page_whose_name_only_contains_a_hubs_is_none() -> None:
    assert not note("text", "my-MEMORY.md", ("MEMORY.md",)).is_hub


CHUNKS = [
    Chunk("1", 0, "Top", 1, "# Top\n\ntext"),
    Chunk("2", 1, "Middle", 9, "## Middle\n\nmore ^here\n\n### Deep *one*\n\ntext"),
    Chunk("3", 2, "Deep *one*", 20, "the rest of it\n\n- item ^there"),
]


@pytest.mark.parametrize(
    ("heading", "block", "chunk_id"),
    [
        ("", "", "1"),
        ("middle", "", "2"),
        ("Top#Middle", "", "2"),
        ("Deep *one*", "", "2"),
        ("no such", "", "1"),
        ("", "there", "3"),
        ("", "here", "2"),
        ("", "gone", "1"),
    ],
)
def test_a_heading_or_block_leads_to_its_chunk(heading: str, block: str, chunk_id: str) -> None:
    found = find_chunk(CHUNKS, heading, block)
    assert found is not None and found.id == chunk_id


def test_a_page_without_chunks_leads_nowhere() -> None:
    assert find_chunk([], "a", "b") is None


def test_a_passage_says_where_it_is_from_and_nothing_twice() -> None:
    assert format_passage("Page", "Part", "words") == "Page\nPart\nwords"
    assert format_passage("Page", "Part", "## Part\n\nwords") == "Page\n## Part\n\nwords"
    assert format_passage("Page", "Page", "words") == "Page\nwords"
    assert format_passage("Page", "", "words", ("alias", "tag")) == "Page\nalias, tag\nwords"


@given(st.binary(max_size=300))
def test_any_bytes_are_fine(data: bytes) -> None:
    built = build_note("docs", "a.md", "", data)
    assert built is None or all(chunk.text for chunk in built.chunks)
