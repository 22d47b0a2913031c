"""Who is linked to whom: both ways, through what people wrote, and not through what says
nothing."""

from __future__ import annotations

import pytest

from gitmem.cache.building import Cache
from gitmem.cache.links import CacheLinks
from gitmem.cache.notes import CacheNotes
from gitmem.core.ranking import format_key
from gitmem.core.records import Line
from tests.support.cached import project_into
from tests.support.notes import index_notes, key_of, make_note
from tests.support.records import make_decision, make_decisions, make_tombstone

Edge = tuple[str, str, str, bool]


def edges(cache: Cache, key: str, most: int = 50) -> list[Edge]:
    found = CacheLinks(cache.db).list_neighbours([key], most=most)
    return [(one.key, one.link, one.label, one.is_backward) for one in found[key]]


def key_for(line: Line) -> str:
    return format_key("record", line.id)


def test_pages_are_linked_both_ways(cache: Cache) -> None:
    pages = index_notes(cache, {"a.md": "To [[B|the other]].", "x/b.md": "Text."})
    one, other = key_of(pages["a.md"]), key_of(pages["x/b.md"])
    assert edges(cache, one) == [(other, "wikilink", "B", False)]
    assert edges(cache, other) == [(one, "wikilink", "B", True)]


def test_links_stand_at_their_chunk_and_lead_to_the_chunk_they_mean(cache: Cache) -> None:
    long = "\n\n".join(f"# Part {n}\n\n" + f"Words of part {n}. " * 60 for n in range(4))
    text = long.replace("Words of part 2.", "Words of part 2, see [[b#Part 3]].", 1)
    pages = index_notes(cache, {"a.md": text, "b.md": long})
    holder, target = key_of(pages["a.md"], 2), key_of(pages["b.md"], 3)
    assert [edge for edge in edges(cache, holder) if edge[1] == "wikilink"] == [
        (target, "wikilink", "b", False)
    ]
    assert [edge for edge in edges(cache, target) if edge[1] == "wikilink"] == [
        (holder, "wikilink", "b", True)
    ]
    assert [one for one in edges(cache, key_of(pages["b.md"])) if one[1] == "wikilink"] == []


def test_chunks_of_a_page_know_those_beside_them(cache: Cache) -> None:
    text = "\n\n".join(f"# Part {n}\n\n" + f"Words of part {n}. " * 60 for n in range(4))
    note = index_notes(cache, {"a.md": text})["a.md"]
    beside = [(key_of(note, n), "same-note", "", False) for n in (0, 2)]
    assert edges(cache, key_of(note, 1)) == beside


def test_an_ambiguous_or_dangling_link_is_no_edge(cache: Cache) -> None:
    pages = index_notes(cache, {"a.md": "[[x]] [[gone]]", "b/x.md": "1", "c/x.md": "2"})
    assert all(edges(cache, key_of(note)) == [] for note in pages.values())


def test_a_link_that_became_ambiguous_leads_nowhere_any_more(cache: Cache) -> None:
    pages = index_notes(cache, {"a.md": "[[x]]", "b/x.md": "1"})
    assert len(edges(cache, key_of(pages["a.md"]))) == 1
    index_notes(cache, {"c/x.md": "2"})
    assert edges(cache, key_of(pages["a.md"])) == []
    assert edges(cache, key_of(pages["b/x.md"])) == []


def test_a_page_that_moves_keeps_its_links(cache: Cache) -> None:
    pages = index_notes(cache, {"a.md": "[[x]]", "b/x.md": "1"})
    CacheNotes(cache.db).replace_notes("docs", [make_note("z/x.md", "1")], ["b/x.md"])
    ((key, *_),) = edges(cache, key_of(pages["a.md"]))
    assert key != key_of(pages["b/x.md"])


def test_a_decision_links_to_a_page_and_back(cache: Cache) -> None:
    pages = index_notes(cache, {"caches.md": "---\nalias: Caching\n---\nText."})
    line = make_decision(
        summary="Keyed by tenant", rejected=[{"option": "by region", "reason": "[[caching]] says"}]
    )
    project_into(cache, "spool:main", line)
    page = key_of(pages["caches.md"])
    assert edges(cache, key_for(line)) == [(page, "wikilink", "caching", False)]
    assert edges(cache, page) == [(key_for(line), "wikilink", "caching", True)]


@pytest.mark.parametrize("digits", [4, 12, 64])
def test_a_page_links_to_a_decision_by_its_id(cache: Cache, digits: int) -> None:
    line = make_decision()
    project_into(cache, "spool:main", line)
    name = line.id[:digits]
    page = key_of(index_notes(cache, {"a.md": f"As [[{name}]] says."})["a.md"])
    assert edges(cache, page) == [(key_for(line), "wikilink", name, False)]
    assert edges(cache, key_for(line)) == [(page, "wikilink", name, True)]


def test_three_digits_of_an_id_are_too_few(cache: Cache) -> None:
    line = make_decision()
    project_into(cache, "spool:main", line)
    page = key_of(index_notes(cache, {"a.md": f"[[{line.id[:3]}]]"})["a.md"])
    assert edges(cache, page) == []


def test_a_page_whose_name_is_like_an_id_comes_first(cache: Cache) -> None:
    line = make_decision()
    project_into(cache, "spool:main", line)
    pages = index_notes(cache, {"a.md": f"[[{line.id[:6]}]]", f"{line.id[:6]}.md": "Text."})
    page, other = (key_of(note) for note in pages.values())
    assert edges(cache, page) == [(other, "wikilink", line.id[:6], False)]
    assert edges(cache, key_for(line)) == []


