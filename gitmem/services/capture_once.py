"""Capture what may be said twice: the same words about the same files are one decision."""

from __future__ import annotations

import hashlib

import msgspec

from gitmem.services.capture import Captured, Draft, capture
from gitmem.services.catch_up import catch_up
from gitmem.services.hits import find_hits
from gitmem.services.workspace import Workspace


class Once(msgspec.Struct, frozen=True):
    """`is_repeated`: it was there already, and nothing was added."""

    captured: Captured
    is_repeated: bool


def capture_once(workspace: Workspace, draft: Draft) -> Once:
    """Keep a decision unless the memory has the very same, by the key that is made of what it
    says. One that was withdrawn is said again. Raises what `capture` raises."""
    catch_up(workspace, with_history=False)
    key = _key(draft)
    known = find_hits(workspace, workspace.records.list_by_key(key))
    standing = [hit for hit in known if hit.state in ("current", "conflict", "superseded")]
    if standing and standing[0].id:
        hit = standing[0]
        return Once(
            Captured(
                id=hit.id or "",
                summary=hit.summary,
                type=hit.type or "",
                paths=tuple(ref.path for ref in hit.paths),
                private=hit.where == "private",
            ),
            is_repeated=True,
        )
    return Once(capture(workspace, msgspec.structs.replace(draft, key=key)), is_repeated=False)


def _key(draft: Draft) -> str:
    """16 hexadecimal digits of a hash over all that the draft says."""
    return hashlib.sha256(msgspec.json.encode(draft)).hexdigest()[:16]
