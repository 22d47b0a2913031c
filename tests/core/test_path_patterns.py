"""Patterns of paths in settings."""

from __future__ import annotations

import pytest

from gitmem.core.commit_types import find_group, parse_subject
from gitmem.core.path_patterns import PathPatterns


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.lock", "a/b/poetry.lock", True),
        ("*.lock", "poetry.lock.py", False),
        ("docs/", "docs/a/b.md", True),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/a/b.md", False),
        ("docs/**/x.md", "docs/x.md", True),
        ("docs/**/x.md", "docs/a/b/x.md", True),
        ("/README", "README", True),
        ("a?c", "x/abc", True),
        ("a.c", "abc", False),
        ("**", "anything/at/all", True),
        ("", "a", False),
    ],
)
def test_a_pattern_fits_as_in_gitignore(pattern: str, path: str, fits: bool) -> None:
    assert PathPatterns([pattern]).match(path) is fits


def test_many_stars_take_no_time() -> None:
    assert not PathPatterns(["/".join(["**"] * 50) + "/x", "*" * 200 + "y"]).match("a/" * 500 + "b")


@pytest.mark.parametrize(
    ("message", "type_", "group"),
    [
        ("feat: x", "feature", "Added"),
        ("fix(api)!: x", "bugfix", "Fixed"),
        ("Fixes the loop", "bugfix", "Fixed"),
        ("Fixture for tests", "change", "Changed"),
        ("Drop Python 3.8", "removed", "Removed"),
        ("Deprecate x", "deprecated", "Deprecated"),
        ("note: not a prefix", "change", "Changed"),
        ("security: x", "security", "Security"),
    ],
)
def test_a_subject_tells_the_kind_of_change(message: str, type_: str, group: str) -> None:
    subject = parse_subject(message)
    assert (subject.type, find_group(subject.type, subject.summary)) == (type_, group)
    assert subject.is_breaking is ("!:" in message)


def test_a_tag_decides_on_the_group() -> None:
    assert find_group("feature", "x", ["ui", "Deprecated"]) == "Deprecated"
    assert find_group("decision", "Remove the old API") == "Removed"
    assert find_group("refactor", "Remove the old API") == "Changed"