def test_a_page_links_to_the_decisions_on_a_file(cache: Cache) -> None:
    lines = make_decisions(3, paths=[{"path": "src/app.py"}])
    project_into(cache, "spool:main", *lines)
    page = key_of(index_notes(cache, {"a.md": "About [[src/app.py]]."})["a.md"])
    newest_first = [(key_for(one), "wikilink", "src/app.py", False) for one in reversed(lines)]
    assert edges(cache, page) == newest_first
    assert edges(cache, page, most=2) == []
    assert (page, "wikilink", "src/app.py", True) in edges(cache, key_for(lines[0]))


def test_decisions_are_linked_by_what_supersedes_what(cache: Cache) -> None:
    old = make_decision(seq=1, paths=[])
    new = make_decision(seq=2, paths=[], supersedes=[old.id, "1" * 64])
    project_into(cache, "spool:main", old, new)
    assert edges(cache, key_for(new)) == [(key_for(old), "supersedes", "", False)]
    assert edges(cache, key_for(old)) == [(key_for(new), "supersedes", "", True)]


def test_decisions_are_linked_by_their_texts(cache: Cache) -> None:
    old = make_decision(seq=1, paths=[])
    new = make_decision(seq=2, paths=[], summary=f"Unlike [[{old.id[:8]}]]")
    project_into(cache, "spool:main", old, new)
    assert edges(cache, key_for(new)) == [(key_for(old), "wikilink", old.id[:8], False)]
    assert edges(cache, key_for(old)) == [(key_for(new), "wikilink", old.id[:8], True)]


def test_decisions_are_linked_by_a_path_that_few_share(cache: Cache) -> None:
    crowd = make_decisions(6, paths=[{"path": "crowded.py"}])
    one = make_decision(seq=10, paths=[{"path": "rare.py"}, {"path": "crowded.py"}])
    other = make_decision(seq=11, paths=[{"path": "rare.py"}])
    project_into(cache, "spool:main", *crowd, one, other)
    assert edges(cache, key_for(one), most=5) == [(key_for(other), "path", "rare.py", False)]
    assert len(edges(cache, key_for(one), most=9)) == 7


def test_of_two_links_to_one_document_the_stronger_counts(cache: Cache) -> None:
    old = make_decision(seq=1)
    new = make_decision(seq=2, supersedes=[old.id], summary=f"Unlike [[{old.id[:8]}]]")
    project_into(cache, "spool:main", old, new)
    assert edges(cache, key_for(new)) == [(key_for(old), "supersedes", "", False)]


def test_what_is_redacted_is_nobodys_neighbour(cache: Cache) -> None:
    pages = index_notes(cache, {"a.md": "[[b]] [[src/app.py]]", "b.md": "Text."})
    line = make_decision(summary="See [[b]]")
    project_into(cache, "spool:main", line)
    assert edges(cache, key_of(pages["a.md"]))[-1][0] == key_for(line)
    project_into(cache, "spool:x", make_tombstone(line.id, "redact"))
    assert edges(cache, key_for(line)) == []
    for note in pages.values():
        assert key_for(line) not in [edge[0] for edge in edges(cache, key_of(note))]


def test_a_record_that_no_place_has_any_more_is_nobodys_neighbour(cache: Cache) -> None:
    old = make_decision(seq=1)
    new = make_decision(seq=2, supersedes=[old.id])
    project_into(cache, "one", old)
    project_into(cache, "two", new)
    assert len(edges(cache, key_for(old))) == 1
    cache.projection.drop_places(["two"])
    assert edges(cache, key_for(old)) == [] == edges(cache, key_for(new))


def test_a_short_hub_links_its_pages_and_a_long_one_does_not(cache: Cache) -> None:
    pages = {f"{n}.md": f"Page {n}." for n in range(12)}
    notes = index_notes(cache, {**pages, "index.md": "- [[0]]\n- [[1]]\n- [[2]]\n"})
    assert edges(cache, key_of(notes["0.md"])) == [
        (key_of(notes[f"{n}.md"]), "wikilink", "index.md", False) for n in (1, 2)
    ]
    index_notes(cache, {"index.md": "\n".join(f"- [[{n}]]" for n in range(12))})
    assert edges(cache, key_of(notes["0.md"])) == []


def test_a_page_with_more_links_than_asked_for_tells_nothing(cache: Cache) -> None:
    pages = {f"{n}.md": f"Page {n}, of [[all]]." for n in range(5)}
    notes = index_notes(cache, {**pages, "all.md": " ".join(f"[[{n}]]" for n in range(5))})
    assert edges(cache, key_of(notes["all.md"]), most=4) == []
    assert len(edges(cache, key_of(notes["all.md"]), most=5)) == 5


def test_a_page_that_everything_links_to_costs_no_more(cache: Cache) -> None:
    index_notes(cache, {f"{n}.md": f"Page {n}, of [[all]]." for n in range(300)})
    note = index_notes(cache, {"all.md": "Text."})["all.md"]
    assert edges(cache, key_of(note), most=5) == []


def test_keys_of_other_kinds_and_of_nothing_have_no_neighbours(cache: Cache) -> None:
    keys = ["record:" + "0" * 64, "note:" + "0" * 64, "commit:" + "0" * 40, "article:x"]
    assert CacheLinks(cache.db).list_neighbours(keys, most=5) == {key: [] for key in keys}


def test_the_order_of_arrival_changes_nothing(cache: Cache) -> None:
    pages = {"a.md": "[[b]] [[c]]", "b.md": "[[a]]", "c.md": "[[a]] [[b]]"}
    notes = index_notes(cache, pages)
    before = [edges(cache, key_of(note)) for note in notes.values()]
    CacheNotes(cache.db).drop_vaults([])
    index_notes(cache, dict(reversed(pages.items())))
    assert [edges(cache, key_of(note)) for note in notes.values()] == before
    assert [len(one) for one in before] == [2, 2, 2]
