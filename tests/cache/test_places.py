"""Places, shelves and segments: where a record stands, and what is known already."""

from __future__ import annotations

import pytest

from gitmem.cache.building import Cache
from gitmem.core.segments import SegmentRef, decode_segment, encode_segment
from gitmem.core.view import Held, Places
from gitmem.errors import Contended
from tests.support.cached import make_commit, make_segment, oid_of, project_into
from tests.support.records import make_decision, make_decisions

BLOB, OTHER_BLOB = "ab" * 20, "cd" * 20
SHELF, OTHER_SHELF = "5" * 40, "6" * 40


def held_in(cache: Cache, record_id: str, worktree: str = "main") -> Held:
    (held,) = cache.records.get_held([record_id], worktree)
    return held


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("head:main", Places(head=True)),
        ("head:other", Places()),
        ("work:main", Places(work=True)),
        ("work:other", Places()),
        ("spool:main", Places(spooled=True)),
        ("spool:other", Places(spooled_elsewhere=True)),
        ("private", Places(private=True)),
        ("default", Places(default=True)),
        ("carried:origin/0123456789abcdef", Places()),
        ("own", Places(own=True)),
        ("fetched:origin/0123456789abcdef", Places(fetched=True)),
    ],
)
def test_each_place_has_its_flag(cache: Cache, place: str, expected: Places) -> None:
    line = make_decision()
    project_into(cache, place, line)
    assert held_in(cache, line.id).places == expected


def test_tree_places_share_shelves(cache: Cache) -> None:
    line = make_decision()
    segment = make_segment([line], blob=BLOB)
    assert cache.projection.list_unknown_trees([SHELF, OTHER_SHELF, SHELF]) == [SHELF, OTHER_SHELF]
    cache.projection.add_shelf(SHELF, [segment.ref])
    cache.projection.add_shelf(SHELF, [segment.ref])
    assert cache.projection.list_unknown_trees([SHELF, OTHER_SHELF]) == [OTHER_SHELF]
    for place in ("head:main", "fetched:a/b/w1", "fetched:c/w2", "default"):
        cache.projection.set_tree_place(place, "k", [SHELF])
    cache.projection.project([segment])
    held = held_in(cache, line.id)
    assert held.places == Places(head=True, fetched=True, default=True)
    assert held.writers == ("w1", "w2")
    assert held.raw == line.raw
    cache.projection.set_tree_place("head:main", "k2", [])
    cache.projection.drop_places(["fetched:c/w2", "unknown"])
    assert held_in(cache, line.id).places == Places(fetched=True, default=True)
    assert cache.projection.get_place_keys() == {
        "head:main": "k2",
        "fetched:a/b/w1": "k",
        "default": "k",
    }


def test_a_record_in_many_segments_is_stored_once(cache: Cache) -> None:
    a, b = make_decisions(2)
    assert cache.projection.project([make_segment([a]), make_segment([a, b])]) == 2
    assert cache.projection.project([make_segment([b]), make_segment([a])]) == 0
    cache.projection.set_folder_place("spool:main", "1", [make_segment([b]).ref])
    cache.projection.set_folder_place("private", "1", [make_segment([a, b]).ref])
    assert held_in(cache, b.id).places == Places(spooled=True, private=True)
    assert held_in(cache, a.id).places == Places(private=True)


def test_a_spooled_segment_is_known_when_it_is_committed(cache: Cache) -> None:
    line = make_decision()
    committed = SegmentRef(make_segment([line]).ref.name, BLOB)
    cache.projection.add_shelf(SHELF, [committed])
    assert cache.projection.list_unprojected([committed]) == [committed]
    project_into(cache, "spool:main", line)
    assert cache.projection.list_unprojected([committed]) == []
    cache.projection.set_tree_place("head:main", "1", [SHELF])
    assert held_in(cache, line.id).places == Places(head=True, spooled=True)


