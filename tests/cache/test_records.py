"""Which records are listed, in which order, and what belongs to them."""

from __future__ import annotations

import pytest

from gitmem.cache.building import Cache
from gitmem.core.codec import build_line
from gitmem.core.fold import Statement, fold
from gitmem.core.records import Other
from gitmem.core.segments import SegmentRef
from tests.support.cached import make_commit, make_segment, oid_of, project_into, search_records
from tests.support.records import decision_fields, make_decision, make_decisions, make_tombstone


def test_newest_come_first_by_seq_then_id(cache: Cache) -> None:
    lines = [make_decision(seq=seq, summary=text) for seq in (3, 1, 2) for text in "abc"]
    project_into(cache, "spool:main", *lines)
    expected = [
        line.id for line in sorted(lines, key=lambda one: (one.record.seq, one.id), reverse=True)
    ]
    assert cache.records.list_by_paths(["src/app.py"], limit=100) == (expected, 9)
    assert cache.records.list_by_paths(["src/app.py"], limit=4, offset=3) == (expected[3:7], 9)
    assert cache.records.list_recent(limit=2, offset=1) == (expected[1:3], 9)
    assert cache.records.list_recent(limit=0) == ([], 9)


def test_a_folder_holds_everything_under_it_and_nothing_beside_it(cache: Cache) -> None:
    inside = make_decision(paths=[{"path": "src/a/b.py"}, {"path": "src/c.py"}])
    folder = make_decision(seq=2, paths=[{"path": "src/"}])
    beside = make_decision(seq=3, paths=[{"path": "src2/a.py"}, {"path": "src.py"}])
    bare = make_decision(seq=4, paths=[])
    project_into(cache, "spool:main", inside, folder, beside, bare)
    assert cache.records.list_by_paths(["src/"], limit=9) == ([folder.id, inside.id], 2)
    assert cache.records.list_by_paths(["src/a/"], limit=9) == ([inside.id], 1)
    assert cache.records.list_by_paths(["src"], limit=9) == ([], 0)
    everything = [bare.id, beside.id, folder.id, inside.id]
    assert cache.records.list_by_paths([""], limit=9) == (everything, 4)
    assert cache.records.list_by_paths([], limit=9) == ([], 0)


def test_several_names_of_one_file_list_each_decision_once(cache: Cache) -> None:
    both = make_decision(seq=2, paths=[{"path": "old.py"}, {"path": "new.py"}])
    old = make_decision(seq=1, paths=[{"path": "old.py"}])
    project_into(cache, "spool:main", both, old)
    assert cache.records.list_by_paths(["new.py", "old.py"], limit=9) == ([both.id, old.id], 2)


def test_one_name_in_two_normal_forms_is_one_path(cache: Cache) -> None:
    composed, decomposed = "caf\u00e9/x.py", "cafe\u0301/x.py"
    lines = [
        make_decision(seq=seq, paths=[{"path": path}])
        for seq, path in enumerate((composed, decomposed), 1)
    ]
    project_into(cache, "spool:main", *lines)
    for asked in (composed, decomposed):
        assert cache.records.list_by_paths([asked], limit=9)[1] == 2
        assert cache.records.list_by_paths([asked[: asked.index("/") + 1]], limit=9)[1] == 2
        assert cache.records.match_paths(asked, limit=9) == sorted([composed, decomposed])


def test_a_path_is_matched_by_its_end(cache: Cache) -> None:
    project_into(
        cache,
        "spool:main",
        make_decision(
            paths=[{"path": p} for p in ("src/todo.py", "src/another-todo.py", "todo.py")]
        ),
    )
    assert cache.records.match_paths("todo.py", limit=9) == ["src/todo.py", "todo.py"]
    assert cache.records.match_paths("src/todo.py", limit=9) == ["src/todo.py"]
    assert cache.records.match_paths("todo.py", limit=1) == ["src/todo.py"]
    for text in ("", "/", "%", "*", "kind/decision", "/kind/decision", "dir/src/"):
        assert cache.records.match_paths(text, limit=9) == []


