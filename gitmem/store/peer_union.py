"""A peer's union: its default branch's records are the view, and everything else is elsewhere.

Nothing of a peer is written, and only what stands in objects is read: no spool, no work tree,
no private records. A detached memory has no branches, so its spool is read, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from gitmem.core.refnames import (
    FETCHED_PREFIX,
    HEADS_PREFIX,
    OWN_PREFIX,
    format_fetched_ref,
    parse_writer_ref,
)
from gitmem.errors import UsageError
from gitmem.ports.cache import Facts, Projection
from gitmem.ports.repository import ObjectReader, RefStore, RepositorySettings, TreeChange
from gitmem.store.paths import RECORDS, ClonePaths, Memory
from gitmem.store.peer_default import list_default_trees
from gitmem.store.sources import Sources
from gitmem.store.stamps import Present, head_key, head_place
from gitmem.store.trees import Shelf, list_shelf, list_shelves
from gitmem.store.union import DEFAULT_PLACE, Refresh, Refreshed, Report, project_segments

MAX_SEGMENTS = 100_000
"""Of a peer's new segments so many are read in one go: it may have made a million of them."""
CUT = "peer-cut"
"""The memo that says whether some are left, to be read in the next go."""
PEER_REMOTE = "peer"
"""The name under which a peer's own writers stand among its fetched ones."""


class PeerPaths(ClonePaths, frozen=True):
    """Where a peer's own files would be: in a folder of ours, where there are none. Of a
    detached memory the spool and the bare repository are the peer's, in `origin`."""

    origin: Path | None = None

    @property
    def spool(self) -> Path:
        return (self.origin or self.home) / "spool"

    @property
    def memory_git(self) -> Path:
        return (self.origin or self.home) / "memory.git"


class PeerRefs:
    """A peer's refs, to be read and never written; the writers that push to it count among
    those it fetched."""

    def __init__(self, refs: RefStore) -> None:
        self._refs = refs

    def find_ref(self, name: str) -> str | None:
        return self._refs.find_ref(name)

    def find_symbolic(self, name: str) -> str | None:
        return self._refs.find_symbolic(name)

    def list_refs(self, *prefixes: str) -> dict[str, str]:
        found = self._refs.list_refs(*prefixes)
        if FETCHED_PREFIX in prefixes:
            for ref, oid in self._refs.list_refs(HEADS_PREFIX, OWN_PREFIX).items():
                writer = parse_writer_ref(ref)
                if writer is not None:
                    found[format_fetched_ref(PEER_REMOTE, writer)] = oid
        return found

    def write_commit(
        self, changes: Sequence[TreeChange], *, parent: str | None, message: str, at_seconds: int
    ) -> str:
        raise read_only()

    def update_ref(self, name: str, new: str, expected: str | None) -> None:
        raise read_only()

    def delete_ref(self, name: str, expected: str) -> None:
        raise read_only()


class PeerSettings:
    """What a peer's git says of itself; nobody is at work there."""

    def __init__(self, settings: RepositorySettings) -> None:
        self._settings = settings

    def get_identity(self) -> tuple[str, str]:
        raise UsageError("nobody is at work in a peer")

    def list_remotes(self) -> dict[str, str]:
        return dict(self._settings.list_remotes())

    def find_config(self, name: str) -> str | None:
        return self._settings.find_config(name)


def read_only() -> UsageError:
    """The error for whoever would write to a peer."""
    return UsageError(
        "a peer is only read, never written",
        hint="Go there to change something: gitmem -C DIR …",
    )


def refresh_peer(
    memory: Memory,
    sources: Sources,
    projection: Projection,
    facts: Facts,
    present: Present,
    report: Report,
) -> Refreshed:
    """Bring our projection of a peer in step with what it has. `present.head` is the commit of
    its default branch; without one (a mirror of writers' refs alone) the view is what its
    writers say of that branch."""
    return _PeerRefresh(memory, sources, projection, facts, present, report).run()


class _PeerRefresh(Refresh):
    def run(self) -> Refreshed:
        memory, present = self._memory, self._present
        self._left = MAX_SEGMENTS
        self._cut: dict[str, str] = {}
        was_cut = bool(self._facts.get_memo(CUT))
        if was_cut:  # what is left is looked for at every place, changed or not
            self._keys = {place: f"cut {key}" for place, key in self._keys.items()}
        if was_cut or self._facts.get_memo("refs") != present.refs_fingerprint:
            if not memory.is_detached:
                self._view()
                self._branches()
            self._writers()
        if memory.is_detached:
            for folder in sorted(_list_folders(memory.clone.spool)):
                self._folder_place(f"spool:{folder.name}", folder)
        self._look_for_absent()
        if was_cut or self._cut:
            self._facts.set_memo(CUT, "cut" if self._cut else "")
        self._facts.set_memo("refs", present.refs_fingerprint)
        return Refreshed(self._added, self._is_changed)

    def _add_shelf(self, objects: ObjectReader, shelf: Shelf) -> str:
        """A shelf that has more than may be read in this go is stored by what was read of it,
        under a name that says so: the next go finds it unknown, and reads on."""
        if shelf.key in self._cut:
            return self._cut[shelf.key]
        refs = sorted(list_shelf(objects, shelf), key=lambda ref: ref.name)
        unread = self._projection.list_unprojected(refs)
        if len(unread) > self._left:
            # Those whose bytes were not to be had must not stand in the way of the rest.
            absent = set(self._projection.list_absent(limit=MAX_SEGMENTS))
            unread = [ref for ref in unread if ref not in absent]
        left_out = set(unread[self._left :])
        self._left -= len(unread) - len(left_out)
        kept = [ref for ref in refs if ref not in left_out]
        self._added += project_segments(self._memory, objects, self._projection, kept, self._report)
        if not left_out:
            self._projection.add_shelf(shelf.key, kept)
            return shelf.key
        digest = hashlib.sha256("\n".join(ref.name for ref in kept).encode()).hexdigest()
        self._cut[shelf.key] = f"{shelf.key}:cut:{digest[:40]}"
        self._projection.add_shelf(self._cut[shelf.key], kept)
        return self._cut[shelf.key]

    def _view(self) -> None:
        present, objects = self._present, self._sources.objects
        if present.head is None:
            writers = self._sources.memory_refs.list_refs(FETCHED_PREFIX)
            trees = list_default_trees(objects, writers.values())
        else:
            found = objects.find_oid(f"{present.head}:{RECORDS}")
            trees = [found] if found is not None else []
        place = head_place(self._memory)
        # The key is the commit's, as whoever compares expects it: what it stands for is here
        # looked at each time that refs changed.
        self._keys = {name: key for name, key in self._keys.items() if name != place}
        for name, key in ((place, head_key(present)), (DEFAULT_PLACE, " ".join(trees) or "none")):
            self._shelved_place(
                name, key, objects, lambda: [one for t in trees for one in list_shelves(objects, t)]
            )


def _list_folders(spool: Path) -> list[Path]:
    try:
        return [path for path in spool.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:
        return []
