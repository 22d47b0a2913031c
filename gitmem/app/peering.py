"""Opening a peer, read-only: a clone on this machine, or a mirror of ours of one that is not."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gitmem.app.adapters import Lazy, load
from gitmem.app.cache_file import remember_project
from gitmem.app.clock import SystemClock
from gitmem.app.opening import Opened, Report, derive_ports, say_nothing, search_project
from gitmem.app.wiring import Ports
from gitmem.cache.building import discard_cache, open_cache
from gitmem.cache.opening import CacheReader
from gitmem.config import Settings, read_settings
from gitmem.core.peers import Peer
from gitmem.errors import CannotWrite, NoMemory, NoRepository, PartMissing
from gitmem.git.files import Layout, discover, fingerprint_refs, is_owned_by_us
from gitmem.services.workspace import Place, Workspace
from gitmem.store.default_branch import find_default_ref
from gitmem.store.paths import Memory, clone_paths
from gitmem.store.peer_union import PeerPaths, PeerRefs, PeerSettings, read_only
from gitmem.store.project_file import Project
from gitmem.store.sources import Sources
from gitmem.store.stamps import RACY, RACY_NS, Present

WORKTREE = "main"
# Reading a peer's objects must neither fetch into it nor follow its settings to a program.
_NO_FETCHING = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


class PeerHome(msgspec.Struct, frozen=True):
    """What we keep of one peer: under the user's cache folder, named by its address."""

    folder: Path

    @property
    def cache(self) -> Path:
        return self.folder / "cache.db"

    @property
    def mirror(self) -> Path:
        return self.folder / "mirror.git"


def peers_folder(settings: Settings) -> Path:
    """The folder of all that is kept of peers. Raises CannotWrite where there is no home."""
    if settings.cache_home is None:
        raise CannotWrite("there is no folder for what is kept of peers: set XDG_CACHE_HOME")
    return settings.cache_home / "peers"


def peer_home(settings: Settings, address: str) -> PeerHome:
    digest = hashlib.sha256(os.fsencode(address)).hexdigest()[:32]
    return PeerHome(peers_folder(settings) / digest)


def find_peer_layout(peer: Peer, settings: Settings) -> Layout:
    """The repository that a peer is read from. Raises NoRepository where it is gone, or not
    fetched yet."""
    place = Path(peer.address) if peer.is_path else peer_home(settings, peer.address).mirror
    # Nothing above it is meant: a folder that is gone may lie in another repository.
    layout = discover(place, {"GIT_CEILING_DIRECTORIES": str(place.parent)})
    if layout is None:
        if peer.is_path:
            raise NoRepository(
                f"there is no repository at {peer.address} any more",
                hint=f"Forget it: gitmem peers rm {peer.alias}",
            )
        raise NoRepository(
            f"nothing of {peer.alias} was fetched yet",
            hint=f"Fetch it: gitmem peers pull {peer.alias}",
        )
    return layout


def open_peer(
    peer: Peer,
    settings: Settings,
    environ: Mapping[str, str],
    cwd: Path,
    *,
    report: Report = say_nothing,
    heavy: bool = False,
) -> Opened:
    """Open a peer as if one stood in it, to be read. Raises NoRepository, what reading its
    memory raises, and CannotWrite where no projection of it can be kept."""
    layout = find_peer_layout(peer, settings)
    environ = {**environ, **_NO_FETCHING}
    git = Lazy(lambda: load("git")(layout.git_dir, None, environ))
    if not is_owned_by_us(layout, {**environ, "GIT_DIR": ""}):
        load("git")(layout.git_dir, layout.work_tree, environ).check_trusted()
    own = clone_paths(layout.common_dir)
    said = read_settings(clone_file=own.config, project_file=None, environ={})
    home = peer_home(settings, peer.address)
    origin = own.home if said.is_detached else None
    paths = PeerPaths(home.folder / "clone", origin)
    ports = Ports(layout, git, paths, environ, is_detached=said.is_detached, heavy=heavy)
    sources = _only_reading(ports.sources, is_detached=said.is_detached)
    cache = open_cache(home.cache, repository=peer.address)
    closing = [sources.objects.close, sources.memory_objects.close, cache.close]
    present, branch = _look(layout, sources, said, paths)
    project = _find_project(layout, said, sources, cache, present)
    memory = None
    if project is not None:
        if remember_project(cache, project.project_id):
            cache.close()
            discard_cache(home.cache)
            cache = open_cache(home.cache, repository=peer.address)
            closing.append(cache.close)
            remember_project(cache, project.project_id)
        memory = Memory(paths, project.project_id, WORKTREE, None, said.is_detached)
    workspace = build_workspace(
        cache,
        sources,
        memory,
        present,
        place=Place(cwd, None, WORKTREE, branch, layout.is_shallow),
        now=settings.fixed_now,
        report=report,
        history=None if layout.format.is_partial_clone else ports.history,
        ranges=ports.ranges,
        vectors=_open_vectors(home, settings, environ, is_wanted=heavy),
    )
    inside = msgspec.structs.replace(
        settings, is_detached=said.is_detached, federation_is_enabled=False, unknown=()
    )
    return Opened(workspace, layout, inside, project, cache, closing, environ, report, cwd)


