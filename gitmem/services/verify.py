"""`verify`: the bytes against themselves, and the cache against the bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gitmem.core.records import Problem
from gitmem.services.catch_up import catch_up
from gitmem.services.workspace import Workspace
from gitmem.store.verify import verify_store

SHOWN_IDS = 20


class VerifyReport(msgspec.Struct, frozen=True, kw_only=True):
    """`records` counts good, distinct records; any problem means damage."""

    records: int
    segments: int
    problems: tuple[Problem, ...]
    by_place: dict[str, int]


def verify(
    workspace: Workspace, *, check_schema: Callable[[Any], list[str]] | None = None
) -> VerifyReport:
    """Read and check everything. With `check_schema` (strict), records are held against the
    published JSON Schemas too. Raises NoMemory."""
    memory = workspace.get_memory()
    verified = verify_store(memory, workspace.sources, workspace.present.head)
    problems = list(verified.problems)
    catch_up(workspace, with_history=False)
    held = workspace.records.get_held(verified.ids, workspace.place.worktree)
    missing = verified.ids - {one.record.id for one in held}
    problems.extend(
        Problem("cache", 0, "not-in-cache", "the cache lacks a record: gitmem cache rebuild", i)
        for i in sorted(missing)[:SHOWN_IDS]
    )
    if check_schema is not None:
        for one in held:
            if one.raw:
                problems.extend(
                    Problem(one.record.id, 0, "schema", text, one.record.id)
                    for text in check_schema(msgspec.json.decode(one.raw))
                )
    return VerifyReport(
        records=verified.records,
        segments=verified.segments,
        problems=tuple(problems),
        by_place=verified.by_place,
    )
