"""`init`: start a memory, or join the one that is there."""

from __future__ import annotations

import uuid
from pathlib import Path

import msgspec

from gitmem.core.refnames import FETCHED_PREFIX, OWN_PREFIX
from gitmem.core.remote_key import build_remote_key
from gitmem.errors import Refused, UsageError
from gitmem.ports.clock import Clock
from gitmem.ports.repository import ObjectReader
from gitmem.ports.worktree import WorkTree
from gitmem.store.default_branch import find_default_ref
from gitmem.store.durable import write_durably
from gitmem.store.folder import find_project
from gitmem.store.folder_writing import folder_files, write_folder
from gitmem.store.paths import FOLDER, ClonePaths
from gitmem.store.project_file import PROJECT_FILE, Project, parse_project
from gitmem.store.sources import Sources

MAX_PROJECT_BYTES = 1024 * 1024


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What `init` would do. `joins` says where an existing memory was found, or is None.
    `files` are the paths to write; `ignored_by` is the line that hides the folder from git."""

    project: Project
    detached: bool
    files: tuple[str, ...]
    joins: str | None = None
    ignored_by: str | None = None
    note: str | None = None


def plan_init(
    sources: Sources,
    tree: WorkTree,
    *,
    clock: Clock,
    work_tree: Path | None,
    clone: ClonePaths,
    is_shallow: bool,
    is_detached_already: bool,
    detached: bool,
) -> Plan:
    """Look, and write nothing.

    Raises Refused for another tool's folder, a symbolic link, and a shallow clone that would
    have to mint an identity from a root it does not have."""
    if is_detached_already and not detached:
        raise Refused(
            "this clone already has a detached memory",
            hint="Use it as it is: gitmem capture, gitmem push",
        )
    if work_tree is None and not detached:
        raise UsageError(
            "a bare repository has no work tree for a tracked folder",
            hint="Keep the memory outside the tree: gitmem init --detached",
        )
    found = find_existing(sources, work_tree)
    if found is not None:
        project, joins = found
        if detached:
            raise Refused(
                f"this project has a tracked memory ({joins}); a detached one beside it would "
                "split its decisions",
                hint="Join it: gitmem init",
            )
    else:
        project, joins = _mint(sources, clock, work_tree, is_shallow), None
    files: tuple[str, ...] = ()
    if not detached and work_tree is not None:
        files = tuple(path for path in folder_files(project) if not (work_tree / path).exists())
    ignored = None if detached else find_ignore_rule(tree)
    return Plan(project=project, detached=detached, files=files, joins=joins, ignored_by=ignored)


def carry_out(plan: Plan, *, work_tree: Path | None, clone: ClonePaths) -> list[str]:
    """Write what was planned; the paths written. Nothing is committed or staged."""
    if plan.detached:
        write_durably(clone.config, _detached_config(plan.project).encode())
        return [str(clone.config)]
    assert work_tree is not None
    return write_folder(work_tree, plan.project)


def find_existing(sources: Sources, work_tree: Path | None) -> tuple[Project, str] | None:
    """The memory that is there already, and where: in the work tree's folder, in HEAD, on the
    default branch, or on a writer's ref."""
    if work_tree is not None:
        project = find_project(work_tree)
        if project is not None:
            return project, "the folder .gitmem/"
    candidates = [("HEAD", f"HEAD:{PROJECT_FILE}")]
    default = find_default_ref(sources.refs, sources.settings)
    if default is not None:
        candidates.append((default.removeprefix("refs/"), f"{default}:{PROJECT_FILE}"))
    for ref in sorted(sources.refs.list_refs(OWN_PREFIX, FETCHED_PREFIX)):
        candidates.append((ref, f"{ref}:project.toml"))
    for name, spec in candidates:
        project = _project_at(sources.objects, spec)
        if project is not None:
            return project, name
    return None


def _project_at(objects: ObjectReader, spec: str) -> Project | None:
    oid = objects.find_oid(spec)
    if oid is None:
        return None
    for blob in objects.iter_blobs([oid], MAX_PROJECT_BYTES):
        if blob.data is not None:
            return parse_project(blob.data)
    return None


def _mint(sources: Sources, clock: Clock, work_tree: Path | None, is_shallow: bool) -> Project:
    if is_shallow:
        raise Refused(
            "a shallow clone does not have the project's first commit, which gives it its identity",
            hint="Get the whole history first: git fetch --unshallow",
        )
    roots = sources.objects.list_roots("HEAD")
    if roots:
        project_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"gitmem:root:{roots[0]}"))
    else:
        project_id = str(uuid.UUID(clock.random_hex(32), version=4))
    return Project(project_id, _name(sources, work_tree))


def _name(sources: Sources, work_tree: Path | None) -> str:
    remotes = sources.settings.list_remotes()
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    key = build_remote_key(url) if url else None
    text = key or url.rstrip("/").removesuffix("/.git").removesuffix(".git")
    if text:
        return text.replace("\\", "/").rsplit("/", 1)[-1]
    return work_tree.name if work_tree is not None else ""


def find_ignore_rule(tree: WorkTree) -> str | None:
    """The rule by which git would ignore a segment, were it added."""
    # A segment's own path is asked about: rules that name the extension count, too.
    return tree.find_ignore_rule(f"{FOLDER}/records/2026-01/{'a' * 26}.ndjson")


def _detached_config(project: Project) -> str:
    return (
        "# This clone's settings for gitmem; never committed.\n"
        "[memory]\n"
        "# The memory is kept outside the repository's tree, in memory.git beside this file.\n"
        "detached = true\n"
        f'project_id = "{project.project_id}"\n'
        "\n"
        "# [sync]\n"
        "# Where `gitmem push` sends it: any git address. It never falls back to origin.\n"
        '# remote = "git@example.com:me/private-memory.git"\n'
    )