def test_a_blob_whose_bytes_do_not_match_its_name_stands_for_itself_alone(cache: Cache) -> None:
    good, forged = make_decisions(2)
    name = make_segment([good]).ref.name
    bad = SegmentRef(name, BLOB)
    cache.projection.project([decode_segment(bad, encode_segment([forged]), "head")])
    assert cache.projection.list_unprojected([bad]) == []
    assert cache.projection.list_unprojected([SegmentRef(name, OTHER_BLOB)]) != []
    cache.projection.project([make_segment([good], blob=OTHER_BLOB)])
    cache.projection.set_folder_place("work:main", "1", [SegmentRef(name)])
    cache.projection.add_shelf(SHELF, [bad])
    cache.projection.set_tree_place("own", "1", [SHELF])
    assert held_in(cache, good.id).places == Places(work=True)
    assert held_in(cache, forged.id).places == Places(own=True)


def test_an_unknown_shelf_is_refused_and_changes_nothing(cache: Cache) -> None:
    cache.projection.set_tree_place("own", "1", [])
    with pytest.raises(Contended):
        cache.projection.set_tree_place("own", "2", [SHELF])
    assert cache.projection.get_place_keys() == {"own": "1"}


def test_shelves_dropped_long_ago_are_forgotten_and_new_ones_are_not(cache: Cache) -> None:
    oids = [f"{n:040x}" for n in range(60)]
    for oid in oids:
        cache.projection.add_shelf(oid, [SegmentRef("a" * 26 + ".ndjson", oid)])
    cache.projection.set_tree_place("own", "0", [])
    assert cache.projection.list_unknown_trees(oids) == []
    for oid in oids:
        cache.projection.set_tree_place("own", oid, [oid])
    unknown = cache.projection.list_unknown_trees(oids)
    assert unknown and oids[-1] not in unknown and oids[-2] not in unknown


def test_the_earliest_commit_of_this_history_added_it(cache: Cache) -> None:
    line = make_decision()
    segment = make_segment([line], blob=BLOB)
    path = f".gitmem/records/2026-01/{segment.ref.name}"
    cache.projection.project([segment])
    cache.commits.add_commits(
        [
            make_commit("elsewhere", ("A", path)),
            make_commit("here", ("A", path)),
            make_commit("later", ("R", path, "elsewhere.ndjson"), parents=["here"]),
        ]
    )
    assert held_in(cache, line.id).places == Places()
    cache.commits.set_head("main", oid_of("later"), [oid_of("elsewhere")])
    cache.commits.set_head("other", oid_of("elsewhere"), [oid_of("here"), oid_of("later")])
    assert held_in(cache, line.id).places == Places(added=True)
    assert held_in(cache, line.id).added_by == oid_of("here")
    assert held_in(cache, line.id, "other").added_by == oid_of("elsewhere")
    assert held_in(cache, line.id, "unborn").added_by is None
    assert cache.records.list_recent(limit=5)[1] == 1


def test_segments_that_history_added(cache: Cache) -> None:
    known, unknown = (make_segment([line], blob="ab" * 20) for line in make_decisions(2))
    cache.projection.project([known])
    paths = [f".gitmem/records/2026-01/{one.ref.name}" for one in (known, unknown)]
    cache.commits.add_commits(
        [
            make_commit(
                "a",
                *(("A", path) for path in paths),
                ("D", f".gitmem/records/{'b' * 26}.ndjson"),
                ("M", f".gitmem/records/{'c' * 26}.ndjson"),
                ("A", ".gitmem/records/README"),
                ("A", f"elsewhere/{'d' * 26}.ndjson"),
            )
        ]
    )
    refs = sorted([known.ref, unknown.ref], key=lambda ref: ref.name)
    assert cache.commits.list_added_segments(unprojected=False) == refs
    assert cache.commits.list_added_segments(unprojected=True) == [unknown.ref]


def test_memos(cache: Cache) -> None:
    assert cache.projection.get_memo("refs") is None
    cache.projection.set_memo("refs", "1")
    cache.projection.set_memo("refs", "2")
    assert cache.projection.get_memo("refs") == "2"
