"""Segments of git's, decoded: each blob once, without records of another project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gitmem.core.records import Line, Problem
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    Segment,
    SegmentRef,
    decode_segment,
    segment_name,
)

if TYPE_CHECKING:
    from gitmem.ports.repository import ObjectReader


def keep_project(segment: Segment, project_id: str) -> Segment:
    """The segment without records of another project, which cannot be replayed into ours."""
    foreign = [line for line in segment.lines if line.record.project != project_id]
    if not foreign:
        return segment
    place = segment.ref.name
    problems = tuple(
        Problem(place, 0, "other-project", "a record of another project", line.id)
        for line in foreign
    )
    kept: tuple[Line, ...] = tuple(
        line for line in segment.lines if line.record.project == project_id
    )
    return Segment(segment.ref, kept, segment.problems + problems)


def read_blobs(
    objects: ObjectReader, refs: Sequence[SegmentRef], project_id: str
) -> Iterator[Segment]:
    """These segments of git's, decoded, without records of another project. What is not to be
    had comes as a segment with a problem and no line."""
    by_blob: dict[str, list[SegmentRef]] = {}
    for ref in refs:
        by_blob.setdefault(ref.blob, []).append(ref)
    for blob in objects.iter_blobs(list(by_blob), MAX_SEGMENT_BYTES):
        names = by_blob[blob.oid]
        if blob.data is None:
            code = "too-large" if blob.size_bytes > MAX_SEGMENT_BYTES else "missing"
            detail = f"a segment of {blob.size_bytes} bytes" if blob.size_bytes else "missing"
            yield from (_refuse(ref, code, detail) for ref in names)
            continue
        # Bytes have one name: under thousands of others they are not read thousands of times.
        name = segment_name(blob.data.replace(b"\r\n", b"\n")) if len(names) > 1 else ""
        chosen = next((ref for ref in names if ref.name == name), names[0])
        yield keep_project(decode_segment(chosen, blob.data, chosen.name), project_id)
        for ref in names:
            if ref != chosen:
                yield _refuse(ref, "name-mismatch", "the bytes do not match the file's name")


def _refuse(ref: SegmentRef, code: str, detail: str) -> Segment:
    return Segment(ref, (), (Problem(ref.name, 0, code, detail),))
