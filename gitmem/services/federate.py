"""A question put to peers: what they decided on the same path, and what they say about us.

Nothing here reaches the network, and nothing waits for long: a peer that is slow, damaged or
gone contributes nothing and is named in a notice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.mentions import cut_links, iter_project_links, list_words
from gitmem.core.paths import fold_path
from gitmem.core.peers import Peer, PeerState, Sighting
from gitmem.core.timestamps import format_at
from gitmem.errors import GitmemError
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.hits import Hit, find_hits
from gitmem.services.our_names import OurNames
from gitmem.services.why import WhyAnswer, standing_rank
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation

MANY = 1_000_000
MOST_PEERS = 64
"""So many peers' projections are opened for one question, and no more."""
MOST_MENTIONS = 50
RESERVED_FROM = 3
"""From this limit on one place is kept for what stands at a peer."""
_LINK, _PATH, _PROJECT, _NAME = 1, 2, 3, 4


class PeerHits(msgspec.Struct, frozen=True):
    """What peers know: hits, best first, how many more there are, and who kept silent."""

    hits: tuple[Hit, ...]
    more: int
    notices: tuple[Notice, ...]


def span_why(
    workspace: Workspace,
    answer: WhyAnswer,
    federation: Federation,
    names: OurNames,
    *,
    limit: int,
    show_all: bool,
    peer_timeout_ms: int,
) -> WhyAnswer:
    """The answer with what peers say put among its decisions; limits apply after that."""
    if answer.kind in ("record", "commit"):
        return answer
    most = MANY if show_all else limit
    asker = PeerAsker(workspace, federation, peer_timeout_ms)
    found = _PeerQuestion(workspace, federation, asker, most).ask(answer, names)
    own = [hit for hit in answer.hits if hit.kind != "commit"]
    commits = tuple(hit for hit in answer.hits if hit.kind == "commit")
    merged = _merge(own, found.hits, most)
    total = len(own) + answer.more_decisions + len(found.hits) + found.more
    return msgspec.structs.replace(
        answer,
        hits=(*merged, *commits),
        more_decisions=max(0, total - len(merged)),
        is_known=answer.is_known or bool(found.hits),
        notices=(*answer.notices, *found.notices),
    )


def _merge(own: Sequence[Hit], others: Sequence[Hit], limit: int) -> list[Hit]:
    """Own decisions that stand, peers' that stand, then the rest of both."""
    live = 0
    while live < len(own) and standing_rank(own[live]) == 0:
        live += 1
    standing = [hit for hit in others if standing_rank(hit) == 0]
    fallen = [hit for hit in others if standing_rank(hit) != 0]
    room = live
    if standing and live >= limit >= RESERVED_FROM:
        room = limit - 1
    ordered = [*own[:room], *standing, *own[room:], *fallen]
    return ordered[:limit]


