"""This clone's own chain of commits: what it publishes, and how it grows.

Tree: `project.toml`, `remote_key`, `records/` (this clone's own), `default/records/` with
`default/commit` (the default branch's folder as last seen: the same blobs, stored once), and
`vectors/`, where they are shared (see `vector_tree`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from gitmem.core.records import Line
from gitmem.core.refnames import format_writer_ref
from gitmem.core.segments import build_segments
from gitmem.errors import Contended
from gitmem.ports.repository import ObjectReader, RefStore, TreeChange

ATTEMPTS = 10
VECTORS = "vectors"
"""The folder of what is shared beside records."""
# Continuous-integration hosts run nothing for a commit that says so.
MESSAGE = "gitmem: memory [skip ci]\n"


class DefaultFolder(msgspec.Struct, frozen=True):
    """The default branch's records tree as last seen, and the commit it was seen at."""

    commit: str
    records: str | None


class Publication(msgspec.Struct, frozen=True):
    """What the own ref is to carry beyond its records."""

    project_toml: bytes
    remote_key: str | None
    default: DefaultFolder | None


def extend_own_ref(
    objects: ObjectReader,
    refs: RefStore,
    writer: str,
    lines: Sequence[Line],
    publication: Publication,
    *,
    at_seconds: int,
) -> str | None:
    """Add records to this clone's chain, and bring what it says of the project up to date.

    The new tip, or the old one where nothing changed (None where there is still nothing to
    say). A process that moves the ref meanwhile is waited for: the commit is made anew on its
    tip. Raises Contended after 10 tries.
    """

    def plan(tip: str | None) -> Sequence[TreeChange]:
        return _changes(objects, tip, lines, publication)

    return change_own_ref(refs, writer, plan, at_seconds=at_seconds)


def change_own_ref(
    refs: RefStore,
    writer: str,
    plan: Callable[[str | None], Sequence[TreeChange]],
    *,
    at_seconds: int,
) -> str | None:
    """Add a commit to this clone's chain with what `plan` would change at its tip (None where
    there is none yet), unless that is nothing; the tip. Raises Contended after 10 tries."""
    ref = format_writer_ref(writer)
    for _ in range(ATTEMPTS):
        tip = refs.find_ref(ref)
        changes = plan(tip)
        if not changes:
            return tip
        commit = refs.write_commit(changes, parent=tip, message=MESSAGE, at_seconds=at_seconds)
        try:
            refs.update_ref(ref, commit, tip)
        except Contended:
            continue
        return commit
    raise Contended(f"{ref} is moved by other processes again and again")


def _changes(
    objects: ObjectReader, tip: str | None, lines: Sequence[Line], publication: Publication
) -> list[TreeChange]:
    changes = [
        TreeChange(f"records/{month}/{name}", data) for month, name, data in build_segments(lines)
    ]
    if tip is None and not changes:
        return []
    default = publication.default
    files = {"project.toml": publication.project_toml}
    if publication.remote_key is not None:
        files["remote_key"] = publication.remote_key.encode() + b"\n"
    for path, data in files.items():
        if tip is None or _read(objects, f"{tip}:{path}") != data:
            changes.append(TreeChange(path, data))
    if default is not None and default.records is not None:
        there = objects.find_oid(f"{tip}:default/records") if tip else None
        if there != default.records:
            changes.append(TreeChange("default/records", tree=default.records))
            changes.append(TreeChange("default/commit", default.commit.encode() + b"\n"))
    return changes


def _read(objects: ObjectReader, spec: str) -> bytes | None:
    oid = objects.find_oid(spec)
    if oid is None:
        return None
    return next(iter(objects.iter_blobs([oid], 1024 * 1024))).data