def test_names_of_inner_lists_are_no_paths(cache: Cache) -> None:
    project_into(cache, "spool:main", make_decision())
    assert cache.records.list_by_paths(["/kind/decision"], limit=9) == ([], 0)
    assert cache.records.list_by_paths(["/dir/src/"], limit=9) == ([], 0)


def test_kinds_are_listed_apart_and_together(cache: Cache) -> None:
    decision = make_decision(seq=1)
    tombstone = make_tombstone(decision.id, seq=2)
    topic = build_line({**decision_fields(kind="topic", seq=3)})
    project_into(cache, "spool:main", decision, tombstone, topic)
    assert cache.records.list_recent(limit=9) == ([topic.id, tombstone.id, decision.id], 3)
    assert cache.records.list_recent(limit=9, kind="topic") == ([topic.id], 1)
    assert cache.records.list_recent(limit=9, kind="nothing") == ([], 0)
    assert cache.records.list_by_paths([""], limit=9) == ([decision.id], 1)
    (held,) = cache.records.get_held([topic.id], "main")
    assert isinstance(held.record, Other)
    assert held.raw == topic.raw


def test_a_record_without_a_place_is_not_listed(cache: Cache) -> None:
    kept, gone = make_decision(seq=1), make_decision(seq=2, summary="Undone")
    first, second = make_segment([kept]), make_segment([gone])
    cache.projection.project([first, second])
    assert cache.records.list_recent(limit=9) == ([], 0)
    cache.projection.set_folder_place("spool:main", "1", [first.ref, second.ref])
    assert cache.records.list_recent(limit=9)[1] == 2
    cache.projection.set_folder_place("spool:main", "2", [first.ref])
    assert cache.records.list_recent(limit=9) == ([kept.id], 1)
    assert cache.records.list_by_paths(["src/app.py"], limit=9) == ([kept.id], 1)
    assert cache.records.list_by_paths(["src/app.py", "x"], limit=9) == ([kept.id], 1)
    assert search_records(cache, ["undone"], limit=9) == []
    assert cache.records.resolve_prefix(gone.id[:8], limit=9) == []
    assert cache.records.get_counts("main").records == 1
    cache.projection.drop_places(["spool:main"])
    assert cache.records.list_recent(limit=9) == ([], 0)
    cache.projection.set_folder_place("private", "3", [second.ref])
    assert cache.records.list_recent(limit=9) == ([gone.id], 1)


def test_what_one_fold_needs_is_what_the_whole_fold_says(cache: Cache) -> None:
    a = make_decision(seq=1, key="a" * 16, summary="a")
    b = make_decision(seq=2, key="b" * 16, summary="b", supersedes=[a.id])
    c = make_decision(seq=3, key="c" * 16, summary="c", supersedes=[a.id])
    d = make_decision(seq=4, key="b" * 16, summary="d")
    e = make_decision(seq=5, key="e" * 16, summary="e", supersedes=[d.id])
    retracted = make_tombstone(c.id, seq=6)
    restored = make_tombstone(retracted.id, seq=7)
    alone = make_decision(seq=8, key="f" * 16, summary="alone")
    lines = [a, b, c, d, e, retracted, restored, alone]
    project_into(cache, "spool:main", *lines)
    whole = fold(Statement(line.record, True) for line in lines)
    by_id = {line.id: line for line in lines}
    for line in lines:
        about = cache.records.list_about([line.id])
        part = fold(Statement(by_id[i].record, True) for i in about)
        assert part[line.id] == whole[line.id]
    assert cache.records.list_about([alone.id]) == {alone.id}
    assert {b.id, c.id, retracted.id, restored.id} <= cache.records.list_about([a.id])


def test_what_is_about_a_record_is_bounded(cache: Cache) -> None:
    lines = make_decisions(2500, key="a" * 16)
    cache.projection.project(make_segment(lines[n : n + 500]) for n in range(0, 2500, 500))
    about = cache.records.list_about([lines[0].id])
    assert lines[0].id in about
    assert 100 < len(about) <= 2000


def test_asking_about_thousands_of_ids_works(cache: Cache) -> None:
    project_into(cache, "spool:main", make_decision())
    ids = [f"{n:064x}" for n in range(40_000)]
    assert cache.records.list_about(ids) == set(ids)
    assert cache.records.get_held([*ids, "no id", "", "G" * 64], "main") == []


