"""The index of notes: what is in it is what the vaults hold, and no more."""

from __future__ import annotations

import pytest

from gitmem.cache.building import Cache
from gitmem.cache.documents import CacheDocuments
from gitmem.cache.full_text import CacheFullText
from gitmem.cache.notes import CacheNotes, passage_of
from gitmem.core.notes import BadLink, Note
from tests.support.cached import project_into
from tests.support.notes import index_notes, key_of, make_note
from tests.support.records import make_decision

LONG = "\n\n".join(f"# Part {n}\n\n" + f"Words of part {n} are here. " * 30 for n in range(6))


@pytest.fixture
def notes(cache: Cache) -> CacheNotes:
    return CacheNotes(cache.db)


def find(cache: Cache, words: str) -> list[str]:
    return [one.key for one in CacheFullText(cache.db).rank(words, kinds=["note"], limit=9)]


def count_rows(cache: Cache) -> dict[str, int]:
    tables = ("vault", "note", "chunk", "note_name", "note_link", "full_text")
    return {table: cache.db.scalar(f"SELECT count(*) FROM {table}") for table in tables}


def test_a_page_is_found_by_text_title_alias_and_tag(cache: Cache, notes: CacheNotes) -> None:
    text = "---\ntitle: Zebra\naliases: [Okapi]\ntags: [gnu]\n---\nStripes are [[x]] fine.\n"
    (note,) = index_notes(cache, {"a/b.md": text}).values()
    for words in ("stripes", "zebra", "okapi", "gnu"):
        assert find(cache, words) == [key_of(note)]
    assert notes.get_stamps("docs") == {"a/b.md": "1"}
    assert notes.get_stamps("other") == {}


def test_chunks_come_with_their_note_in_the_order_asked(cache: Cache, notes: CacheNotes) -> None:
    note = index_notes(cache, {"a.md": f"---\nalias: Z\n---\n{LONG}"})["a.md"]
    ids = [note.chunks[3].id, "0" * 64, note.chunks[0].id]
    (first, chunk), (second, other) = notes.get_chunks(ids)
    assert (chunk, other) == (note.chunks[3], note.chunks[0])
    assert first.chunks == (chunk,) and first.aliases == ("Z",)
    assert (second.path, second.title, second.stamp) == ("a.md", "Part 0", "1")


def test_an_edit_leaves_the_rows_of_other_chunks(cache: Cache, notes: CacheNotes) -> None:
    before = index_notes(cache, {"a.md": LONG})["a.md"]
    rows = dict(cache.db.query("SELECT id, chid FROM chunk"))
    changed = make_note("a.md", LONG.replace("part 3", "section three"), stamp="2")
    notes.replace_notes("docs", [changed], [])
    after = dict(cache.db.query("SELECT id, chid FROM chunk"))
    kept = {chunk.id for chunk in changed.chunks} & {chunk.id for chunk in before.chunks}
    assert 0 < len(kept) < len(before.chunks)
    assert {one: rows[one] for one in kept} == {one: after[one] for one in kept}
    assert set(after) == {chunk.id for chunk in changed.chunks}
    assert notes.get_stamps("docs") == {"a.md": "2"}


def test_text_that_is_gone_is_not_found(cache: Cache, notes: CacheNotes) -> None:
    index_notes(cache, {"a.md": "Zebras graze.", "b.md": "Zebras run."})
    notes.replace_notes("docs", [make_note("a.md", "Okapis graze.")], [])
    assert len(find(cache, "zebras")) == 1
    assert len(find(cache, "okapis")) == 1
    notes.replace_notes("docs", [], ["b.md", "never there.md"])
    assert find(cache, "zebras") == []


def test_a_new_title_is_found_and_the_old_one_is_not(cache: Cache, notes: CacheNotes) -> None:
    index_notes(cache, {"a.md": "---\ntitle: Zebra\n---\nText.\n"})
    notes.replace_notes("docs", [make_note("a.md", "---\ntitle: Okapi\n---\nText.\n")], [])
    assert find(cache, "zebra") == []
    assert len(find(cache, "okapi")) == 1


