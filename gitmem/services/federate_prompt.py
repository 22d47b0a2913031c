"""Excerpts for a prompt from peers that were added for it: words and links, and no waiting."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.peers import Peer
from gitmem.errors import GitmemError
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.federate_recall import MOST_FROM_ONE, cut_pool
from gitmem.services.injection import is_injectable
from gitmem.services.recall import Excerpt, RecallOptions, recall
from gitmem.services.workspace import Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation


def add_peers_excerpts(
    workspace: Workspace,
    federation: Federation,
    question: str,
    own: Sequence[Excerpt],
    options: RecallOptions,
    seen: Collection[str],
    *,
    peer_timeout_ms: int,
) -> list[Excerpt]:
    """This memory's excerpts with those of peers that may be injected, within the options'
    limits: all firsts, this memory's before the others', then all seconds, and so on. Each
    peer's must come as near to the question as one's own. Who keeps silent is not missed."""
    asker = PeerAsker(workspace, federation, peer_timeout_ms)
    try:
        asker.bring_in_step()
    except GitmemError:
        return list(own)
    columns = [list(own)]
    for peer in asker.list_asked():
        if peer.inject:
            ask = partial(_ask_one, federation, peer, question, options, seen)
            columns.append(asker.attempt(peer, ask) or [])
    pooled: dict[str, Excerpt] = {}
    for row in zip_longest(*columns):
        for excerpt in row:
            if excerpt is not None:
                pooled.setdefault(excerpt.key, excerpt)
    others = {one.hit.id or "": one.key for one in pooled.values() if one.hit.project != "."}
    if not others:
        return list(own)
    for held in workspace.records.get_held(list(others), workspace.place.worktree):
        del pooled[others[held.record.id]]
    return cut_pool(workspace, question, list(pooled.values())[: options.limit], options.max_tokens)


def _ask_one(
    federation: Federation,
    peer: Peer,
    question: str,
    options: RecallOptions,
    seen: Collection[str],
) -> list[Excerpt]:
    asked = msgspec.structs.replace(
        options, kinds=("record",), limit=min(options.limit, MOST_FROM_ONE), rankers=()
    )
    with federation.open(peer) as opened:
        found = recall(opened, question, asked, seen)
    named = [
        msgspec.structs.replace(one, hit=msgspec.structs.replace(one.hit, project=peer.alias))
        for one in found.excerpts
    ]
    return [
        one
        for one in named
        if is_injectable(one.hit, (peer.alias,)) and one.hit.state in ("current", "conflict")
    ]