def test_decisions_of_commits(cache: Cache) -> None:
    contained, named = make_decision(seq=1), make_decision(seq=2, commits=[oid_of("named")])
    segment = make_segment([contained, make_tombstone(contained.id)], blob="ab" * 20)
    cache.projection.project([segment, make_segment([named])])
    cache.projection.set_folder_place("spool:main", "1", [make_segment([named]).ref])
    path = f".gitmem/records/2026-01/{segment.ref.name}"
    cache.commits.add_commits([make_commit("adds", ("A", path)), make_commit("named")])
    assert cache.records.list_by_commits([oid_of("adds")]) == [contained.id]
    assert cache.records.list_by_commits([oid_of("named")]) == [named.id]
    both = cache.records.list_by_commits([oid_of("adds"), oid_of("named"), "not hex", "abc"])
    assert both == sorted([contained.id, named.id])


def test_prefixes(cache: Cache) -> None:
    lines = make_decisions(40)
    project_into(cache, "spool:main", *lines)
    ids = sorted(line.id for line in lines)
    assert cache.records.resolve_prefix(ids[7], limit=5) == [ids[7]]
    assert cache.records.resolve_prefix(ids[7][:9].upper(), limit=5) == [ids[7]]
    first = ids[0][0]
    assert cache.records.resolve_prefix(first, limit=99) == [i for i in ids if i[0] == first]
    assert cache.records.resolve_prefix(first, limit=1) == ids[:1]
    for nonsense in ("", "xyz", "0" * 65, "a%"):
        assert cache.records.resolve_prefix(nonsense, limit=5) == []


def test_counts(cache: Cache) -> None:
    committed, pending, private = make_decisions(3)
    tree = make_segment([committed], blob="ab" * 20)
    bad = make_segment([pending])
    cache.projection.project([tree])
    cache.projection.add_shelf("5" * 40, [tree.ref])
    cache.projection.set_tree_place("head:main", "1", ["5" * 40])
    project_into(cache, "spool:main", committed, pending)
    project_into(cache, "spool:other", pending)
    project_into(cache, "private", private)
    counts = cache.records.get_counts("main")
    assert (counts.records, counts.pending, counts.private) == (3, 1, 1)
    assert (counts.quarantined, counts.max_seq) == (0, 3)
    assert cache.records.get_counts("other").pending == 2
    assert bad.ref.name


def test_counts_of_nothing(cache: Cache) -> None:
    counts = cache.records.get_counts("main")
    assert (counts.records, counts.pending, counts.max_seq) == (0, 0, 0)
    assert cache.records.list_recent(limit=5) == ([], 0)


@pytest.mark.parametrize("place", ["spool:*", "spool:a"])
def test_ids_of_a_place(cache: Cache, place: str) -> None:
    a, b, c = make_decisions(3)
    project_into(cache, "spool:a", a)
    project_into(cache, "spool:b", b)
    project_into(cache, "private", c)
    expected = {a.id, b.id} if place.endswith("*") else {a.id}
    assert cache.records.list_ids(place) == expected


def test_problems_of_segments_that_a_place_has(cache: Cache) -> None:
    good = make_decision()
    segment = make_segment([good])
    damaged = SegmentRef("a" * 26 + ".ndjson")
    from gitmem.core.segments import decode_segment

    read = decode_segment(damaged, b'{"id": 1}\n' + good.raw + b"\n", "records/2026-01/x")
    cache.projection.project([segment, read])
    assert cache.records.list_problems(limit=9) == []
    cache.projection.set_folder_place("work:main", "1", [segment.ref, damaged])
    assert [(p.line, p.code) for p in cache.records.list_problems(limit=9)] == [
        (0, "name-mismatch"),
        (1, "bad-record"),
    ]
    assert len(cache.records.list_problems(limit=1)) == 1
    assert cache.records.get_counts("main").quarantined == 2
    cache.projection.set_folder_place("work:main", "2", [segment.ref])
    assert cache.records.list_problems(limit=9) == []
