"""Open a repository for one command: the hot wiring, with no process started until needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gitmem.app.adapters import Lazy, load
from gitmem.app.cache_file import open_cache_for, remember_project, reopen_cache
from gitmem.app.clock import SystemClock
from gitmem.app.wiring import Ports
from gitmem.cache.opening import CacheReader
from gitmem.config import Settings, read_settings
from gitmem.errors import ForeignFolder, NoRepository
from gitmem.git.files import (
    Layout,
    discover,
    estimate_objects,
    fingerprint_refs,
    is_owned_by_us,
    read_head,
)
from gitmem.services.workspace import Place, Workspace
from gitmem.store.folder import check_folder, find_project
from gitmem.store.paths import ClonePaths, Memory, clone_paths, spool_folder_name
from gitmem.store.project_file import Project
from gitmem.store.sources import Sources
from gitmem.store.stamps import RACY, RACY_NS, Present

# Beyond this many objects the history is indexed in the background: git alone would take
# longer than a person waits for an answer.
LARGE_OBJECTS = 200_000

Report = Callable[[str, int, int], None]


def say_nothing(what: str, done: int, total: int) -> None:
    """The progress report of whoever watches none."""


class Opened(msgspec.Struct):
    """A repository, open. `project` is None where there is no memory."""

    workspace: Workspace
    layout: Layout
    settings: Settings
    project: Project | None
    cache: CacheReader
    closing: list[Callable[[], None]]
    environ: Mapping[str, str]
    report: Report
    cwd: Path

    def close(self) -> None:
        for close in self.closing:
            close()

    def has_peers(self, asked: bool | None = None) -> bool:
        """Whether other projects answer, too: one look for the registry of peers. `asked` is
        what this question says, which wins over the settings."""
        is_on = self.settings.federation_is_enabled if asked is None else asked
        file = self.settings.peers_file
        return is_on and file is not None and file.is_file()

    def reopen(self) -> Workspace:
        """The same repository as it is now, over the same cache."""
        fresh = _open(self.cwd, self.environ, self.report, before=self)
        self.closing.extend(fresh.closing)
        return fresh.workspace


def open_repository(
    cwd: Path, environ: Mapping[str, str], *, report: Report = say_nothing, heavy: bool = False
) -> Opened:
    """Open the repository that holds `cwd`. `heavy` chooses the object reader for commands
    that read everything. Raises NoRepository, and what reading the memory's folder raises."""
    return _open(cwd, environ, report, heavy=heavy)


def _open(
    cwd: Path,
    environ: Mapping[str, str],
    report: Report,
    *,
    before: Opened | None = None,
    heavy: bool = False,
) -> Opened:
    """`before` is the same repository opened earlier: its cache, and what git's configuration
    said, are taken over."""
    layout, git, settings = _find_repository(cwd, environ)
    clone = clone_paths(layout.common_dir)
    ports = Ports(layout, git, clone, environ, is_detached=settings.is_detached, heavy=heavy)
    cache: CacheReader | None = None
    if before is not None:
        cache = before.cache
        ports.keep_settings(before.workspace.sources)
    present, branch = _look(layout, ports, settings, clone)
    closing: list[Callable[[], None]] = [
        ports.sources.objects.close,
        ports.sources.memory_objects.close,
    ]
    if cache is None:
        cache = open_cache_for(layout.common_dir, clone, settings)
        closing.append(cache.close)
    project, memory, refusal = None, None, None
    try:
        project = _find_project(layout, settings, ports.sources, cache, present)
        if project is not None:
            memory = _open_memory(layout, settings, clone, project)
    except ForeignFolder as error:
        refusal = error
    if memory is not None and remember_project(cache, memory.project_id):
        cache = reopen_cache(cache, layout.common_dir, clone, settings)
        closing.append(cache.close)
        remember_project(cache, memory.project_id)
    workspace = Workspace(
        place=_place(cwd, layout, branch),
        clone=clone,
        memory=memory,
        present=present,
        sources=ports.sources,
        history=ports.history,
        ranges=ports.ranges,
        tree=ports.tree,
        clock=SystemClock(settings.fixed_now),
        refresh=lambda workspace: load("refresh")(workspace),
        grow=lambda workspace: load("grow")(workspace),
        is_large=lambda: estimate_objects(layout) > LARGE_OBJECTS,
        grow_in_background=lambda: (
            settings.history_background and bool(load("background")(cwd, clone.home, environ))
        ),
        report=report,
        **_finding(layout, clone, settings, environ),
        **derive_ports(cache),
        refusal=refusal,
        share=settings.share_agents,
    )
    return Opened(workspace, layout, settings, project, cache, closing, environ, report, cwd)


