"""The peers as seen from where one stands: in a repository, or in none."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.app.opening import Report
from gitmem.app.peer_admin import Done, PeerAdmin, Wanted, check_offered, is_same_project
from gitmem.app.peer_book import PeerBook
from gitmem.app.peering import find_peer_layout
from gitmem.config import Settings, read_settings
from gitmem.core.peer_verdicts import find_improvement, find_verdict
from gitmem.core.peers import OfferedPeer, Peer, PeerState
from gitmem.errors import ForeignFolder, GitmemError, NoMemory, UnsafeRemote
from gitmem.git.files import discover
from gitmem.services.workspace import Notice
from gitmem.store.folder import find_project
from gitmem.store.paths import clone_paths

Verdict = Literal["ok", "mismatch", "unknown", "local", "untrusted"]


class PeerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One peer as `peers list` shows it. `age_seconds` is how long ago we last were in step
    with it, None for never; `vectors` is how many we keep of it; `is_cut`: it has more than is
    read in one go, and the next pull reads on; `improve` is the command that would make it
    answer better."""

    alias: str
    address: str
    verdict: Verdict
    state: Literal["ready", "changed", "gone", "unread", "untrusted"]
    records: int = 0
    age_seconds: int | None = None
    size_bytes: int = 0
    quarantined: int = 0
    vectors: int = 0
    project_id: str | None = None
    name: str | None = None
    remote_key: str | None = None
    inject: bool = False
    with_code: bool = False
    same_as: tuple[str, ...] = ()
    is_cut: bool = False
    improve: str | None = None


class PeersHere(msgspec.Struct, frozen=True):
    """The administration, and what is known of the project one stands in."""

    admin: PeerAdmin
    settings: Settings
    project_id: str | None

    def close(self) -> None:
        self.admin.close()

    def list_notices(self) -> list[Notice]:
        """What of peers' vectors could not be used so far, each once."""
        return list(self.admin.machine.notices.values())


def open_peers(cwd: Path, environ: Mapping[str, str], report: Report) -> PeersHere:
    """The peers, whether or not this is a repository. Raises UsageError for bad settings."""
    layout = discover(cwd, environ)
    work_tree = layout.work_tree if layout is not None else None
    settings = read_settings(
        clone_file=clone_paths(layout.common_dir).config if layout is not None else None,
        project_file=work_tree / ".gitmem" / "project.toml" if work_tree is not None else None,
        environ=environ,
    )
    project_id = settings.detached_project_id
    if work_tree is not None and not settings.is_detached:
        try:
            project = find_project(work_tree)
        except (ForeignFolder, GitmemError):
            project = None
        project_id = project.project_id if project is not None else None
    book = PeerBook(settings, work_tree, project_id)
    return PeersHere(
        PeerAdmin(book, settings, environ, cwd, report, project_id), settings, project_id
    )


def list_peers(here: PeersHere) -> list[PeerRow]:
    """Every peer that answers here, and those that a person would have to trust first."""
    admin = here.admin
    states = admin.machine.list_states()
    peers = admin.book.list_active()
    stamp = admin.machine.find_stamp() if peers else None
    rows = [_describe(here, peer, states, peers, stamp) for peer in peers]
    rows += [_describe_offered(one) for one in admin.book.list_untrusted()]
    return rows


def trust_peers(here: PeersHere) -> list[Done]:
    """Take the project's peers as they stand in its file now, and fetch them; each one's
    failure is its own, and does not undo the trust. Raises NoMemory where there is no file."""
    admin = here.admin
    offer = admin.book.read_offer()
    if offer is None or here.project_id is None:
        raise NoMemory(
            "this project names no peers: there is no .gitmem/peers.toml here",
            hint="Add one of your own: gitmem peers add PATH_OR_URL",
        )
    wanted, refused = [], []
    for one in offer.peers:
        try:
            check_offered(one.url)
        except UnsafeRemote as error:
            refused.append(Done(alias=one.alias, address="", outcome="failed", error=error))
            continue
        wanted.append(
            Wanted(
                address=one.url,
                alias=one.alias or None,
                project=here.project_id,
                trusted=offer.digest,
            )
        )
    return [*admin.trust(wanted), *refused]


def note_untrusted(offered: Sequence[OfferedPeer]) -> Notice | None:
    if not offered:
        return None
    return Notice(
        "untrusted-peers",
        f"this project names {len(offered)} peers that nobody trusted on this machine as the "
        "file is now: nothing is fetched from them before gitmem peers trust",
    )


def _describe(
    here: PeersHere,
    peer: Peer,
    states: Mapping[str, PeerState],
    peers: Sequence[Peer],
    stamp: str | None,
) -> PeerRow:
    state = states.get(peer.address)
    where: Literal["ready", "changed", "gone", "unread"] = "ready"
    pull = f"gitmem peers pull {peer.alias}"
    improve: str | None = None
    try:
        find_peer_layout(peer, here.settings)
    except GitmemError:
        where, improve = "gone", f"gitmem peers rm {peer.alias}" if peer.is_path else pull
    if where == "ready" and state is None:
        where, improve = "unread", pull
    elif where == "ready" and peer.is_path and here.admin.machine.is_stale(peer):
        where = "changed"
    is_cut = state is not None and state.is_cut
    if improve is None and is_cut:
        improve = pull
    if improve is None and state is not None:
        improve = find_improvement(peer.alias, state, stamp)
    return PeerRow(
        alias=peer.alias,
        address=peer.address,
        verdict=find_verdict(state, stamp),
        state=where,
        records=state.records if state is not None else 0,
        age_seconds=_age(state),
        size_bytes=state.size_bytes if state is not None else 0,
        quarantined=state.quarantined if state is not None else 0,
        vectors=state.vectors if state is not None else 0,
        project_id=state.project_id or None if state is not None else None,
        name=state.name or None if state is not None else None,
        remote_key=peer.remote_key,
        inject=peer.inject,
        with_code=peer.with_code,
        same_as=tuple(
            other.alias
            for other in peers
            if other.address != peer.address
            and is_same_project(peer, state, other, states.get(other.address))
        ),
        is_cut=is_cut,
        improve=improve,
    )


def _describe_offered(offered: OfferedPeer) -> PeerRow:
    return PeerRow(
        alias=offered.alias,
        address=offered.url,
        verdict="untrusted",
        state="untrusted",
        improve="gitmem peers trust",
    )


def _age(state: PeerState | None) -> int | None:
    if state is None or not state.seen_at:
        return None
    return max(0, time.time_ns() // 1_000_000 - state.seen_at) // 1000
