"""Prove that the bytes agree with their names, ids and places; read everything, believe nothing."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitmem.core.records import Problem
from gitmem.core.refnames import FETCHED_PREFIX, format_writer_ref, parse_fetched_ref
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    Segment,
    SegmentRef,
    decode_segment,
)
from gitmem.errors import Damaged
from gitmem.ports.repository import ObjectReader
from gitmem.store.files import list_segments, read_segment
from gitmem.store.paths import RECORDS, Memory
from gitmem.store.segment_reading import keep_project
from gitmem.store.sources import Sources
from gitmem.store.stamps import list_spool_folders
from gitmem.store.trees import list_shelf, list_shelves
from gitmem.store.writer import find_writer


class Verified(msgspec.Struct, frozen=True):
    """`records` counts distinct good records; `segments` the segments read; `by_place` says
    how many records each place holds."""

    records: int
    segments: int
    problems: tuple[Problem, ...]
    by_place: dict[str, int]
    ids: frozenset[str]


def verify_store(memory: Memory, sources: Sources, head: str | None) -> Verified:
    """Read every segment of every place, work tree, spool, private records and refs alike,
    and check all of it again from the bytes, the cache aside."""
    ids: set[str] = set()
    problems: list[Problem] = []
    by_place: dict[str, int] = {}
    segments = 0
    seen: dict[str, frozenset[str]] = {}
    for place, key, segment in _iter_all(memory, sources, head):
        segments += 1
        if key in seen:
            here = seen[key]
        else:
            here = frozenset(line.id for line in segment.lines)
            seen[key] = here
            problems.extend(segment.problems)
        by_place[place] = by_place.get(place, 0) + len(here)
        ids |= here
    unique = tuple(dict.fromkeys(problems))
    return Verified(len(ids), segments, unique, by_place, frozenset(ids))


def _iter_all(
    memory: Memory, sources: Sources, head: str | None
) -> Iterator[tuple[str, str, Segment]]:
    """(place, key of the bytes, decoded segment) of everything there is."""
    folders = [("spool", folder) for folder in list_spool_folders(memory.clone)]
    folders.append(("private", memory.clone.private))
    if memory.folder is not None:
        folders.append(("work tree", memory.folder / "records"))
    for place, folder in folders:
        listing = list_segments(folder, place)
        for problem in listing.problems:
            yield place, f"link {problem.place}", Segment(SegmentRef(""), (), (problem,))
        for name, path in sorted(listing.files.items()):
            shown = path.name if place != "work tree" else f"{RECORDS}/{path.parent.name}/{name}"
            segment = read_segment(path, name, f"{place}: {shown}")
            if segment is not None:
                yield place, f"{place} {path}", keep_project(segment, memory.project_id)
    for place, objects, spec in _specs(memory, sources, head):
        yield from _iter_tree(memory, place, objects, spec)


def _specs(
    memory: Memory, sources: Sources, head: str | None
) -> Iterator[tuple[str, ObjectReader, str]]:
    if head is not None and not memory.is_detached:
        yield "HEAD", sources.objects, f"{head}:{RECORDS}"
    writer = find_writer(memory.clone)
    if writer is not None:
        yield "own ref", sources.memory_objects, f"{format_writer_ref(writer)}:records"
    for ref in sorted(sources.memory_refs.list_refs(FETCHED_PREFIX)):
        if parse_fetched_ref(ref) is not None:
            yield ref, sources.memory_objects, f"{ref}:records"


def _iter_tree(
    memory: Memory, place: str, objects: ObjectReader, spec: str
) -> Iterator[tuple[str, str, Segment]]:
    for shelf in list_shelves(objects, spec):
        try:
            refs = list_shelf(objects, shelf)
        except Damaged as error:
            problem = Problem(f"{place}: {shelf.tree}", 0, "missing", error.message)
            yield place, shelf.key, Segment(SegmentRef(""), (), (problem,))
            continue
        names = {ref.blob: ref for ref in refs}
        for blob in objects.iter_blobs(list(names), MAX_SEGMENT_BYTES):
            ref = names[blob.oid]
            where = f"{place}: {ref.name}"
            if blob.data is None:
                problem = Problem(where, 0, "missing", "its bytes are not in this clone")
                yield place, f"blob {blob.oid}", Segment(ref, (), (problem,))
                continue
            segment = decode_segment(ref, blob.data, where)
            yield place, f"blob {blob.oid}", keep_project(segment, memory.project_id)
