"""docs/exit-codes.md and the errors say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gitmem import errors
from gitmem.errors import GitmemError
from tests.support.make_architecture import ROOT


def _iter_classes(root: type[GitmemError]) -> Iterator[type[GitmemError]]:
    yield root
    for child in root.__subclasses__():
        yield from _iter_classes(child)


CLASSES = [one for one in _iter_classes(GitmemError) if one.__module__ == errors.__name__]


def _rows() -> list[tuple[int, str]]:
    page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \| (?:`([a-z-]+)`)? *\|", page, re.MULTILINE)
    return [(int(number), code) for number, code in found]


def test_the_page_lists_every_error_and_no_other() -> None:
    assert sorted(row for row in _rows() if row[1]) == sorted(
        (one.exit_code, one.code) for one in CLASSES
    )


def test_the_page_lists_success_and_interruption_too() -> None:
    assert [row for row in _rows() if not row[1]] == [(0, ""), (130, "")]


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [one.code for one in CLASSES]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_tree_in_the_docstring_names_each_error_with_its_exit_code(
    error: type[GitmemError],
) -> None:
    if error is GitmemError:
        return
    line = re.search(rf"^.*\b{error.__name__}\s+(\d+)", errors.__doc__ or "", re.MULTILINE)
    assert line
    assert int(line.group(1)) == error.exit_code


def test_the_hint_of_a_class_can_be_replaced_for_one_error() -> None:
    assert errors.NoMemory("none here").hint == errors.NoMemory.hint
    assert errors.NoMemory("none here", hint="x").hint == "x"
    assert str(errors.NoMemory("none here")) == "none here"
