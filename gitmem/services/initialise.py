"""`init`: start a memory, or join the one that is there."""

from __future__ import annotations

import uuid
from collections import Counter
from pathlib import Path

import msgspec

from gitmem.core.refnames import FETCHED_PREFIX, OWN_PREFIX
from gitmem.core.remote_key import build_remote_key
from gitmem.errors import Damaged, ForeignFolder, NewerFormat, Refused, UsageError
from gitmem.ports.clock import Clock
from gitmem.ports.repository import ObjectReader
from gitmem.ports.worktree import WorkTree
from gitmem.store.default_branch import find_default_ref
from gitmem.store.durable import write_durably
from gitmem.store.folder import find_project
from gitmem.store.folder_writing import folder_files, write_folder
from gitmem.store.paths import FOLDER, ClonePaths
from gitmem.store.project_file import PROJECT_NAME, Project, parse_project
from gitmem.store.sources import Sources

MAX_PROJECT_BYTES = 1024 * 1024
MAX_SAID_BYTES = 16 * 1024
"""Nobody vouches for a writer, and reading what it says takes time."""


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
    found = _find_beside(sources, work_tree) if detached else find_existing(sources, work_tree)
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
        write_durably(clone.config, _detached_config(_read_config(clone), plan.project))
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
    tips = [("HEAD", "HEAD")]
    default = find_default_ref(sources.refs, sources.settings)
    if default is not None:
        tips.append((default.removeprefix("refs/"), default))
    for name, tip in tips:
        data = _read_file(sources.objects, f"{tip}:{FOLDER}", PROJECT_NAME)
        if data is not None:
            try:
                return parse_project(data), name
            except ForeignFolder:
                continue
    return _find_by_ref(sources)


def _find_beside(sources: Sources, work_tree: Path | None) -> tuple[Project, str] | None:
    """The same for a detached memory, which another tool's folder does not hinder."""
    try:
        return find_existing(sources, work_tree)
    except ForeignFolder:
        return find_existing(sources, None)


def _find_by_ref(sources: Sources) -> tuple[Project, str] | None:
    """What writers say. Nobody vouches for a writer, so the identity that this history gives
    leads, then what most of them say; one that says nonsense is passed over."""
    said: list[tuple[Project, str]] = []
    # Thousands of writers of one project say the same: it is read once.
    known: dict[bytes, Project | None] = {}
    for ref in sorted(sources.refs.list_refs(OWN_PREFIX, FETCHED_PREFIX)):
        data = _read_file(sources.objects, ref, PROJECT_NAME) or b""
        if data not in known:
            known[data] = _parse_said(data)
        project = known[data]
        if project is not None:
            said.append((project, ref))
    if not said:
        return None
    rooted = _rooted_id(sources)
    votes = Counter(project.project_id for project, _ in said)
    return min(said, key=lambda s: (s[0].project_id != rooted, -votes[s[0].project_id]))


def _parse_said(data: bytes) -> Project | None:
    if len(data) > MAX_SAID_BYTES:
        return None
    try:
        return parse_project(data)
    except (ForeignFolder, Damaged, NewerFormat):
        return None


def _read_file(objects: ObjectReader, folder: str, name: str) -> bytes | None:
    """A file of a tree; None where there is none, or a link stands there."""
    oid = objects.find_oid(folder)
    if oid is None:
        return None
    try:
        entries = objects.list_tree(oid)
    except Damaged:
        return None  # a file or a link stands where the folder should be
    found = [e.oid for e in entries if e.name == name.encode() and e.kind == "blob"]
    return next((b.data for b in objects.iter_blobs(found, MAX_PROJECT_BYTES)), None)


def _rooted_id(sources: Sources) -> str | None:
    """The identity that the history of HEAD gives; None before the first commit."""
    head = sources.objects.find_commit("HEAD")
    roots = sources.objects.list_roots(head) if head is not None else []
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"gitmem:root:{roots[0]}")) if roots else None


def _mint(sources: Sources, clock: Clock, work_tree: Path | None, is_shallow: bool) -> Project:
    if is_shallow:
        raise Refused(
            "a shallow clone does not have the project's first commit, which gives it its identity",
            hint="Get the whole history first: git fetch --unshallow",
        )
    project_id = _rooted_id(sources) or str(uuid.UUID(clock.random_hex(32), version=4))
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


def _read_config(clone: ClonePaths) -> bytes:
    """What this clone's settings say already. Raises Refused where they speak of a memory."""
    try:
        data = clone.config.read_bytes()
    except FileNotFoundError:
        return b""
    if b"[memory]" in data:
        raise Refused(
            f"{clone.config} has a [memory] section already",
            hint="Take that section out, and run this again: gitmem init --detached",
        )
    return data.rstrip() + b"\n\n"


def _detached_config(existing: bytes, project: Project) -> bytes:
    text = (
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
    return existing + text.encode()
