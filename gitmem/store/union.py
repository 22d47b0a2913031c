"""The union: everything this clone knows of its project, kept in step with the cache.

Refreshed by difference. Segments are projected before the shelf that lists them is noted, and
shelves before the place that has them: interrupted anywhere, the next run goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from gitmem.core.refnames import (
    FETCHED_PREFIX,
    format_writer_ref,
    parse_fetched_ref,
    parse_writer_ref,
)
from gitmem.core.segments import (
    Segment,
    SegmentRef,
    is_whole,
)
from gitmem.errors import Contended
from gitmem.ports.cache import Facts, Projection
from gitmem.ports.repository import ObjectReader
from gitmem.store.default_branch import find_default_ref
from gitmem.store.files import list_segments, read_segment
from gitmem.store.paths import RECORDS, Memory
from gitmem.store.segment_reading import keep_project, read_blobs
from gitmem.store.sources import Sources
from gitmem.store.stamps import (
    ABSENT,
    RACY,
    Present,
    head_key,
    head_place,
    iter_folders,
    stamp_folder,
)
from gitmem.store.trees import Shelf, list_shelf, list_shelves
from gitmem.store.writer import find_writer

DEFAULT_PLACE = "default"
BRANCHES_PLACE = "branches"
OWN_PLACE = "own"
BRANCH_ROOTS = "branch-roots"
MAX_ABSENT = 1000
REVISION = "@"
"""Begins the names of work trees that stand for a commit: no real one is named so."""
MAX_TRIES = 5


# What is being done, how much of it is done, and how much there is (0: unknown).
Report = Callable[[str, int, int], None]


class Refreshed(msgspec.Struct, frozen=True):
    """What a refresh brought: new records, and whether any place changed."""

    added: int
    is_changed: bool


def refresh(
    memory: Memory,
    sources: Sources,
    projection: Projection,
    facts: Facts,
    present: Present,
    report: Report,
) -> Refreshed:
    """Bring the cache in step with everything that records come from."""
    return Refresh(memory, sources, projection, facts, present, report).run()


def show_revision(
    memory: Memory,
    sources: Sources,
    projection: Projection,
    facts: Facts,
    oids: Sequence[str],
    name: str,
    report: Report,
) -> Memory:
    """The same memory as a work tree without changes at this commit would see it, or at the
    merge of several: their folders are made a place of this name, which nobody else uses now,
    and which `forget_revision` takes away again."""
    shown = msgspec.structs.replace(memory, worktree=REVISION + name)
    objects = sources.objects
    refresh = Refresh(shown, sources, projection, facts, Present(None, "", 0), report)
    refresh._shelved_place(
        head_place(shown),
        name,
        objects,
        lambda: [shelf for oid in oids for shelf in list_shelves(objects, f"{oid}:{RECORDS}")],
    )
    return shown


def forget_revision(shown: Memory, projection: Projection) -> None:
    """End of `show_revision`: its place is dropped, what was read stays."""
    projection.drop_places([head_place(shown)])


def project_segments(
    memory: Memory,
    objects: ObjectReader,
    projection: Projection,
    refs: Iterable[SegmentRef],
    report: Report,
) -> int:
    """Read these segments of git's and project them, unless known; the new records."""
    unknown = projection.list_unprojected(refs)
    if not unknown:
        return 0
    segments = read_blobs(objects, unknown, memory.project_id)
    return projection.project(_watched(segments, len(unknown), report))


def _watched(segments: Iterable[Segment], total: int, report: Report) -> Iterator[Segment]:
    """The same segments, each reported as it passes."""
    for number, segment in enumerate(segments, 1):
        yield segment
        report("reading segments of records", number, total)


def _name_damage(segment: Segment) -> SegmentRef:
    """A reference to this very content of a damaged file."""
    said = [*(line.id for line in segment.lines), *map(repr, segment.problems)]
    digest = hashlib.sha256("\n".join(said).encode("utf-8", "backslashreplace"))
    return SegmentRef(segment.ref.name, digest.hexdigest()[:40])


