"""Decisions of peers in the list of decisions, by their time, within the list's limit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.paths import fold_path
from gitmem.core.peers import Peer
from gitmem.core.timestamps import format_at
from gitmem.errors import GitmemError
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.browse import Listing
from gitmem.services.hits import Hit, find_hits
from gitmem.services.targets import resolve_target
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation


def span_log(
    workspace: Workspace,
    listing: Listing,
    path: str | None,
    federation: Federation,
    *,
    limit: int,
    peer_timeout_ms: int,
) -> Listing:
    """The list with what peers decided, of everything or of a path. This memory's keeps its
    order; a time that has not come yet counts as now."""
    name = fold_path(resolve_target(workspace, path).name) if path is not None else None
    asker = PeerAsker(workspace, federation, peer_timeout_ms)
    try:
        asker.bring_in_step()
    except GitmemError as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return msgspec.structs.replace(listing, notices=(*listing.notices, notice))
    found: dict[str | None, Hit] = {}
    total = listing.total
    for peer in asker.list_asked():
        answer = asker.attempt(peer, partial(_ask_one, federation, peer, name, limit))
        if answer is not None:
            total += answer[1]
            found = {**{hit.id: hit for hit in answer[0]}, **found}
    ids = [hit_id for hit_id in found if hit_id is not None]
    if workspace.memory is not None and ids:
        for one in workspace.records.get_held(ids, workspace.place.worktree):
            del found[one.record.id]
            total -= 1
    now = format_at(workspace.clock.now_ms())
    merged = _merge(list(listing.hits), list(found.values()), now)
    return Listing(
        hits=tuple(merged[:limit]),
        total=max(total, len(merged)),
        notices=(*listing.notices, *asker.list_notices()),
    )


def _ask_one(
    federation: Federation, peer: Peer, name: str | None, limit: int
) -> tuple[list[Hit], int]:
    with federation.open(peer) as opened:
        records = opened.records
        if name is None:
            ids, total = records.list_recent(limit=limit, kind="decision")
        else:
            ids, total = records.list_by_paths([name], limit=limit)
        hits = find_hits(opened, ids)
        return [msgspec.structs.replace(hit, project=peer.alias) for hit in hits], total


def _merge(own: list[Hit], others: list[Hit], now: str) -> list[Hit]:
    """Each of the others goes before the first of one's own that is older."""
    others.sort(key=lambda hit: (hit.project, hit.id or ""))
    others.sort(key=lambda hit: min(hit.at, now), reverse=True)
    merged: list[Hit] = []
    waiting = iter(others)
    other = next(waiting, None)
    for hit in own:
        while other is not None and min(other.at, now) > min(hit.at, now):
            merged.append(other)
            other = next(waiting, None)
        merged.append(hit)
    while other is not None:
        merged.append(other)
        other = next(waiting, None)
    return merged