def test_nothing_of_a_page_is_left(cache: Cache, notes: CacheNotes) -> None:
    empty = count_rows(cache)
    index_notes(cache, {"a.md": f"[[b]]\n\n{LONG}", "index.md": "[[a]]"})
    index_notes(cache, {"c.md": "---\nalias: C\n---\n[[a]]"}, vault="other")
    notes.replace_notes("docs", [], ["a.md", "index.md"])
    assert count_rows(cache)["note"] == 1
    notes.drop_vaults(["docs"])
    notes.drop_vaults([])
    assert count_rows(cache) == empty


def test_only_vaults_that_are_no_longer_configured_are_dropped(
    cache: Cache, notes: CacheNotes
) -> None:
    index_notes(cache, {"a.md": "Zebra"})
    index_notes(cache, {"a.md": "Zebra"}, vault="own")
    notes.drop_vaults(["own"])
    assert notes.get_stamps("docs") == {} and notes.get_stamps("own") == {"a.md": "1"}
    assert len(find(cache, "zebra")) == 1


def test_a_failure_half_way_changes_nothing(cache: Cache, notes: CacheNotes) -> None:
    before = count_rows(cache)

    def fail():  # type: ignore[no-untyped-def]
        yield make_note("a.md", LONG)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        notes.replace_notes("docs", fail(), [])
    assert count_rows(cache) == before


def test_the_same_pages_in_any_order_give_the_same_answers(cache: Cache, path) -> None:  # type: ignore[no-untyped-def]
    pages = {f"{n}.md": f"Zebra {n} [[{n + 1}]]" for n in range(6)}
    index_notes(cache, pages)
    first = find(cache, "zebra")
    CacheNotes(cache.db).drop_vaults([])
    index_notes(cache, dict(reversed(pages.items())))
    assert find(cache, "zebra") == first


def test_pages_are_found_by_what_a_link_says(cache: Cache, notes: CacheNotes) -> None:
    index_notes(
        cache,
        {"x/cache.md": "a", "Cache.md": "b", "other.md": "---\nalias: the cache\n---\nc"},
    )

    def names(found: list[Note]) -> list[str]:
        return [note.path for note in found]

    assert names(notes.find_notes("Cache")) == ["Cache.md", "x/cache.md"]
    assert names(notes.find_notes("x/cache.md")) == ["x/cache.md"]
    assert names(notes.find_notes("The Cache")) == ["other.md"]
    assert names(notes.find_notes("cach")) == []


def test_links_that_lead_nowhere_or_to_several_are_listed(cache: Cache, notes: CacheNotes) -> None:
    index_notes(
        cache,
        {
            "a/x.md": "[[a/y]] [[nowhere]] ![[picture.png]]",
            "b/x.md": "\n\n[[x]] [[also nowhere#part]]",
            "c.md": "[[x]] [[src/app.py]] [[c]]",
        },
    )
    line = make_decision(summary="See [[x]] and [[c]]", why="Or [[lost]]")
    project_into(cache, "spool:main", line)
    assert notes.list_bad_links(limit=99) == [
        BadLink("", line.id, 0, "x", ("a/x.md", "b/x.md")),
        BadLink("", line.id, 0, "lost"),
        BadLink("docs", "a/x.md", 1, "a/y"),
        BadLink("docs", "a/x.md", 1, "nowhere"),
        BadLink("docs", "b/x.md", 3, "also nowhere"),
        BadLink("docs", "c.md", 1, "x", ("a/x.md", "b/x.md")),
    ]
    assert len(notes.list_bad_links(limit=2)) == 2


def test_a_page_that_comes_later_mends_a_link(cache: Cache, notes: CacheNotes) -> None:
    index_notes(cache, {"a.md": "[[b]]"})
    assert len(notes.list_bad_links(limit=9)) == 1
    index_notes(cache, {"deep/B.md": "text"})
    assert notes.list_bad_links(limit=9) == []


def test_what_is_embedded_is_what_is_searched(cache: Cache) -> None:
    text = f"---\ntitle: Zebra\naliases: [Okapi, Horse]\ntags: [gnu]\n---\n{LONG}"
    note = index_notes(cache, {"a.md": text, "b.md": "Plain."})["a.md"]
    passages = CacheDocuments(cache.db).get_passages([key_of(note), key_of(note, 1)])
    assert [one.text for one in passages] == [
        passage_of(note, note.chunks[0]),
        passage_of(note, note.chunks[1]),
    ]
    assert "Okapi, Horse, gnu" in passages[0].text and "Okapi" not in passages[1].text
