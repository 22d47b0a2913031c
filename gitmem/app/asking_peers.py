"""Wiring of questions that peers answer, too: loaded only where there is a registry of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from gitmem.app.adapters import Lazy, load
from gitmem.app.federation import MachinePeers, stamp_files
from gitmem.app.opening import Opened
from gitmem.app.peer_book import PeerBook
from gitmem.config import Settings
from gitmem.core.mentions import fold_name
from gitmem.core.paths import fold_path
from gitmem.core.words import STOP_WORDS, prepare_text
from gitmem.errors import Damaged, NotFound
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.ask_peers import PeerAsker
from gitmem.services.browse import Listing
from gitmem.services.changelog import FromPeers
from gitmem.services.federate import span_why
from gitmem.services.federate_changelog import list_from_peers
from gitmem.services.federate_log import span_log
from gitmem.services.federate_prompt import add_peers_excerpts
from gitmem.services.federate_recall import Pooled, span_excerpts
from gitmem.services.federate_related import span_related
from gitmem.services.hits import Hit
from gitmem.services.impact import PeerMention
from gitmem.services.injection import is_injectable
from gitmem.services.our_names import OurNames, find_our_names
from gitmem.services.recall import Excerpt, RecallOptions
from gitmem.services.related import Related
from gitmem.services.why import WhyAnswer
from gitmem.services.workspace import Notice

_WORD = re.compile(r"\w+")


def span_why_answer(
    opened: Opened, answer: WhyAnswer, aliases: Sequence[str], *, limit: int, show_all: bool
) -> WhyAnswer:
    """The answer, with what peers say. Raises NotFound for an alias that is none."""
    try:
        with open_machine_peers(opened, aliases) as machine:
            if not machine.peers:
                return answer
            names = find_names(opened)
            return span_why(
                opened.workspace,
                answer,
                machine,
                names,
                limit=limit,
                show_all=show_all,
                peer_timeout_ms=opened.settings.peer_timeout_ms,
            )
    except Damaged as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return msgspec.structs.replace(answer, notices=(*answer.notices, notice))


def span_found(
    opened: Opened,
    question: str,
    excerpts: Sequence[Excerpt],
    aliases: Sequence[str],
    *,
    limit: int,
    max_tokens: int,
    is_floored: bool = False,
    seen: Collection[str] = (),
) -> Pooled:
    """What was found here, and what peers have to it (`is_floored`, `seen`: `span_excerpts`).
    Raises NotFound for an alias that is none."""
    try:
        with open_machine_peers(opened, aliases) as machine:
            if not machine.peers:
                return Pooled(tuple(excerpts), ())
            reranker: Any = Lazy(lambda: load("pooled-bm25")(_split))
            return span_excerpts(
                opened.workspace,
                question,
                excerpts,
                machine,
                reranker,
                limit=limit,
                max_tokens=max_tokens,
                peer_timeout_ms=opened.settings.peer_timeout_ms,
                is_floored=is_floored,
                seen=seen,
            )
    except Damaged as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return Pooled(tuple(excerpts), (notice,))


def span_listing(
    opened: Opened, listing: Listing, path: str | None, aliases: Sequence[str], *, limit: int
) -> Listing:
    """The list of decisions, with those of peers. Raises NotFound for an alias that is none."""
    try:
        with open_machine_peers(opened, aliases) as machine:
            if not machine.peers:
                return listing
            return span_log(
                opened.workspace,
                listing,
                path,
                machine,
                limit=limit,
                peer_timeout_ms=opened.settings.peer_timeout_ms,
            )
    except Damaged as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return msgspec.structs.replace(listing, notices=(*listing.notices, notice))


def span_related_answer(
    opened: Opened, text: str, found: Related, aliases: Sequence[str], *, limit: int
) -> Related:
    """What is linked to TEXT, with what peers say of it. Raises NotFound for an alias that is
    none."""
    try:
        with open_machine_peers(opened, aliases) as machine:
            if not machine.peers:
                return found
            return span_related(
                opened.workspace,
                text,
                found,
                machine,
                find_names(opened),
                limit=limit,
                peer_timeout_ms=opened.settings.peer_timeout_ms,
            )
    except Damaged as error:
        notice = Notice("peers-unread", f"no peer was asked: {error.message}")
        return msgspec.structs.replace(found, notices=(*found.notices, notice))


def find_range_peers(
    opened: Opened, commits: Sequence[RangeCommit], aliases: Sequence[str]
) -> FromPeers:
    """What peers say of the commits of a range. Raises NotFound for an alias that is none."""
    try:
        with open_machine_peers(opened, aliases) as machine:
            if not machine.peers or not commits:
                return FromPeers()
            return list_from_peers(
                opened.workspace,
                machine,
                find_names(opened),
                commits,
                peer_timeout_ms=opened.settings.peer_timeout_ms,
            )
    except Damaged as error:
        return FromPeers((), (Notice("peers-unread", f"no peer was asked: {error.message}"),))


def find_names(opened: Opened) -> OurNames:
    """What peers may call this project."""
    stamp = stamp_files([str(opened.layout.common_dir / "config")])
    return find_our_names(opened.workspace, stamp)


def find_peer_mentions(
    opened: Opened, names: Sequence[str], aliases: Sequence[str]
) -> list[PeerMention]:
    """The peers whose decisions link to a file of ours, or say a name. Raises NotFound for an
    alias that is none, Damaged where the registry is none."""
    workspace = opened.workspace
    with open_machine_peers(opened, aliases) as machine:
        if not machine.peers:
            return []
        asker = PeerAsker(workspace, machine, opened.settings.peer_timeout_ms)
        asker.bring_in_step()
        ours = find_names(opened)
        keys = [f"l:{(ours.remote_key or '').lower()}:{fold_path(name)}" for name in names]
        keys += [f"w:{fold_name(name)}" for name in names]
        totals: dict[str, int] = {}
        for one in machine.find(keys):
            totals[one.address] = totals.get(one.address, 0) + one.total
        return [
            PeerMention(peer.alias, totals[peer.address])
            for peer in asker.list_asked()
            if peer.address in totals
        ]


def find_injecting(opened: Opened) -> frozenset[str]:
    """The aliases of the peers that were added for agents. Raises Damaged."""
    with open_machine_peers(opened) as machine:
        return frozenset(peer.alias for peer in machine.peers if peer.inject)


def add_injected(
    opened: Opened,
    aliases: Collection[str],
    question: str,
    own: Sequence[Excerpt],
    options: RecallOptions,
    seen: Collection[str],
) -> list[Excerpt]:
    """The excerpts for a prompt with those of these peers, of which each was added for that.
    Raises Damaged, and NotFound where one is no longer there."""
    with open_machine_peers(opened, sorted(aliases)) as machine:
        return add_peers_excerpts(
            opened.workspace,
            machine,
            question,
            own,
            options,
            seen,
            peer_timeout_ms=_hurry(opened.settings),
        )


def _hurry(settings: Settings) -> int:
    """How many milliseconds a hook waits for a peer: a fifth of the usual time."""
    return settings.peer_timeout_ms // 5 + 1


def list_injected(opened: Opened, path: str, *, most: int) -> list[Hit]:
    """What peers that were added for it would have an agent know before it edits a file: at
    most so many decisions that stand. A hook waits for a peer a fifth of the usual time."""
    aliases = find_injecting(opened)
    if not aliases:
        return []
    settings = opened.settings
    hurried = msgspec.structs.replace(settings, peer_timeout_ms=_hurry(settings))
    asked = msgspec.structs.replace(opened, settings=hurried)
    nothing = WhyAnswer(target=path, kind="path", path=path)
    answer = span_why_answer(asked, nothing, sorted(aliases), limit=most, show_all=False)
    return [
        hit
        for hit in answer.hits
        if is_injectable(hit, aliases) and hit.state in ("current", "conflict")
    ]


def _split(text: str) -> list[str]:
    """Words as full-text search prepares them, without those that every text has."""
    words = _WORD.findall(prepare_text(text).lower())
    return [word for word in words if word not in STOP_WORDS]


@contextmanager
def open_machine_peers(opened: Opened, aliases: Sequence[str] = ()) -> Iterator[MachinePeers]:
    """The peers that answer here, of them the named ones. Raises NotFound, and Damaged where
    the registry is none."""
    settings, memory = opened.settings, opened.workspace.memory
    book = PeerBook(
        settings,
        None if settings.is_detached else opened.layout.work_tree,
        memory.project_id if memory is not None else None,
    )
    peers = book.list_active()
    for alias in aliases:
        if all(peer.alias != alias for peer in peers):
            raise NotFound(f"there is no peer {alias}", hint="See them: gitmem peers list")
    if aliases:
        peers = [peer for peer in peers if peer.alias in aliases]
    machine = MachinePeers(peers, settings, opened.environ, opened.cwd, opened.workspace.vectors)
    try:
        yield machine
    finally:
        machine.close()