def _only_reading(sources: Sources, *, is_detached: bool) -> Sources:
    """The ports of a peer's repository, of which none writes."""
    refs = PeerRefs(sources.refs)
    return msgspec.structs.replace(
        sources,
        refs=refs,
        settings=PeerSettings(sources.settings),
        memory_refs=PeerRefs(sources.memory_refs) if is_detached else refs,
    )


def build_workspace(
    cache: CacheReader,
    sources: Sources,
    memory: Memory | None,
    present: Present,
    *,
    place: Place,
    now: str | None,
    report: Report = say_nothing,
    history: object = None,
    ranges: object = None,
    vectors: object = None,
) -> Workspace:
    """A peer's workspace over our projection of it; without `history` its commits are not
    read."""
    return Workspace(
        place=place,
        clone=memory.clone if memory is not None else PeerPaths(place.cwd / "no-clone"),
        memory=memory,
        present=present,
        sources=sources,
        ranges=ranges or Lazy(_refuse),  # type: ignore[arg-type]
        history=history or Lazy(lambda: load("history-none")()),  # type: ignore[arg-type]
        tree=Lazy(_refuse),
        clock=SystemClock(now),
        refresh=lambda workspace: load("refresh-peer")(workspace),
        grow=lambda workspace: load("grow")(workspace) if history is not None else 0,
        is_large=lambda: False,
        grow_in_background=lambda: False,
        report=report,
        vaults=lambda: (),
        vectors=vectors or Lazy(_refuse_vectors),  # type: ignore[arg-type]
        reranker=Lazy(_refuse_vectors),
        **derive_ports(cache),
    )


def _open_vectors(
    home: PeerHome, settings: Settings, environ: Mapping[str, str], *, is_wanted: bool
) -> object:
    """The vectors of a peer, which lie beside our projection of it; None where there are none
    and nobody is about to make some."""
    if not is_wanted and not (home.folder / "vectors").is_dir():
        return None
    return Lazy(lambda: load("open-vectors")(home.folder, settings, environ))


def _refuse() -> object:
    raise read_only()


def _refuse_vectors() -> object:
    raise PartMissing(
        "there are no vectors of this peer", hint="Make them: gitmem peers pull ALIAS --embed"
    )


def _look(
    layout: Layout, sources: Sources, said: Settings, paths: PeerPaths
) -> tuple[Present, str | None]:
    """The commit of the default branch, the state of all refs, and that branch's name."""
    default = None
    if not said.is_detached:
        default = find_default_ref(sources.refs, sources.settings)
    head = sources.refs.find_ref(default) if default is not None else None
    now_ns = time.time_ns()
    refs = fingerprint_refs(layout)
    text, newest = refs.text, refs.newest_mtime_ns
    if said.is_detached:
        bare = discover(paths.memory_git, {})
        if bare is not None:
            own = fingerprint_refs(bare)
            text, newest = f"{text} {own.text}", max(newest, own.newest_mtime_ns)
    if now_ns - newest < RACY_NS:
        text = f"{RACY}{now_ns} {text}"
    return Present(head, text, now_ns), (default or "").rpartition("/")[2] or None


def _find_project(
    layout: Layout, said: Settings, sources: Sources, cache: CacheReader, present: Present
) -> Project | None:
    """Whose memory it is."""
    if said.is_detached:
        folder = layout.work_tree or layout.common_dir
        return Project(said.detached_project_id or "", folder.name.removesuffix(".git"))
    return search_project(sources, cache, present)


def no_memory(peer: Peer) -> NoMemory:
    return NoMemory(
        f"the peer {peer.alias} has no memory yet",
        hint="Its owner starts one with: gitmem init",
    )
