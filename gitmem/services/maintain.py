"""Upkeep that needs no network: fold the spool, settle conflicts, take redacted text out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from gitmem.core.records import Line, Problem, Tombstone
from gitmem.core.segments import (
    MAX_SEGMENT_BYTES,
    Segment,
    SegmentRef,
    decode_segment,
    encode_segment,
    month_of,
    segment_name,
)
from gitmem.errors import Refused
from gitmem.ports.conflicts import ConflictedIndex
from gitmem.services.catch_up import catch_up
from gitmem.services.pending import drop_redacted
from gitmem.services.push import empty_spool, extend_chain, list_fresh
from gitmem.services.workspace import Workspace
from gitmem.store.durable import ensure_directory, remove_durably, write_durably
from gitmem.store.files import list_segments, read_segment
from gitmem.store.folder_writing import write_segments
from gitmem.store.paths import RECORDS
from gitmem.store.project_file import Project
from gitmem.store.segment_reading import keep_project

MANY = 1_000_000
_UNREAD = frozenset({"newer-format", "segment-too-long", "missing", "unreadable", "lfs-pointer"})


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """`folded` records came to this clone's own ref, `emptied` left the spool; `withheld`
    look like they carry a secret and stayed."""

    folded: int
    emptied: int
    withheld: tuple[str, ...] = ()


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """Segments that went, those that hold what survives, and what was no record."""

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    records: int = 0
    problems: tuple[Problem, ...] = ()


def fold_spool(
    workspace: Workspace,
    project: Project,
    *,
    is_dry_run: bool,
    reopen: Callable[[], Workspace],
) -> Folded:
    """Write what is pending on this clone's own ref, and empty the spool of what then stands
    in two places. Nothing is sent anywhere."""
    workspace.get_memory()
    catch_up(workspace, with_history=False)
    if not is_dry_run:
        drop_redacted(workspace)
    fresh, withheld = list_fresh(workspace)
    if is_dry_run:
        return Folded(folded=len(fresh), emptied=0, withheld=withheld)
    if extend_chain(workspace, project, fresh) is None:
        return Folded(folded=0, emptied=0, withheld=withheld)
    after = reopen()
    catch_up(after, with_history=False)
    emptied = empty_spool(after, after.records.list_ids("own"))
    return Folded(folded=len(fresh), emptied=emptied, withheld=withheld)


def resolve_conflicts(
    workspace: Workspace, index: ConflictedIndex, *, is_dry_run: bool
) -> Rewritten:
    """Settle every conflict under `records/` by union: all good records of all versions, the
    redacted ones aside, as new segments, staged. Nothing is committed. A path of which some
    version cannot be read whole stays as it is, and is among the problems."""
    memory = workspace.get_memory()
    if memory.folder is None:
        return Rewritten()
    catch_up(workspace, with_history=False)
    versions = index.list_versions(RECORDS)
    if not versions:
        return Rewritten()
    redacted = _list_redacted(workspace, only_accepted=False)
    lines: dict[str, Line] = {}
    problems: list[Problem] = []
    settled: list[str] = []
    for path, blobs in sorted(versions.items()):
        segments = [
            keep_project(segment, memory.project_id)
            for segment in _read_versions(workspace, path, blobs)
        ]
        problems += (problem for segment in segments for problem in segment.problems)
        if any(_has_more(segment) for segment in segments):
            continue
        settled.append(path)
        found = (one for segment in segments for one in segment.lines)
        lines.update((one.id, one) for one in found if one.id not in redacted)
    if is_dry_run:
        return Rewritten(removed=tuple(settled), records=len(lines), problems=tuple(problems))
    work_tree = memory.folder.parent
    added = write_segments(work_tree, lines.values())
    removed = [path for path in settled if path not in added]
    for path in removed:
        _remove(work_tree, path)
    index.settle(removed, added)
    return Rewritten(
        removed=tuple(removed),
        added=tuple(added),
        records=len(lines),
        problems=tuple(problems),
    )


def _read_versions(workspace: Workspace, path: str, blobs: Sequence[str]) -> Iterator[Segment]:
    name = path.rpartition("/")[2]
    for blob in workspace.sources.objects.iter_blobs(blobs, MAX_SEGMENT_BYTES):
        place = f"{name} {blob.oid[:12]}"
        # No name is given: a version may be a mixture that no name fits.
        if blob.data is None:
            problem = Problem(place, 0, "missing", "its bytes are not here, or too many")
            yield Segment(SegmentRef(""), (), (problem,))
        else:
            yield decode_segment(SegmentRef(""), blob.data, place)


def _has_more(segment: Segment) -> bool:
    """Whether it may hold records that were not read: they would be lost with it."""
    return any(problem.code in _UNREAD for problem in segment.problems)


def rewrite_redacted(
    workspace: Workspace, index: ConflictedIndex, *, is_dry_run: bool
) -> Rewritten:
    """On the default branch: segments that hold a redacted record go, and each survivor gets
    a file of its own; staged, nothing committed. Only redactions that were reviewed (they
    stand in HEAD's folder) or are this clone's own count.

    A segment with records that this version cannot read stays, and is among the problems.
    Raises Refused where another branch is checked out and there would be something to do."""
    memory = workspace.get_memory()
    if memory.folder is None:
        return Rewritten()
    catch_up(workspace, with_history=False)
    redacted = _list_redacted(workspace, only_accepted=True)
    holding = list(_iter_holding(memory.folder / "records", redacted)) if redacted else []
    touched = [(path, one.lines) for path, one in holding if not _has_more(one)]
    problems = tuple(p for _, one in holding if _has_more(one) for p in one.problems)
    if not touched:
        return Rewritten(problems=problems)
    if not _is_on_default(workspace):
        raise Refused(
            f"{len(touched)} segments hold redacted records; they are rewritten on the default "
            "branch alone",
            hint="Check it out, and run: gitmem maintain",
        )
    work_tree = memory.folder.parent
    removed = [path.relative_to(work_tree).as_posix() for path, _ in touched]
    survivors = [line for _, lines in touched for line in lines if line.id not in redacted]
    if is_dry_run:
        return Rewritten(removed=tuple(removed), records=len(survivors), problems=problems)
    added = [_write_single(work_tree, line) for line in survivors]
    removed = [path for path in removed if path not in added]
    for path in removed:
        _remove(work_tree, path)
    index.settle(removed, added)
    return Rewritten(
        removed=tuple(removed), added=tuple(added), records=len(survivors), problems=problems
    )


def _list_redacted(workspace: Workspace, *, only_accepted: bool) -> set[str]:
    """Targets of redactions in the union; or of those alone that were accepted."""
    ids, _ = workspace.records.list_recent(limit=MANY, kind="tombstone")
    found = set()
    for held in workspace.records.get_held(ids, workspace.place.worktree):
        tombstone = held.record
        if not isinstance(tombstone, Tombstone) or tombstone.mode != "redact":
            continue
        if not only_accepted or held.places.head or held.places.default or held.places.is_ours:
            found.add(tombstone.target)
    return found


def _iter_holding(records: Path, ids: set[str]) -> Iterator[tuple[Path, Segment]]:
    """The segments of the work tree's folder that hold one of these records."""
    for name, path in sorted(list_segments(records, RECORDS).files.items()):
        segment = read_segment(path, name, name)
        if segment is not None and any(line.id in ids for line in segment.lines):
            yield path, segment


def _is_on_default(workspace: Workspace) -> bool:
    ref = workspace.facts.get_memo("default-ref") or ""
    parts = ref.split("/", 3 if ref.startswith("refs/remotes/") else 2)
    return workspace.place.branch is not None and parts[-1] == workspace.place.branch


def _write_single(work_tree: Path, line: Line) -> str:
    """One record in a file of its own: survivors in larger ones met rename conflicts."""
    data = encode_segment([line])
    path = f"{RECORDS}/{month_of(line.record.at)}/{segment_name(data)}"
    file = work_tree / path
    if file.parent.is_symlink():
        raise Refused(f"{file.parent} is a symbolic link; nothing is written through it")
    ensure_directory(file.parent, mode=0o777)
    write_durably(file, data, mode=0o666)
    return path


def _remove(work_tree: Path, path: str) -> None:
    file = work_tree / path
    if not file.parent.is_symlink():
        remove_durably(file)
