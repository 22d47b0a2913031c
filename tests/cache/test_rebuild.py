"""What the cache holds is a function of what it was given, not of the order."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.cache.building import Cache, open_memory_cache
from gitmem.core.codec import build_line
from gitmem.core.records import Line
from tests.support.cached import make_segment, search_records
from tests.support.records import RECORD_FIELDS, decision_fields, tombstone_fields

QUERIES = (
    "SELECT hex(id), seq, kind, key, is_withheld, hex(body) FROM record",
    "SELECT path, reversed, total FROM path",
    "SELECT folded, path FROM spelling JOIN path USING (pid)",
    "SELECT path, listing.seq, tie, hex(id) FROM listing JOIN path USING (pid)"
    " JOIN record USING (rid)",
    "SELECT rel, hex(target), hex(id) FROM link JOIN record USING (rid)",
    "SELECT name, hex(id) FROM mention JOIN record USING (rid)",
    "SELECT hex(id), name, blob FROM holding JOIN record USING (rid) JOIN segment USING (sid)",
    "SELECT hex(id), orphan.seq, tie FROM orphan JOIN record USING (rid)",
    "SELECT s.name, s.blob, s.state, s.is_live, t.name, t.blob FROM segment AS s"
    " LEFT JOIN segment AS t ON t.sid = s.source",
    "SELECT name, line, code, detail, problem.id FROM problem JOIN segment USING (sid)",
    "SELECT place.name, segment.name FROM place_segment JOIN place USING (plid)"
    " JOIN segment USING (sid)",
)


def dump(cache: Cache) -> list[list[tuple[Any, ...]]]:
    """Everything but row ids, sorted."""
    rows = [sorted(cache.db.query(sql), key=repr) for sql in QUERIES]
    cache.db.run_script("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, full_text, row)")
    return [*rows, cache.db.query("SELECT term, doc, cnt FROM words ORDER BY term")]


def build(segments: list[list[Line]], *, place_first: bool) -> Cache:
    cache = open_memory_cache()
    read = [make_segment(lines) for lines in segments]
    refs = [segment.ref for segment in read][: len(read) * 2 // 3]
    if place_first:
        cache.projection.set_folder_place("private", "1", refs)
    for start in range(0, len(read), 2):
        cache.projection.project(read[start : start + 2])
    cache.projection.set_folder_place("private", "1", refs)
    return cache


@settings(max_examples=40, deadline=None)
@given(
    fields=st.lists(RECORD_FIELDS, min_size=1, max_size=8),
    modes=st.lists(st.sampled_from(["retract", "redact"]), max_size=4),
    shuffle=st.randoms(use_true_random=False),
)
def test_any_order_gives_the_same_rows(
    fields: list[dict[str, Any]], modes: list[str], shuffle: random.Random
) -> None:
    lines = [build_line(one) for one in fields]
    lines += [
        build_line(tombstone_fields(line.id, mode))
        for line, mode in zip(list(lines), modes, strict=False)
    ]
    segments = [[line] for line in lines] + [lines[:3], lines[1:]]
    one = build(segments, place_first=True)
    placed = {make_segment(s).ref for s in segments[: len(segments) * 2 // 3]}
    shuffled = [s for s in segments if make_segment(s).ref in placed]
    rest = [s for s in segments if make_segment(s).ref not in placed]
    shuffle.shuffle(shuffled)
    shuffle.shuffle(rest)
    read = [make_segment(s) for s in [*shuffled, *rest]]
    shuffle.shuffle(read)
    other = open_memory_cache()
    for segment in read:
        other.projection.project([segment])
    other.projection.set_folder_place("private", "1", sorted(placed, key=lambda ref: ref.name))
    assert dump(one) == dump(other)


def test_twice_gives_the_same_answers() -> None:
    source = random.Random(7)
    lines = [
        build_line(
            decision_fields(
                seq=n // 3 + 1,
                key=f"{n:016x}",
                summary=" ".join(source.choices(["red", "green", "blue", "grey"], k=3)),
                paths=[{"path": f"src/{n % 5}.py"}],
            )
        )
        for n in range(200)
    ]
    answers = []
    for order in (lines, lines[::-1]):
        cache = open_memory_cache()
        segments = [make_segment(order[n : n + 7]) for n in range(0, 200, 7)]
        cache.projection.project(segments)
        cache.projection.set_folder_place("private", "1", [s.ref for s in segments])
        answers.append(
            (
                cache.records.list_by_paths(["src/1.py", "src/2.py"], limit=30),
                cache.records.list_recent(limit=50, offset=20),
                search_records(cache, ["red", "blue"], limit=20),
                cache.records.get_counts("main"),
            )
        )
    assert answers[0] == answers[1]
