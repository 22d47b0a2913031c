"""Excerpts from peers, too: each peer's full text gives candidates, one BM25 orders the pool.

Scores of separate indexes cannot be compared; cosines under one stamp can, and have their say
where peers have vectors of ours. What this memory found keeps its own order, which
meaning and links made; the pool decides at which places peers' records stand among it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.excerpts import count_tokens, cut_text, find_roots, share_budget
from gitmem.core.peer_verdicts import USED
from gitmem.core.peers import Peer
from gitmem.core.pool_order import order_pool
from gitmem.core.ranking import Passage, format_key, identity_of
from gitmem.errors import Damaged, GitmemError, PartMissing, RemoteError
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.documents import format_text
from gitmem.services.hits import Hit, find_hits
from gitmem.services.recall import Excerpt
from gitmem.services.standing import describe_standing
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation
    from gitmem.ports.retrieval import Reranker

UNRANKED = Notice(
    "pool-unranked",
    "peers' records stand among this memory's by rank alone, because the search extra is not "
    "installed: pip install gitmem-sync[search]",
)
MOST_FROM_ONE = 8
OWN_NEAR = 64
"""Of so many records of this memory it is known how near they are to the question."""


class Pooled(msgspec.Struct, frozen=True):
    """Excerpts of this memory and of peers, best first, and who kept silent."""

    excerpts: tuple[Excerpt, ...]
    notices: tuple[Notice, ...]


def span_excerpts(
    workspace: Workspace,
    question: str,
    own: Sequence[Excerpt],
    federation: Federation,
    reranker: Reranker,
    *,
    limit: int,
    max_tokens: int,
    peer_timeout_ms: int,
    is_floored: bool = False,
    seen: Collection[str] = (),
) -> Pooled:
    """Put what peers say among what was found here; both limits apply after that. `is_floored`:
    what only meaning finds must be as near as the measured gate asks for. `seen` are keys of
    excerpts that are not wanted again."""
    asker = PeerAsker(workspace, federation, peer_timeout_ms)
    try:
        asker.bring_in_step()
    except GitmemError as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return Pooled(tuple(own), (notice,))
    _prepare(workspace, question, federation, asker)
    most = max(1, min(limit, MOST_FROM_ONE))
    ranked: list[list[Hit]] = []
    near: dict[str, float] = {}

    def ask(peer: Peer) -> tuple[list[Hit], dict[str, float]]:
        with federation.open(peer) as opened:
            return _ask_one(opened, peer, question, most, is_floored=is_floored)

    for peer in asker.list_asked():
        found = asker.attempt(peer, partial(ask, peer))
        hits_of_one, near_of_one = found or ([], {})
        ranked.append(hits_of_one)
        near.update(near_of_one)
    known = _drop_known(workspace, ranked, own)
    hits = {key: hit for key, hit in known.items() if key not in seen}
    notices = asker.list_notices()
    if not hits:
        return Pooled(tuple(own), tuple(notices))
    try:
        order = _pool(question, own, hits, reranker, _add_own(workspace, question, near))
    except PartMissing:
        order = _interleave(own, ranked, hits)
        notices.append(UNRANKED)
    shown = cut_pool(workspace, question, order[:limit], max_tokens)
    return Pooled(tuple(shown), tuple(notices))


def _prepare(workspace: Workspace, question: str, federation: Federation, asker: PeerAsker) -> None:
    """Load the model, where a peer's vectors need it, before anybody's time is counted."""
    states = federation.list_states()
    asked = [states.get(peer.address) for peer in asker.list_asked()]
    if any(state is not None and state.verdict in USED for state in asked):
        with suppress(PartMissing, Damaged, RemoteError):
            workspace.vectors.prepare(question)


def _ask_one(
    opened: Workspace, peer: Peer, question: str, most: int, *, is_floored: bool
) -> tuple[list[Hit], dict[str, float]]:
    """A peer's best records by its own full text and, where it has vectors of our stamp, by
    what they mean, of those that stand; and key → cosine of the latter."""
    near: dict[str, float] = {}
    keys = [one.key for one in opened.text.rank(question, kinds=("record",), limit=2 * most)]
    with suppress(PartMissing, Damaged, RemoteError):  # most have no vectors that compare
        near = _rank_near(opened, question, most)
        gate = (opened.vectors.gate or 0) / 1000 if is_floored else 0.0
        pairs = zip_longest([key for key in near if near[key] >= gate], keys)
        keys = list(dict.fromkeys(key for pair in pairs for key in pair if key is not None))
    hits = {hit.id: hit for hit in find_hits(opened, map(identity_of, keys))}
    ordered = [hits[identity_of(key)] for key in keys if identity_of(key) in hits]
    standing = [
        msgspec.structs.replace(hit, project=peer.alias)
        for hit in ordered
        if hit.kind == "decision" and hit.state in ("current", "conflict")
    ]
    return standing[:most], near


def _rank_near(workspace: Workspace, question: str, most: int) -> dict[str, float]:
    """Key → cosine of the nearest records."""
    ranked = workspace.vectors.rank(question, kinds=("record",), limit=most)
    return {one.key: one.score for one in ranked}


def _add_own(
    workspace: Workspace, question: str, similarities: dict[str, float]
) -> dict[str, float]:
    """The same of this memory's records, where a peer's are known: one without the other would
    order by who has vectors."""
    if not similarities:
        return {}
    try:
        return {**_rank_near(workspace, question, OWN_NEAR), **similarities}
    except (PartMissing, Damaged, RemoteError):
        return {}


def _drop_known(
    workspace: Workspace, ranked: Sequence[Sequence[Hit]], own: Sequence[Excerpt]
) -> dict[str, Hit]:
    """Key → hit of each record that this memory has not itself, once."""
    hits: dict[str, Hit] = {}
    for found in ranked:
        for hit in found:
            hits.setdefault(format_key("record", hit.id or ""), hit)
    ids = [hit.id or "" for hit in hits.values()]
    held = workspace.records.get_held(ids, workspace.place.worktree)
    for one in held if workspace.memory is not None else ():
        hits.pop(format_key("record", one.record.id), None)
    for shown in own:
        hits.pop(shown.key, None)
    return hits


def _pool(
    question: str,
    own: Sequence[Excerpt],
    hits: dict[str, Hit],
    reranker: Reranker,
    similarities: dict[str, float],
) -> list[Excerpt | Hit]:
    passages = [Passage(one.key, format_text(one.hit)) for one in own]
    passages += [Passage(key, format_text(hit)) for key, hit in hits.items()]
    waiting = iter(own)
    by_words = [one.key for one in reranker.rerank(question, passages)]
    return [
        hits[key] if key in hits else next(waiting) for key in order_pool(by_words, similarities)
    ]


def _interleave(
    own: Sequence[Excerpt], ranked: Sequence[Sequence[Hit]], hits: dict[str, Hit]
) -> list[Excerpt | Hit]:
    """All firsts, then all seconds, and so on; this memory's before the others'."""
    order: list[Excerpt | Hit] = []
    columns = [[hit for hit in found if hit in hits.values()] for found in ranked]
    for place in range(max([len(own), *map(len, columns)])):
        order += own[place : place + 1]
        order += [column[place] for column in columns if place < len(column)]
    return order


def cut_pool(
    workspace: Workspace, question: str, order: Sequence[Excerpt | Hit], max_tokens: int
) -> list[Excerpt]:
    """All of them within one budget."""
    whole = [format_text(one if isinstance(one, Hit) else one.hit) for one in order]
    shares = share_budget([count_tokens(text) for text in whole], max_tokens)
    roots = find_roots(question)
    now_ms = workspace.clock.now_ms()
    shown = []
    for one, full, share in zip(order, whole, shares, strict=True):
        text = full if count_tokens(full) <= share else cut_text(full, roots, max_tokens=share)
        if not text:
            continue
        hit = one if isinstance(one, Hit) else one.hit
        excerpt = (
            one
            if isinstance(one, Excerpt)
            else Excerpt(
                key=format_key("record", hit.id or ""),
                hit=hit,
                text=text,
                tokens=0,
                standing=describe_standing(hit, now_ms),
                score=0.0,
            )
        )
        is_cut = text != full
        whole_is = excerpt.whole
        if is_cut and hit.project != ".":
            whole_is = f"gitmem --in {hit.project} show {(hit.id or '')[:7]}"
        shown.append(
            msgspec.structs.replace(
                excerpt, text=text, tokens=count_tokens(text), whole=whole_is if is_cut else ""
            )
        )
    return shown
