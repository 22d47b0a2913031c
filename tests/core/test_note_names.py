"""Which page a link means: never a part of a name, exact before any case, nearest first."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.note_names import (
    Page,
    choose_pages,
    format_candidates,
    is_attachment,
    link_name,
    list_names,
    rank_pages,
)


def pages(*paths: str, vault: str = "v") -> list[Page]:
    return [Page(key, vault, path) for key, path in enumerate(paths)]


def choose(target: str, found: list[Page], path: str = "note.md", vault: str = "v") -> list[str]:
    """What is chosen of all that a look-up by name gives."""
    folder = path.rpartition("/")[0]
    name = link_name(target, folder)
    known = [
        page
        for page in found
        if name in list_names(page.path) or name in (link_name(alias) for alias in page.aliases)
    ]
    return [page.path for page in choose_pages(target, known, vault=vault, path=path)]


@pytest.mark.parametrize("target", ["todo", "todo.md", "TODO.md", "/todo", "./todo"])
def test_a_name_is_never_a_part_of_another(target: str) -> None:
    found = pages("todo.md", "another-todo.md", "todo-list.md", "x/todont.md")
    assert choose(target, found) == ["todo.md"]


def test_the_exact_name_comes_before_any_other_case() -> None:
    found = pages("a-test.md", "A-Test.md")
    assert choose("A-Test", found) == ["A-Test.md"]
    assert choose("a-test", found) == ["a-test.md"]
    assert choose("A-TEST", pages("a-test.md")) == ["a-test.md"]
    assert choose("A-TEST", found) == ["A-Test.md", "a-test.md"]


def test_a_dot_is_no_ending() -> None:
    found = pages("animal.dog.md", "animal.md", "animal.cat.markdown")
    assert choose("animal.dog", found) == ["animal.dog.md"]
    assert choose("animal.cat", found) == ["animal.cat.markdown"]
    assert choose("animal", found) == ["animal.md"]


def test_letters_with_accents_meet_in_any_form() -> None:
    for form in ("NFC", "NFD"):
        found = pages(unicodedata.normalize(form, "Café.md"))
        for other in ("NFC", "NFD"):
            assert len(choose(unicodedata.normalize(other, "café"), found)) == 1


def test_the_end_of_a_path_is_enough_at_a_slash() -> None:
    found = pages("one/a/b.md", "two/xa/b.md", "b.md")
    assert choose("a/b", found) == ["one/a/b.md"]
    assert choose("one/a/b.md", found) == ["one/a/b.md"]
    assert choose("/b", found) == ["b.md"]
    assert choose("/a/b", found) == []


def test_the_nearest_page_is_meant_and_equals_are_ambiguous() -> None:
    found = pages("a/x.md", "b/x.md")
    assert choose("x", found, "a/note.md") == ["a/x.md"]
    assert choose("x", found, "b/c/note.md") == ["b/x.md"]
    assert choose("x", found, "note.md") == ["a/x.md", "b/x.md"]
    assert choose("x", [*found, *pages("x.md")], "note.md") == ["x.md"]


def test_dots_and_slashes_are_relative_to_the_page() -> None:
    found = pages("a/x.md", "a/b/x.md", "x.md")
    assert choose("./x", found, "a/note.md") == ["a/x.md"]
    assert choose("../x", found, "a/note.md") == ["x.md"]
    assert choose("../../../../x", found, "a/note.md") == ["x.md"]


def test_an_alias_is_a_name_that_comes_second() -> None:
    named = [Page(1, "v", "caching.md", ("Cache", "The cache")), *pages("cache.md")]
    assert choose("The cache", named) == ["caching.md"]
    assert choose("THE CACHE", named) == ["caching.md"]
    assert choose("cache", named) == ["cache.md"]
    assert choose("Cache", named) == ["caching.md"]


def test_the_own_vault_comes_first() -> None:
    found = [*pages("x/a.md"), *pages("a.md", vault="other")]
    assert choose("a", found, vault="v") == ["x/a.md"]
    assert choose("a", found, vault="other") == ["a.md"]
    assert choose("a", [*pages("a.md"), *pages("a.md", vault="other")], vault="") == ["a.md"] * 2


def test_candidates_name_their_vaults_where_these_differ() -> None:
    one, other = pages("a.md")[0], pages("a.md", vault="w")[0]
    assert format_candidates([one]) == ("a.md",)
    assert format_candidates([one, other]) == ("v/a.md", "w/a.md")


def test_all_that_fit_are_listed_best_first() -> None:
    found = pages("deep/down/a.md", "A.md", "a.md")
    assert [page.path for page in rank_pages("a", found)] == ["a.md", "deep/down/a.md", "A.md"]


@pytest.mark.parametrize(
    ("target", "is_one"),
    [("a.png", True), ("x/A.PDF", True), ("a", False), ("animal.dog", False), ("png", False)],
)
def test_pictures_are_no_pages(target: str, is_one: bool) -> None:
    assert is_attachment(target) is is_one


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_name_is_fine(target: str, path: str) -> None:
    assert link_name(target, path) == link_name(target, path)
    assert list_names(path)[-1].endswith(list_names(path)[0])
    choose_pages(target, pages(path, "a/b.md"), vault="v", path=path)