class _PeerQuestion:
    def __init__(
        self, workspace: Workspace, federation: Federation, asker: PeerAsker, limit: int
    ) -> None:
        self._workspace = workspace
        self._federation = federation
        self._asker = asker
        self._limit = limit

    def ask(self, answer: WhyAnswer, names: OurNames) -> PeerHits:
        keys = _build_keys(answer, names)
        if not keys or not self._federation.peers:
            return PeerHits((), 0, ())
        try:
            self._asker.bring_in_step()
            sightings = self._federation.find(keys)
        except GitmemError as error:
            notice = Notice("peers-unread", f"no peer was asked: {error.message}")
            return PeerHits((), 0, (notice,))
        hits, more = self._collect(sightings, keys, names, _paths_of(answer))
        return PeerHits(tuple(hits), more, tuple(self._asker.list_notices()))

    def _collect(
        self,
        sightings: Sequence[Sighting],
        keys: Mapping[str, int],
        names: OurNames,
        paths: Sequence[str],
    ) -> tuple[list[Hit], int]:
        states = self._federation.list_states()
        by_address = {peer.address: peer for peer in self._asker.list_asked()}
        rows = sorted(
            (one for one in sightings if one.address in by_address),
            key=lambda one: (_is_fallen(one), keys[one.key], one.best, one.address),
        )
        asked: dict[str, list[Sighting]] = {}
        for row in rows:
            asked.setdefault(row.address, []).append(row)
        found: dict[str, Hit] = {}
        seen: set[tuple[str, str, int, int]] = set()
        live = unopened = opened = 0
        for address, under in asked.items():
            state = states.get(address) or PeerState(address=address)
            marks = {(state.project_id, one.key, one.best, one.total) for one in under}
            if state.project_id and marks <= seen:
                continue  # the same project under another address, which knows no more
            seen |= marks
            if live >= self._limit or opened >= MOST_PEERS:
                unopened += max(one.total for one in under)
                continue
            opened += 1
            peer = by_address[address]
            ask = partial(self._ask_one, peer, under, keys, names, paths)
            hits = self._asker.attempt(peer, ask)
            for hit in hits or ():
                found.setdefault(hit.id or "", hit)
            live = sum(standing_rank(hit) == 0 for hit in found.values())
        known = self._list_known(found)
        hits_ = [hit for hit_id, hit in found.items() if hit_id not in known]
        now = format_at(self._workspace.clock.now_ms())
        return _sort(hits_, paths, now), unopened

    def _ask_one(
        self,
        peer: Peer,
        under: Sequence[Sighting],
        keys: Mapping[str, int],
        names: OurNames,
        paths: Sequence[str],
    ) -> list[Hit]:
        """What one peer has: on the path, and what it says about us."""
        with self._federation.open(peer) as opened:
            tiers = {keys[one.key] for one in under}
            hits: dict[str, Hit] = {}
            if _PATH in tiers:
                step = MANY if self._limit == MANY else max(32, 2 * self._limit)
                ids, _ = opened.records.list_by_paths(paths, limit=step)
                for hit in find_hits(opened, ids):
                    named = find_mention(hit, names, paths)
                    hits[hit.id or ""] = msgspec.structs.replace(hit, mention=named)
            if tiers - {_PATH}:
                ids = self._list_mentions(opened, under, keys, names)
                for hit in find_hits(opened, [i for i in ids if i not in hits]):
                    named = find_mention(hit, names, paths)
                    if named is not None:
                        hits[hit.id or ""] = msgspec.structs.replace(hit, mention=named)
            return [
                msgspec.structs.replace(hit, project=peer.alias)
                for hit in hits.values()
                if hit.kind == "decision"
            ]

    def _list_mentions(
        self,
        opened: Workspace,
        under: Iterable[Sighting],
        keys: Mapping[str, int],
        names: OurNames,
    ) -> list[str]:
        """Ids of decisions that may name us: the best one of each key, and where there are
        more, what full-text search finds of the names."""
        ids: list[str] = []
        has_more = False
        for one in under:
            if keys[one.key] == _PATH:
                continue
            ids += opened.records.resolve_prefix(one.prefix, limit=2)
            has_more = has_more or one.total > 1
        if has_more:
            most = MANY if self._limit == MANY else MOST_MENTIONS
            words = " ".join([*names.names, (names.remote_key or "").rpartition("/")[2]])
            ranked = opened.text.rank(words, kinds=("record",), limit=most)
            ids += [one.key.partition(":")[2] for one in ranked]
        return list(dict.fromkeys(ids))

    def _list_known(self, found: Collection[str]) -> set[str]:
        """Those records that this memory has itself: they are not shown twice."""
        if self._workspace.memory is None or not found:
            return set()
        held = self._workspace.records.get_held(found, self._workspace.place.worktree)
        return {one.record.id for one in held}


def _build_keys(answer: WhyAnswer, names: OurNames) -> dict[str, int]:
    """Key of the index → what kind of match it is."""
    paths = _paths_of(answer)
    keys = {f"p:{path}": _PATH for path in paths if path}
    for name in names.names:
        keys[f"w:{name}"] = _NAME
    if names.remote_key is not None:
        link = f"l:{names.remote_key.lower()}:"
        keys[link] = _PROJECT
        keys.update({link + path.rstrip("/"): _LINK for path in paths if path})
    return keys


def _paths_of(answer: WhyAnswer) -> list[str]:
    return [fold_path(answer.path)] if answer.path else []


def find_mention(hit: Hit, names: OurNames, paths: Sequence[str]) -> str | None:
    """What of ours a decision names: a link's target, or a package's name; None where it says
    nothing of us (of other files of ours, it says nothing either)."""
    text = format_said(hit)
    if names.remote_key is not None:
        own = names.remote_key.lower()
        linked = [path for key, path in iter_project_links(text) if key == own]
        asked = {path.rstrip("/") for path in paths}
        for path in linked:
            if path in asked and path:
                return f"{own}:{path}"
        if "" in linked or (linked and not any(asked)):
            return own
    words = list_words(cut_links(text))
    return next((name for name in names.names if name in words), None)


def format_said(hit: Hit) -> str:
    """All the words of a decision."""
    rejected = (f"{one.option}\n{one.reason}" for one in hit.rejected)
    return "\n".join([hit.summary, hit.why or "", *rejected, *hit.tags])


def _is_fallen(sighting: Sighting) -> bool:
    return sighting.best >> 44 != 0


def _sort(hits: list[Hit], paths: Sequence[str], now: str) -> list[Hit]:
    """Standing first; then what links to the path, what is decided on it, and what names us;
    newest first, where a time that has not come yet counts as now."""
    hits.sort(key=lambda hit: (hit.project, hit.id or ""))
    hits.sort(key=lambda hit: min(hit.at, now), reverse=True)
    hits.sort(key=lambda hit: (standing_rank(hit), _tier_of(hit, paths)))
    return hits


def _tier_of(hit: Hit, paths: Sequence[str]) -> int:
    if hit.mention is not None and ":" in hit.mention:
        return _LINK
    own = [fold_path(ref.path) for ref in hit.paths]
    is_on_path = any(name == path or (path.endswith("/") and name.startswith(path))
                     for name in own for path in paths)  # fmt: skip
    return _PATH if is_on_path else _NAME
