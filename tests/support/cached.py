"""Segments and commits for tests of the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from gitmem.cache.building import Cache
from gitmem.cache.full_text import CacheFullText
from gitmem.core.history import Commit, Touch
from gitmem.core.ranking import identity_of
from gitmem.core.records import Line
from gitmem.core.segments import Segment, SegmentRef, decode_segment, encode_segment, segment_name


def make_segment(lines: Iterable[Line], *, blob: str = "", place: str = "spool/x") -> Segment:
    """A segment as it is read from a file, or from a blob."""
    data = encode_segment(lines)
    return decode_segment(SegmentRef(segment_name(data), blob), data, place)


def project_into(cache: Cache, place: str, *lines: Line) -> SegmentRef:
    """Project records as one segment and make it all that a folder place has."""
    segment = make_segment(lines)
    cache.projection.project([segment])
    cache.projection.set_folder_place(place, place, [segment.ref])
    return segment.ref


def oid_of(name: object) -> str:
    """A commit id for a short name."""
    return hashlib.sha1(str(name).encode()).hexdigest()


def make_commit(
    name: object,
    *touches: tuple[str, ...],
    parents: Iterable[object] = (),
    at: int = 1_700_000_000,
    message: str = "Change it\n",
) -> Commit:
    """A commit; touches are (status, path), or (status, path, old path)."""
    return Commit(
        oid_of(name),
        tuple(oid_of(parent) for parent in parents),
        at,
        "Ada",
        "ada@example.com",
        message,
        tuple(Touch(t[0], t[1], t[2] if len(t) > 2 else None, "ab" * 20) for t in touches),
    )


def search_records(
    cache: Cache, words: Iterable[str], *, limit: int = 9
) -> list[tuple[str, float]]:
    """(record id, score) of the decisions that a question of these words finds."""
    return _search(cache, words, "record", limit)


def search_commits(
    cache: Cache, words: Iterable[str], *, limit: int = 9
) -> list[tuple[str, float]]:
    """(commit id, score) of the messages that it finds."""
    return _search(cache, words, "commit", limit)


def _search(cache: Cache, words: Iterable[str], kind: str, limit: int) -> list[tuple[str, float]]:
    found = CacheFullText(cache.db).rank(" ".join(words), kinds={kind}, limit=limit)
    return [(identity_of(one.key), one.score) for one in found]
