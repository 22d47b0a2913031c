"""Say it better: a new record that takes an older one's place."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitmem.core.records import PathRef
from gitmem.errors import NotFound, Refused
from gitmem.services.capture import (
    Captured,
    Draft,
    capture,
    find_last_pending,
)
from gitmem.services.catch_up import catch_up
from gitmem.services.hits import Hit, find_hits
from gitmem.services.paths import resolve_id
from gitmem.services.workspace import Workspace

__all__ = [
    "draft_of",
    "edit",
    "find_last_pending",
    "get_editable",
    "list_paths_of",
    "supersede",
]


def get_editable(workspace: Workspace, prefix: str) -> tuple[Hit, str]:
    """The decision to edit and its key. Raises NotFound, Ambiguous, Refused."""
    workspace.get_memory()
    catch_up(workspace, with_history=False)
    record_id = resolve_id(workspace, prefix)
    held = workspace.records.get_held([record_id], workspace.place.worktree)
    hits = find_hits(workspace, [record_id])
    if not hits or not held:
        raise NotFound(f"no record {prefix} is in this memory any more")
    key = getattr(held[0].record, "key", None)
    if hits[0].kind != "decision" or hits[0].state == "redacted" or key is None:
        raise Refused(f"{prefix} is a {hits[0].kind} that cannot be edited")
    return hits[0], key


def draft_of(hit: Hit) -> Draft:
    """The draft that would say what a decision says."""
    return Draft(
        summary=hit.summary,
        why=hit.why,
        type=hit.type or "decision",
        rejected=hit.rejected,
        paths=hit.paths,
        tags=hit.tags,
        is_private=hit.where == "private",
    )


def edit(workspace: Workspace, hit: Hit, key: str, draft: Draft) -> Captured:
    """Keep an edited decision: same key, superseding the one it was made of. Unchanged, it
    does nothing and says so by giving the old id."""
    if draft == draft_of(hit):
        return Captured(
            id=hit.id or "",
            summary=hit.summary,
            type=hit.type or "decision",
            paths=tuple(ref.path for ref in hit.paths),
            private=hit.where == "private",
        )
    changed = msgspec.structs.replace(draft, key=key, supersedes=(hit.id or "",))
    return capture(workspace, changed)


def supersede(workspace: Workspace, prefix: str, draft: Draft) -> Captured:
    """Capture a new decision in place of an older one; its paths are the old one's unless
    the draft names others."""
    hit, _ = get_editable(workspace, prefix)
    changed = msgspec.structs.replace(
        draft,
        supersedes=(hit.id or "", *draft.supersedes),
        paths=draft.paths or hit.paths,
        is_private=draft.is_private or hit.where == "private",
    )
    return capture(workspace, changed)


def list_paths_of(workspace: Workspace, ids: Sequence[str]) -> list[PathRef]:
    """What these decisions are about: what takes their place is about that, too."""
    return [ref for hit in find_hits(workspace, ids) for ref in hit.paths]
