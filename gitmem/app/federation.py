"""The peers of this machine, as one port: the registry, the index over them, their projections."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from gitmem.app.adapters import Lazy, load
from gitmem.app.opening import Opened, Report, say_nothing
from gitmem.app.peering import (
    WORKTREE,
    build_workspace,
    find_peer_layout,
    open_peer,
    peer_home,
    peers_folder,
)
from gitmem.cache.opening import CacheReader, Unfit, open_reader
from gitmem.config import Settings
from gitmem.core.peer_verdicts import USED
from gitmem.core.peers import Peer, PeerState, Sighting
from gitmem.errors import Damaged, ModelDamaged, PartMissing, RemoteError
from gitmem.git.files import Layout, discover, list_watched
from gitmem.services.workspace import Notice, Place, Workspace
from gitmem.store.paths import Memory, clone_paths
from gitmem.store.peer_union import CUT, PeerPaths, PeerSettings
from gitmem.store.sources import Sources
from gitmem.store.stamps import RACY, RACY_NS, Present
from gitmem.store.union import Refreshed

_TOKEN = "summary-token"


class MachinePeers:
    """`ports.peers.Federation`; closed by whoever made it."""

    def __init__(
        self,
        peers: Sequence[Peer],
        settings: Settings,
        environ: Mapping[str, str],
        cwd: Path,
        vectors: Any = None,
    ) -> None:
        """`vectors` are those of the memory that asks, whose model serves for peers, too."""
        self.peers = peers
        self._settings = settings
        self._environ = environ
        self._cwd = cwd
        self._vectors = vectors
        self._opened_index: Any = None
        self._states: dict[str, PeerState] | None = None
        self.notices: dict[str, Notice] = {}

    @property
    def _index(self) -> Any:
        if self._opened_index is None:
            path = peers_folder(self._settings) / "index.db"
            self._opened_index = load("open-peer-index")(path)
        return self._opened_index

    def close(self) -> None:
        if self._opened_index is not None:
            self._opened_index.close()

    def list_states(self) -> Mapping[str, PeerState]:
        if self._states is None:
            self._states = self._index.list_states()
        return self._states

    def is_stale(self, peer: Peer) -> bool:
        state = self.list_states().get(peer.address)
        if state is None:
            return True
        if peer.is_path:
            return stamp_files(state.watched) != state.stamp
        return not peer_home(self._settings, peer.address).cache.is_file()

    def find(self, keys: Iterable[str]) -> list[Sighting]:
        found: list[Sighting] = self._index.find(keys)
        return found

    def keep_state(self, state: PeerState) -> None:
        """Say what was seen of a peer whose projection stays as it is."""
        self._index.set_state(state)
        self._states = None

    def forget(self, address: str) -> None:
        """Drop what is known of a peer from the index."""
        self._index.forget(address)
        self._states = None

    @contextmanager
    def open(self, peer: Peer) -> Iterator[Workspace]:
        """A projection that is gone or not fit any more is made anew first."""
        home = peer_home(self._settings, peer.address)
        cache = _open_cache(home.cache, peer)
        if cache is None:
            self.bring_in_step(peer, say_nothing)
            cache = _open_cache(home.cache, peer)
        if cache is None:
            raise Damaged(f"what is kept of {peer.alias} is replaced all the time")
        state = self.list_states().get(peer.address) or PeerState(address=peer.address)
        try:
            yield self._build(cache, state, home.folder)
        finally:
            cache.close()

    def bring_in_step(
        self,
        peer: Peer,
        report: Report,
        *,
        heavy: bool = False,
        tips: str | None = None,
        embed: bool = False,
    ) -> PeerState:
        """Project what a peer has new, and summarise it; what it has now. `tips` is what its
        server had, where it was asked just now. With `heavy` the vectors that it shares are
        taken over, too; with `embed` what has none gets one of our model, which raises
        PartMissing where there is none."""
        layout = find_peer_layout(peer, self._settings)
        watched = _list_watched(layout) if peer.is_path else ()
        stamp = stamp_files(watched)
        opened = open_peer(
            peer, self._settings, self._environ, self._cwd, report=report, heavy=heavy
        )
        try:
            if opened.workspace.memory is not None:
                opened.workspace.refresh(opened.workspace)
            state = self._describe(peer, opened, watched, stamp, tips)
            if heavy and opened.workspace.memory is not None:
                state = self._bring_vectors(opened, state, embed=embed)
            elif opened.workspace.memory is not None and self._has_vectors(peer):
                load("forget-withheld")(opened.workspace)
            self._summarise(opened, state)
        finally:
            opened.close()
        self._states = None
        return state

    def _describe(
        self, peer: Peer, opened: Opened, watched: Sequence[str], stamp: str, tips: str | None
    ) -> PeerState:
        workspace = opened.workspace
        before = self.list_states().get(peer.address)
        counts = workspace.records.get_counts(WORKTREE)
        project = opened.project
        home = peer_home(self._settings, peer.address)
        return PeerState(
            address=peer.address,
            project_id=project.project_id if project is not None else "",
            name=project.name if project is not None else "",
            remote_key=peer.remote_key or self._find_key(opened),
            records=counts.records,
            quarantined=counts.quarantined,
            size_bytes=_measure(home.folder),
            seen_at=time.time_ns() // 1_000_000,
            watched=tuple(watched),
            stamp=stamp,
            tips=tips if tips is not None else before.tips if before is not None else "",
            stamps=before.stamps if before is not None else (),
            verdict=before.verdict if before is not None else "unknown",
            our_stamp=before.our_stamp if before is not None else "",
            vectors=before.vectors if before is not None else 0,
            lacking=before.lacking if before is not None else 0,
            is_cut=bool(workspace.facts.get_memo(CUT)),
            is_detached=workspace.is_detached,
        )

    def _find_key(self, opened: Opened) -> str | None:
        """The key of a clone's remote. What a server's writers say of theirs proves nothing."""
        key: str | None = load("find-remote-key")(opened.workspace)
        return key

    def _summarise(self, opened: Opened, state: PeerState) -> None:
        cache, facts = opened.cache, opened.workspace.facts
        token = facts.get_memo(_TOKEN)
        if not token:
            token = secrets.token_hex(8)
            facts.set_memo(_TOKEN, token)
        after = self._index.get_last_row(state.address, token)
        summary, last = load("summarise-peer")(
            cache.db,
            after_rid=after,
            now_ms=time.time_ns() // 1_000_000,
            is_detached=state.is_detached,
        )
        if after:
            self._index.add(state, token, summary, last)
        else:
            self._index.replace(state, token, summary, last)

    def _build(self, cache: CacheReader, state: PeerState, folder: Path) -> Workspace:
        """To be asked about records only: no git stands behind it, so that it stays as it is."""
        nothing: Any = None
        paths = PeerPaths(folder / "clone")
        workspace = build_workspace(
            cache,
            Sources(nothing, nothing, PeerSettings(nothing), nothing, nothing),
            Memory(paths, state.project_id, WORKTREE, None, state.is_detached),
            Present(None, "", 0),
            place=Place(self._cwd, None, WORKTREE, None, False),
            now=self._settings.fixed_now,
            vectors=self._open_vectors(state, folder),
        )
        return msgspec.structs.replace(workspace, refresh=lambda _: Refreshed(0, False))

    def find_stamp(self) -> str | None:
        """The name of the stamp that peers' vectors are compared with; None where nothing can
        be embedded here, which is noted."""
        vectors = self._vectors
        try:
            if vectors is None:
                folder = peers_folder(self._settings)
                vectors = load("open-vectors")(folder, self._settings, self._environ)
            vectors.check()
            stamp: str = vectors.stamp.format()
        except (PartMissing, ModelDamaged, RemoteError) as error:
            notice = load("note-unused-vectors")(error)
            self.notices[notice.code] = notice
            return None
        return stamp

    def _has_vectors(self, peer: Peer) -> bool:
        return (peer_home(self._settings, peer.address).folder / "vectors").is_dir()

    def _bring_vectors(self, opened: Opened, state: PeerState, *, embed: bool) -> PeerState:
        """Take over what the peer shares, make what is wanted, and say how its vectors
        compare."""
        step = load("bring-peer-vectors")(
            opened.workspace, state, embed=embed, is_hosted=load("is-hosted")(self._settings)
        )
        self.notices.update((one.code, one) for one in step.notices)
        now: PeerState = step.state
        return now

    def _open_vectors(self, state: PeerState, folder: Path) -> Any:
        if self._vectors is None or state.verdict not in USED:
            return None
        return Lazy(lambda: self._vectors.open_beside(folder / "vectors"))


def _open_cache(path: Path, peer: Peer) -> CacheReader | None:
    try:
        return open_reader(path, repository=peer.address)
    except Unfit:
        return None


def stamp_files(paths: Sequence[str]) -> str:
    """A text that changes with the times of files; one taken in the moment of a change says
    so, and equals no other."""
    parts, newest = [], 0
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - many, before every answer
        except (OSError, ValueError):
            parts.append("-")
            continue
        parts.append(f"{status.st_mtime_ns:x}.{status.st_size:x}.{status.st_ino:x}")
        newest = max(newest, status.st_mtime_ns)
    now_ns = time.time_ns()
    if now_ns - newest < RACY_NS:
        return f"{RACY}{now_ns}"
    return " ".join(parts)


def _list_watched(layout: Layout) -> list[str]:
    """What tells that a clone on this machine changed: its refs, and of a detached memory its
    spool and its own repository."""
    own = clone_paths(layout.common_dir)
    watched = [*list_watched(layout), str(own.config)]
    bare = discover(own.memory_git, {})
    if bare is not None:
        watched += list_watched(bare)
        watched += [str(own.spool), *(str(folder) for folder in _list_folders(own.spool))]
    return watched


def _list_folders(spool: Path) -> list[Path]:
    try:
        return sorted(path for path in spool.iterdir() if path.is_dir())
    except OSError:
        return []


def _measure(folder: Path) -> int:
    """Bytes of all files below a folder of ours."""
    total = 0
    for place, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(place, file)).st_size  # noqa: PTH118
            except OSError:
                continue
    return total