class Refresh:
    """One refresh: what differs between what the cache saw last and what is there."""

    def __init__(
        self,
        memory: Memory,
        sources: Sources,
        projection: Projection,
        facts: Facts,
        present: Present,
        report: Report,
    ) -> None:
        self._memory = memory
        self._sources = sources
        self._projection = projection
        self._present = present
        self._facts = facts
        self._report = report
        self._keys: Mapping[str, str] = facts.get_place_keys()
        self._added = 0
        self._is_changed = False

    def run(self) -> Refreshed:
        memory, present = self._memory, self._present
        if not memory.is_detached:
            self._tree_place(
                head_place(memory),
                head_key(present),
                self._sources.objects,
                f"{present.head}:{RECORDS}" if present.head else None,
            )
        for place, folder in iter_folders(memory):
            self._folder_place(place, folder)
        if self._facts.get_memo("refs") != present.refs_fingerprint:
            self._refs()
        # One that cannot be trusted is like none: nothing is written for it each time.
        is_open = self._look_for_absent() or present.refs_fingerprint.startswith(RACY)
        self._facts.set_memo("refs", "" if is_open else present.refs_fingerprint)
        return Refreshed(self._added, self._is_changed)

    def _look_for_absent(self) -> bool:
        """Read what was missing, if it is here by now; whether it is to be looked for each time
        until it is, because an object that is mended leaves no trace in the refs."""
        absent = self._projection.list_absent(limit=MAX_ABSENT)
        if not absent:
            return False
        objects = self._sources.memory_objects
        self._added += project_segments(
            self._memory, objects, self._projection, absent, self._report
        )
        is_left = bool(self._projection.list_absent(limit=1))
        self._is_changed = self._is_changed or not is_left
        # In a partial clone each look is a try to fetch.
        return is_left and self._sources.settings.find_config("extensions.partialclone") is None

    def _refs(self) -> None:
        sources = self._sources
        if not self._memory.is_detached:
            default = find_default_ref(sources.refs, sources.settings)
            oid = sources.refs.find_ref(default) if default else None
            self._facts.set_memo("default-ref", default or "")
            self._tree_place(
                DEFAULT_PLACE,
                oid or "none",
                sources.objects,
                f"{oid}:{RECORDS}" if oid else None,
            )
            self._branches()
        writer = find_writer(self._memory.clone)
        own = sources.memory_refs.find_ref(format_writer_ref(writer)) if writer else None
        self._writer_place(OWN_PLACE, own)
        self._writers()

    def _writers(self) -> None:
        """A place for each fetched writer, and one for what it says of the default branch."""
        sources = self._sources
        places: set[str] = set()
        for ref, oid in sorted(sources.memory_refs.list_refs(FETCHED_PREFIX).items()):
            parsed = parse_fetched_ref(ref)
            if parsed is None:
                continue
            name = "/".join(parsed)
            places |= {f"fetched:{name}", f"carried:{name}"}
            self._writer_place(f"fetched:{name}", oid)
            # What a writer says of the default branch adds to the union, and reviews nothing:
            # within one's own project the branch itself tells that.
            self._tree_place(
                f"carried:{name}", oid, sources.memory_objects, f"{oid}:default/records"
            )
        gone = {
            place
            for place in self._keys
            if place.startswith(("fetched:", "carried:")) and place not in places
        }
        if gone:
            self._projection.drop_places(gone)

    def _branches(self) -> None:
        """One place for the folders of all branches here: what stands there is committed."""
        objects = self._sources.objects
        roots = sorted(set(self._find_roots().values()) - {""})
        self._shelved_place(
            BRANCHES_PLACE,
            hashlib.sha256(" ".join(roots).encode()).hexdigest(),
            objects,
            lambda: [shelf for root in roots for shelf in list_shelves(objects, root)],
        )

    def _find_roots(self) -> dict[str, str]:
        """Tip of a branch → its records tree, "" without one. What a commit has never changes,
        so only new tips are asked about."""
        branches = self._sources.refs.list_refs("refs/heads/")
        tips = {oid for ref, oid in branches.items() if parse_writer_ref(ref) is None}
        lines = (self._facts.get_memo(BRANCH_ROOTS) or "").splitlines()
        known = dict(line.partition(" ")[::2] for line in lines)
        roots = {
            tip: known[tip]
            if tip in known
            else self._sources.objects.find_oid(f"{tip}:{RECORDS}") or ""
            for tip in sorted(tips)
        }
        self._facts.set_memo(BRANCH_ROOTS, "\n".join(f"{t} {root}" for t, root in roots.items()))
        return roots

    def _writer_place(self, place: str, oid: str | None) -> None:
        self._tree_place(
            place,
            oid or "none",
            self._sources.memory_objects,
            f"{oid}:records" if oid else None,
        )

    def _tree_place(self, place: str, key: str, objects: ObjectReader, spec: str | None) -> None:
        self._shelved_place(
            place, key, objects, lambda: list_shelves(objects, spec) if spec else []
        )

    def _shelved_place(
        self, place: str, key: str, objects: ObjectReader, look: Callable[[], list[Shelf]]
    ) -> None:
        if self._keys.get(place) == key:
            return
        shelves = {shelf.key: shelf for shelf in look()}
        for left in reversed(range(MAX_TRIES)):
            stored = {name: name for name in shelves}
            for unknown in self._projection.list_unknown_trees(shelves):
                stored[unknown] = self._add_shelf(objects, shelves[unknown])
            try:
                self._projection.set_tree_place(place, key, list(stored.values()))
            except Contended:  # another process forgot a shelf that no place had yet
                if not left:
                    raise
            else:
                break
        self._is_changed = True

    def _add_shelf(self, objects: ObjectReader, shelf: Shelf) -> str:
        """Read a shelf and store it; the key under which it is stored."""
        refs = list_shelf(objects, shelf)
        self._added += project_segments(self._memory, objects, self._projection, refs, self._report)
        self._projection.add_shelf(shelf.key, refs)
        return shelf.key

    def _folder_place(self, place: str, folder: Path) -> None:
        stamp = stamp_folder(folder, self._present.now_ns) or ABSENT
        if self._keys.get(place, ABSENT) == stamp:
            return
        listing = list_segments(folder, place)
        refs = {name: SegmentRef(name) for name in sorted(listing.files)}
        unknown = self._projection.list_unprojected(refs.values())
        if unknown:
            damaged: list[SegmentRef] = []
            segments = self._read_files(place, listing.files, unknown, damaged)
            self._added += self._projection.project(segments)
            refs.update((ref.name, ref) for ref in damaged)
            if damaged:
                # A file that is mended in place leaves no trace in the folder's stamp: look
                # again each time.
                stamp = f"damaged {stamp}"
        self._projection.set_folder_place(place, stamp, list(refs.values()))
        self._is_changed = True

    def _read_files(
        self,
        place: str,
        files: Mapping[str, Path],
        refs: Sequence[SegmentRef],
        damaged: list[SegmentRef],
    ) -> Iterator[Segment]:
        """The files, decoded. What does not match its name goes by its content, too: damage
        must not pass for the segment, once that is mended."""
        for ref in refs:
            segment = read_segment(files[ref.name], ref.name, f"{place}/{files[ref.name].name}")
            if segment is None:
                continue
            if not is_whole(segment):
                segment = msgspec.structs.replace(segment, ref=_name_damage(segment))
                damaged.append(segment.ref)
                if not self._projection.list_unprojected([segment.ref]):
                    continue
            yield keep_project(segment, self._memory.project_id)
