"""Sections in somebody's file: put in, renewed, and nothing else touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.changelog_file import place_section
from gitmem.errors import Refused

MINE = b"# Changelog\n\nAll of it.\n\n## [1.0]\n\n- First\n"


def test_a_new_section_goes_before_the_newest_version() -> None:
    placed = place_section(MINE, "1.1", "## [1.1]\n\n- Second")
    assert placed == (
        b"# Changelog\n\nAll of it.\n\n<!-- gitmem: 1.1 -->\n## [1.1]\n\n- Second\n"
        b"<!-- /gitmem: 1.1 -->\n\n## [1.0]\n\n- First\n"
    )


def test_an_empty_file_gets_a_title() -> None:
    assert place_section(b"", "1", "x").startswith(b"# Changelog\n\n<!-- gitmem: 1 -->\nx\n")


def test_a_release_takes_the_place_of_what_was_unreleased() -> None:
    file = place_section(MINE, "Unreleased", "## [Unreleased]\n\n- Soon")
    released = place_section(file, "1.1", "## [1.1]\n\n- Now", is_release=True)
    assert b"Unreleased" not in released and released.count(b"- Now") == 1
    kept = place_section(file, "0.9", "## [0.9]\n\n- Long ago")
    assert kept.index(b"Unreleased") < kept.index(b"0.9")


def test_a_mark_inside_of_text_is_none() -> None:
    file = MINE + b"\n- see `<!-- gitmem: 1.1 -->`\n"
    assert place_section(file, "1.1", "x").endswith(b"see `<!-- gitmem: 1.1 -->`\n")


def test_a_mark_without_an_end_is_refused() -> None:
    with pytest.raises(Refused):
        place_section(MINE + b"<!-- gitmem: 2 -->\n", "2", "x")


@given(
    st.lists(st.sampled_from([b"# T", b"## [1]", b"text \xff", b"", b"- x"]), max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
    st.text(alphabet="ab\n", max_size=20),
)
def test_it_is_idempotent_and_keeps_every_other_byte(
    lines: list[bytes], end: bytes, section: str
) -> None:
    file = end.join(lines)
    once = place_section(file, "v", section)
    assert place_section(once, "v", section) == once
    if file.strip():
        before, _, rest = once.partition(b"<!-- gitmem: v -->")
        after = rest.partition(b"<!-- /gitmem: v -->")[2]
        assert (before + after).replace(b"\r\n", b"").replace(b"\n", b"") == file.replace(
            b"\r\n", b""
        ).replace(b"\n", b"")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"Title\n=====\n\nWords.\n\n", b"1.0\n---\n\n- First\n"),
        (b"Title\r\n=====\r\n\r\nWords.\r\n", b""),
        (b"---\nlayout: page\n---\n", b"Words without a title.\n"),
        (b"---\nlayout: page\n---\n\n# Changes\n\n", b"## 1.0\n"),
        (b"\xef\xbb\xbf# Changes\n\nWords.\n\n", b"## 1.0\n"),
        (b"", b"# [2.0.0](link)\n\n- x\n\n# 1.0\n"),
        (b"\n# Changes\n", b""),
    ],
)
def test_its_place_is_below_what_comes_first_and_above_the_newest_version(
    before: bytes, after: bytes
) -> None:
    placed = place_section(before + after, "v", "x")
    head, _, rest = placed.partition(b"<!-- gitmem: v -->")
    tail = rest.partition(b"<!-- /gitmem: v -->")[2]
    assert (head.strip(), tail.strip()) == (before.strip(), after.strip())
    assert place_section(placed, "v", "x") == placed
