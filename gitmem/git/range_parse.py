"""Reading what `git log --raw -z` prints of a range: files of the code, and segments of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitmem.core.history import Touch
from gitmem.core.segments import SegmentRef, is_segment_name
from gitmem.errors import GitFailed
from gitmem.git.history_parse import FIELDS, decode_touched, iter_runs, mend, skip_empty
from gitmem.ports.range_reader import MergeSegments, RangeCommit

FOLDER = ".gitmem/"
RECORDS = ".gitmem/records/"
_MAX_TIME = 2**53 - 1

# Segments that came, and those that went.
Changed = tuple[tuple[SegmentRef, ...], tuple[SegmentRef, ...]]
_NOTHING: Changed = ((), ())


def parse_range(
    chunks: Iterable[bytes], mark: str, *, shallow: frozenset[str]
) -> Iterator[RangeCommit]:
    """The commits of `git log -z --raw`, as they come. Commits in `shallow` and merges get no
    touches. Raises GitFailed where the output is not of that form."""
    for text, is_clean in iter_runs(chunks, mark.encode()):
        for piece in text.split(mark + "\0")[1:]:
            fields = piece.split("\0")
            if len(fields) < len(FIELDS):
                raise GitFailed("git log gave an answer that is none")
            if not is_clean:
                fields[3:6] = [mend(field) for field in fields[3:6]]
            oid, parents, at, author, email, message = fields[:6]
            touches: tuple[Touch, ...] = ()
            changed = _NOTHING
            if " " not in parents and len(fields) > 7 and oid not in shallow:
                touches, changed = _parse_changes(fields, is_clean)
            yield RangeCommit(
                oid,
                tuple(parents.split(" ")) if parents else (),
                min(int(at), _MAX_TIME) if at.isdecimal() else 0,
                author,
                email,
                message.rstrip("\n"),
                touches,
                *changed,
            )


def parse_merges(chunks: Iterable[bytes], mark: str) -> dict[str, MergeSegments]:
    """Of `git log -c -z --raw`: merge → segments that it has as no parent has them, and those
    that all of its parents have and it has not, or not as any of them."""
    found = {}
    for text, is_clean in iter_runs(chunks, mark.encode()):
        for piece in text.split(mark + "\0")[1:]:
            fields = piece.split("\0")
            added: list[SegmentRef] = []
            removed: list[SegmentRef] = []
            start = skip_empty(fields)
            for meta, path in zip(fields[start::2], fields[start + 1 :: 2], strict=False):
                segment = _find_segment(decode_touched(path, is_clean))
                parts = meta.split(" ")
                if segment is None:
                    continue
                # `::modes… oids… letters`: the ids of the parents stand before the result's.
                letters = parts[-1]
                if letters.strip("D"):
                    added.append(SegmentRef(segment, parts[-2]))
                if letters.strip("A"):
                    had = next(place for place, letter in enumerate(letters) if letter != "A")
                    removed.append(SegmentRef(segment, parts[had - len(letters) - 2]))
            if added or removed:
                found[fields[0]] = MergeSegments(tuple(added), tuple(removed))
    return found


def _parse_changes(fields: list[str], is_clean: bool) -> tuple[tuple[Touch, ...], Changed]:
    touches: list[Touch] = []
    added: list[SegmentRef] = []
    removed: list[SegmentRef] = []
    position = skip_empty(fields)
    end = len(fields) - 1
    while position < end:
        # `:old-mode new-mode old-oid new-oid status`, a line feed before the first.
        parts = fields[position].split(" ")
        status = parts[4][0]
        old: str | None = None
        path = decode_touched(fields[position + 1], is_clean)
        position += 2
        if status in "RC":
            old, path = path, decode_touched(fields[position], is_clean)
            position += 1
        if not (path.startswith(FOLDER) or (old is not None and old.startswith(FOLDER))):
            touches.append(Touch(status, path, old, parts[3]))
            continue
        # Of records there are no renames: a segment came, or it went. One that was written over
        # did both, and so did what became a link: what it had is gone.
        gone = path if status in "DMT" else old if status == "R" else None
        came = path if status in "ARCMT" and parts[1].startswith("100") else None
        for name, segments, oid in ((came, added, parts[3]), (gone, removed, parts[2])):
            segment = None if name is None else _find_segment(name)
            if segment is not None:
                segments.append(SegmentRef(segment, oid))
    return tuple(touches), (tuple(added), tuple(removed))


def _find_segment(path: str) -> str | None:
    """The file name of a segment, below the records folder."""
    name = path.rpartition("/")[2]
    return name if path.startswith(RECORDS) and is_segment_name(name) else None