def _finding(
    layout: Layout, clone: ClonePaths, settings: Settings, environ: Mapping[str, str]
) -> dict[str, Any]:
    """What finds documents beside the cache, loaded on first use."""
    return {
        "vaults": lambda: load("open-vaults")(layout.work_tree, settings, environ),
        "vectors": Lazy(lambda: load("open-vectors")(clone.home, settings, environ)),
        "reranker": Lazy(lambda: load("open-reranker")(settings, environ)),
    }


def derive_ports(cache: CacheReader) -> dict[str, Any]:
    """What the cache answers and takes; all but the hot answers loaded on first use."""
    return {
        "facts": cache.facts,
        "records": cache.records,
        "commits": cache.queries,
        "projection": Lazy(lambda: load("cache-projection")(cache.db, cache.paths)),
        "range_records": Lazy(lambda: load("cache-range-records")(cache.db)),
        "growth": Lazy(lambda: load("cache-commits")(cache.db, cache.paths)),
        "notes": Lazy(lambda: load("cache-notes")(cache.db)),
        "text": Lazy(lambda: load("cache-full-text")(cache.db)),
        "links": Lazy(lambda: load("cache-links")(cache.db)),
        "documents": Lazy(lambda: load("cache-documents")(cache.db)),
        "segment_records": Lazy(lambda: load("cache-segment-records")(cache.db)),
    }


def _find_repository(cwd: Path, environ: Mapping[str, str]) -> tuple[Layout, Any, Settings]:
    """The repository that holds a folder, git for it, not started yet, and its settings."""
    layout = discover(cwd, environ)
    if layout is None:
        raise NoRepository(f"no git repository here or above: {cwd}")
    git = Lazy(lambda: load("git")(layout.git_dir, layout.work_tree, environ))
    if not is_owned_by_us(layout, environ):
        git.check_trusted()
    settings = read_settings(
        clone_file=clone_paths(layout.common_dir).config,
        project_file=layout.work_tree / ".gitmem" / "project.toml" if layout.work_tree else None,
        environ=environ,
    )
    return layout, git, settings


def _place(cwd: Path, layout: Layout, branch: str | None) -> Place:
    worktree = spool_folder_name(layout.worktree_name)
    return Place(cwd, layout.work_tree, worktree, branch, layout.is_shallow)


def _open_memory(layout: Layout, settings: Settings, clone: ClonePaths, project: Project) -> Memory:
    folder = None
    if layout.work_tree is not None and not settings.is_detached:
        folder = check_folder(layout.work_tree)
    worktree = spool_folder_name(layout.worktree_name)
    return Memory(clone, project.project_id, worktree, folder, settings.is_detached)


def _look(
    layout: Layout, ports: Ports, settings: Settings, clone: ClonePaths
) -> tuple[Present, str | None]:
    """HEAD and refs as they are now, and the branch."""
    head = read_head(layout)
    if head is None:
        symbolic = ports.sources.refs.find_symbolic("HEAD")
        branch = symbolic.removeprefix("refs/heads/") if symbolic else None
        oid = ports.sources.objects.find_commit("HEAD")
    else:
        oid, branch = head.oid, head.branch
    now_ns = time.time_ns()
    refs = fingerprint_refs(layout)
    text, newest = refs.text, refs.newest_mtime_ns
    if settings.is_detached:
        bare = discover(clone.memory_git, {})
        if bare is not None:
            own = fingerprint_refs(bare)
            text, newest = f"{text} {own.text}", max(newest, own.newest_mtime_ns)
    if now_ns - newest < RACY_NS:
        text = f"{RACY}{now_ns} {text}"
    return Present(oid, text, now_ns), branch


def _find_project(
    layout: Layout, settings: Settings, sources: Sources, cache: CacheReader, present: Present
) -> Project | None:
    """The project of the folder in the work tree; else, as in a fresh clone whose branch lacks
    the folder, the one that a commit or ref knows, which starts git."""
    if settings.is_detached:
        folder = layout.work_tree or layout.common_dir
        return Project(settings.detached_project_id or "", folder.name.removesuffix(".git"))
    if layout.work_tree is not None:
        project = find_project(layout.work_tree)
        if project is not None:
            return project
    return search_project(sources, cache, present)


def search_project(sources: Sources, cache: CacheReader, present: Present) -> Project | None:
    """The project that a commit or ref knows, remembered for as long as HEAD and refs stay."""
    key = f"{present.head} {present.refs_fingerprint}"
    known, _, rest = (cache.facts.get_memo("project-search") or "").partition("\n")
    if known == key:
        project_id, _, name = rest.partition("\n")
        return Project(project_id, name) if project_id else None
    found = load("find-existing")(sources, None)
    value = f"{found[0].project_id}\n{found[0].name}" if found else ""
    cache.facts.set_memo("project-search", f"{key}\n{value}")
    return found[0] if found else None
