"""What a range asks of the cache."""

from __future__ import annotations

from gitmem.cache.building import Cache
from gitmem.cache.range_records import CacheRangeRecords
from gitmem.core.segments import SegmentRef
from tests.support.cached import make_segment, oid_of, project_into
from tests.support.records import make_decision, make_tombstone


def test_decisions_are_found_by_the_commits_they_name_and_by_their_base(cache: Cache) -> None:
    one, two = oid_of(1), oid_of(2)
    named = make_decision(seq=1, key="0" * 16, commits=[one])
    based = make_decision(seq=2, key="1" * 16, base=two)
    project_into(cache, "private", named, based)
    records = CacheRangeRecords(cache.db)
    assert records.list_naming([one, two]) == [named.id]
    assert records.list_based([two]) == [based.id]
    assert records.list_based([oid_of(3)]) == []


def test_a_segment_is_read_by_name_and_blob_together(cache: Cache) -> None:
    line = make_decision()
    segment = make_segment([line], blob="ab" * 20)
    cache.projection.project([segment])
    records = CacheRangeRecords(cache.db)
    assert records.read_segments([segment.ref]) == {segment.ref.blob: (line,)}
    assert records.read_segments([SegmentRef(segment.ref.name, "cd" * 20)]) == {}
    assert records.list_segments([line.id]) == {line.id: frozenset({segment.ref.name})}


def test_a_redacted_record_has_no_words(cache: Cache) -> None:
    line = make_decision(summary="hunter2")
    segment = make_segment([line], blob="ab" * 20)
    cache.projection.project([segment])
    project_into(cache, "private", make_tombstone(line.id, "redact"))
    (said,) = CacheRangeRecords(cache.db).read_segments([segment.ref])[segment.ref.blob]
    assert said.raw == b"" and "hunter2" not in repr(said)


def test_only_what_another_record_may_change_is_spoken_of(cache: Cache) -> None:
    plain = make_decision(seq=1, key="0" * 16)
    old = make_decision(seq=2, key="1" * 16)
    new = make_decision(seq=3, key="2" * 16, supersedes=[old.id])
    twin, other = (make_decision(seq=n, key="3" * 16, summary=str(n)) for n in (4, 5))
    gone = make_decision(seq=6, key="4" * 16)
    stone = make_tombstone(gone.id)
    everything = [plain, old, new, twin, other, gone, stone]
    project_into(cache, "private", *everything)
    found = CacheRangeRecords(cache.db).list_spoken_of([one.id for one in everything])
    assert found == {one.id for one in (old, new, twin, other, gone)}
