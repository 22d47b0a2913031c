"""Full text: stemming, safety for any words, and an order that lasts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.cache.building import Cache, open_memory_cache
from gitmem.cache.full_text import CacheFullText, forget_chunks, index_chunks
from gitmem.core.segments import Segment
from tests.support.cached import (
    make_commit,
    make_segment,
    oid_of,
    project_into,
    search_commits,
    search_records,
)
from tests.support.records import make_decision, make_decisions

ODD = [
    "sha-256",
    "don't",
    "foo.py",
    "x, a:b",
    "NOT",
    "*",
    "(",
    "src/**/x",
    "c++",
    "",
    "\0",
    '"',
    'a"b',
    "AND OR NEAR(",
    "\U0001f602",
    "\ud800",
    "text:",
    "^a",
    "a\0b",
    "-",
    "{x} : y",
]


def test_words_are_stemmed_and_marks_ignored(cache: Cache) -> None:
    a = make_decision(seq=1, summary="Caching of r\u00e9sum\u00e9s", key="a" * 16)
    b = make_decision(seq=2, summary="Queue", why="Retries were lost.", tags=["network"])
    c = make_decision(seq=3, summary="X", rejected=[{"option": "Kafka", "reason": "too heavy"}])
    project_into(cache, "spool:main", a, b, c)

    def find(*words: str) -> list[str]:
        return [record_id for record_id, _ in search_records(cache, words, limit=9)]

    assert find("cached") == [a.id]
    assert find("RESUME") == [a.id]
    assert find("retry") == find("networks") == [b.id]
    assert find("kafka") == find("heavy") == [c.id]
    assert set(find("cache", "queue")) == {a.id, b.id}
    assert find("nothing") == []
    assert len(search_records(cache, ["cache", "queue"], limit=1)) == 1
    assert search_records(cache, ["cache"], limit=0) == []


def test_better_matches_score_higher(cache: Cache) -> None:
    weak = make_decision(seq=1, summary="Queue", why="It was long. " * 30)
    strong = make_decision(seq=2, summary="Queue for the queue")
    project_into(cache, "spool:main", weak, strong, *make_decisions(10))
    found = search_records(cache, ["queue"], limit=9)
    assert [record_id for record_id, _ in found] == [strong.id, weak.id]
    assert found[0][1] > found[1][1]


def test_stop_words_count_only_where_nothing_else_is_asked(cache: Cache) -> None:
    a = make_decision(seq=1, summary="the only one", key="a" * 16)
    b = make_decision(seq=2, summary="tenant")
    project_into(cache, "spool:main", a, b)
    assert [hit for hit, _ in search_records(cache, ["the", "tenant"], limit=9)] == [b.id]
    assert [hit for hit, _ in search_records(cache, ["the"], limit=9)] == [a.id]


def test_words_that_most_records_have_are_left_out(cache: Cache) -> None:
    common = make_decisions(2100, why="tenant")
    rare = [
        make_decision(seq=9000 + n, summary="Tenant zebra", key=f"{n:015x}f") for n in range(12)
    ]
    project_into(cache, "spool:a", *common[:1500])
    project_into(cache, "spool:b", *common[1500:], *rare)
    found = search_records(cache, ["tenant", "zebra"], limit=9999)
    assert [hit for hit, _ in found] == sorted(line.id for line in rare)
    assert len(search_records(cache, ["tenant"], limit=9999)) == 2112


def test_a_rare_word_does_not_hide_what_the_others_find(cache: Cache) -> None:
    common = make_decisions(1900, why="tenant")
    rare = make_decision(seq=9999, summary="Tenant zebra", key="f" * 16)
    project_into(cache, "spool:a", *common, rare)
    project_into(cache, "spool:b", *make_decisions(200, why="tenant again"))
    found = search_records(cache, ["tenant", "zebra"], limit=5)
    assert len(found) == 5 and found[0][0] == rare.id


def test_records_that_score_alike_come_by_id_whatever_came_first() -> None:
    lines = [make_decision(seq=n, key=f"{n:016x}", summary="zebra") for n in range(1, 200)]
    expected = sorted(line.id for line in lines)[:7]
    for order in (lines, lines[::-1]):
        cache = open_memory_cache()
        segments = [make_segment([line]) for line in order]
        cache.projection.project(segments)
        cache.projection.set_folder_place("private", "1", [one.ref for one in segments])
        assert [hit for hit, _ in search_records(cache, ["zebra"], limit=7)] == expected


@pytest.mark.parametrize("word", ODD)
def test_any_word_is_safe(cache: Cache, word: str) -> None:
    line = make_decision(summary="sha-256 of foo.py, don't")
    project_into(cache, "spool:main", line)
    cache.commits.add_commits([make_commit("a", message="sha-256 of foo.py, don't\n")])
    search_records(cache, [word], limit=5)
    assert [hit for hit, _ in search_records(cache, [word, "foo.py"], limit=5)] == [line.id]
    assert [hit for hit, _ in search_commits(cache, [word, "foo.py"], limit=5)] == [oid_of("a")]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(max_size=12), max_size=5))
def test_any_words_are_safe(cache: Cache, words: list[str]) -> None:
    project_into(cache, "spool:main", make_decision())
    for record_id, score in search_records(cache, words, limit=5):
        assert len(record_id) == 64 and isinstance(score, float)


def test_messages_are_indexed_when_they_are_first_searched(cache: Cache) -> None:
    cache.commits.add_commits([make_commit(n, message=f"Number{n} of many\n") for n in range(4500)])
    assert search_commits(cache, ["number4321"], limit=5)[0][0] == oid_of(4321)
    cache.commits.add_commits([make_commit("new", message="Fresh bread\n")])
    assert [hit for hit, _ in search_commits(cache, ["bread"], limit=5)] == [oid_of("new")]


def test_no_text_of_other_kinds_is_found(cache: Cache) -> None:
    segment: Segment = make_segment([make_decision()])
    cache.projection.project([segment])
    assert search_records(cache, ["tenant"], limit=5) == []


def test_a_question_is_covered_by_what_has_its_rare_words(cache: Cache) -> None:
    both = make_decision(seq=1, summary="Tenant zebra cache region", key="a" * 16)
    one = make_decision(seq=2, summary="Zebra", key="b" * 16)
    project_into(cache, "spool:main", both, one, *make_decisions(30, why="cache"))
    keys = [f"record:{line.id}" for line in (both, one)]
    text = CacheFullText(cache.db)
    asked = text.measure_coverage("tenant zebra region", [*keys, "record:" + "0" * 64])
    assert set(asked) == set(keys)
    assert asked[keys[0]] > 700 > 350 > asked[keys[1]] > 0
    assert text.measure_coverage("zebra", keys)[keys[0]] < 400
    assert text.measure_coverage("zebra unknown words that none has", keys)[keys[0]] < 300


def test_documents_of_all_kinds_compare(cache: Cache) -> None:
    decided = make_decision(seq=1, summary="Zebra crossing", key="a" * 16)
    project_into(cache, "spool:main", decided, *make_decisions(20))
    cache.commits.add_commits([make_commit("z", message="Zebra zebra zebra\n")])
    with cache.db.transaction():
        index_chunks(cache.db, [(7, "A zebra among a hundred other words of a note")])
        cache.db.query(
            "INSERT INTO chunk (chid, id, nid, number, heading, line, text)"
            " VALUES (7, ?, 1, 0, '', 1, '')",
            ("c" * 64,),
        )
    text = CacheFullText(cache.db)
    ranked = text.rank("zebra", kinds={"record", "commit", "note"}, limit=9)
    assert {one.key.partition(":")[0] for one in ranked} == {"record", "commit", "note"}
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    only = text.rank("zebra", kinds={"note"}, limit=9)
    assert only == [one for one in ranked if one.key == f"note:{'c' * 64}"]
    with cache.db.transaction():
        forget_chunks(cache.db, [(7, "A zebra among a hundred other words of a note")])
    assert text.rank("zebra", kinds={"note"}, limit=9) == []


def test_of_very_many_that_tie_the_first_by_id_are_found(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [make_decision(seq=n, key=f"{n:016x}", summary="zebra") for n in range(1, 120)]
    better = make_decision(seq=999, key="f" * 16, summary="zebra zebra zebra")
    project_into(cache, "spool:main", better, *lines[::-1])
    cache.commits.add_commits([make_commit(n, message="zebra\n") for n in range(40)])
    text = CacheFullText(cache.db)
    kinds = {"record", "commit", "note"}
    expected = text.rank("zebra", kinds=kinds, limit=50)
    monkeypatch.setattr("gitmem.cache.full_text._MANY", 20)
    monkeypatch.setattr("gitmem.cache.full_text._PAGE", 7)
    assert text.rank("zebra", kinds=kinds, limit=50) == expected
    assert len(expected) == 50 and f"record:{better.id}" in {one.key for one in expected}
    some = text.rank("zebra", kinds={"record"}, limit=6)
    assert some == text.rank("zebra", kinds={"record"}, limit=50)[:6]


def test_a_word_that_nearly_all_have_finds_what_begins_with_it(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.cache.text._COMMON_SEARCHED_LEAST", 2000)
    common = make_decisions(2100, summary="A word about tenant", why="tenant")
    begins = [
        make_decision(seq=9000 + n, summary="Tenant keys", key=f"{n:015x}f") for n in range(12)
    ]
    project_into(cache, "spool:a", *common[:1500])
    project_into(cache, "spool:b", *common[1500:], *begins)
    found = search_records(cache, ["tenant"], limit=9999)
    assert [hit for hit, _ in found] == sorted(line.id for line in begins)
    assert len(search_records(cache, ["word"], limit=9999)) == 2100
