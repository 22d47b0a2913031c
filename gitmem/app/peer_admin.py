"""Wiring of `peers`: add, pull, remove and trust; each peer's failure is its own."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.app.adapters import load
from gitmem.app.federation import MachinePeers
from gitmem.app.mirrors import fetch_mirror
from gitmem.app.peer_book import PeerBook
from gitmem.app.peering import peer_home
from gitmem.config import Settings
from gitmem.core.peers import USER_ALIAS, Peer, PeerState, choose_alias, is_alias
from gitmem.core.remote_key import build_remote_key
from gitmem.core.timestamps import format_at
from gitmem.errors import (
    Damaged,
    GitmemError,
    NoRepository,
    Refused,
    UnsafeRemote,
    UsageError,
)
from gitmem.git.files import discover
from gitmem.git.remote_address import Address, parse_address
from gitmem.services.fetch_peer import Fetched

WORKERS = 8
Report = Callable[[str, int, int], None]
Outcome = Literal["added", "known", "updated", "unchanged", "failed"]


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one peer. `records` counts its union, `added` what is new of it; `way` is
    how it was fetched: writers, folder, code, or path."""

    alias: str
    address: str
    outcome: Outcome
    records: int = 0
    added: int = 0
    way: str = ""
    same_as: tuple[str, ...] = ()
    has_memory: bool = True
    is_cut: bool = False
    error: GitmemError | None = None


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A peer as asked for."""

    address: str
    alias: str | None = None
    inject: bool = False
    with_code: bool = False
    project: str | None = None
    trusted: str | None = None


class PeerAdmin:
    """The peers of this machine, to be changed. Closed by whoever made it."""

    def __init__(
        self,
        book: PeerBook,
        settings: Settings,
        environ: Mapping[str, str],
        cwd: Path,
        report: Report,
        own_project: str | None = None,
    ) -> None:
        self.book = book
        self._settings = settings
        self._environ = environ
        self._cwd = cwd
        self._report = report
        self._own_project = own_project
        self.machine = MachinePeers(book.list_active(), settings, environ, cwd)

    def close(self) -> None:
        self.machine.close()

    def add(self, wanted: Sequence[Wanted]) -> list[Done]:
        """Fetch and project peers, and then name them in the registry. Of several, each fails
        by itself; of one, what it raises is raised."""
        try:
            prepared = [self._prepare(one) for one in wanted]
        except GitmemError:
            if len(wanted) == 1:
                raise
            prepared = []
            failed = []
            for one in wanted:
                try:
                    prepared.append(self._prepare(one))
                except GitmemError as error:
                    failed.append(_failed(one.alias or "", _shown(one.address), error))
            return [*self._bring(self._name(prepared), is_new=True), *failed]
        return self._bring(self._name(prepared), is_new=True, raises=len(wanted) == 1)

    def trust(self, wanted: Sequence[Wanted]) -> list[Done]:
        """Name peers in the registry, and then fetch them, each for itself."""
        named, failed = [], []
        for one in wanted:
            try:
                named += self._name([self._prepare(one)])
            except GitmemError as error:
                failed.append(_failed(one.alias or "", _shown(one.address), error))
            else:
                self.book.put(named[-1][0])
        return [*self._bring(named, is_new=True), *failed]

    def pull(self, aliases: Sequence[str], *, embed: bool = False) -> list[Done]:
        """Bring the named peers in step, all of them where none is named; with `embed` their
        texts get vectors of our model. Raises NotFound, and PartMissing without a model."""
        peers = [self.book.get(alias) for alias in aliases] or self.book.list_active()
        return self._bring(
            [(peer, peer.address) for peer in peers],
            is_new=False,
            raises=len(aliases) == 1,
            embed=embed,
        )

    def remove(self, aliases: Sequence[str]) -> list[Peer]:
        """Forget peers, and all that was kept of them. Raises NotFound."""
        every = {peer.alias: peer for peer in self.book.list_all()}
        gone = [every.get(alias) or self.book.get(alias) for alias in aliases]
        names = {peer.alias for peer in gone}
        self.book.change(lambda peers: [peer for peer in peers if peer.alias not in names])
        for peer in gone:
            self.machine.forget(peer.address)
            shutil.rmtree(peer_home(self._settings, peer.address).folder, ignore_errors=True)
        return gone

    def _prepare(self, wanted: Wanted) -> tuple[Wanted, Address]:
        """The wanted peer with an address to keep. Raises UnsafeRemote before anything else."""
        address = parse_address(wanted.address)
        if wanted.alias is not None and not is_alias(wanted.alias):
            raise UsageError(
                f"{wanted.alias!r} cannot be an alias: letters, digits, dots, hyphens and "
                "underscores can"
            )
        if address.kind != "path":
            return msgspec.structs.replace(wanted, address=_without_secret(address)), address
        if wanted.project is not None:
            raise UnsafeRemote("a project's peers file may name URLs only, no paths of a machine")
        path = (self._cwd / address.path).resolve()
        layout = discover(path, {})
        if layout is None:
            raise NoRepository(f"there is no git repository at {path}")
        top = str(layout.work_tree or layout.git_dir)
        try:
            top.encode()
        except UnicodeEncodeError:
            raise UsageError("the path of a peer must be UTF-8") from None
        return msgspec.structs.replace(wanted, address=top), address

    def _name(self, prepared: Iterable[tuple[Wanted, Address]]) -> list[tuple[Peer, str]]:
        """(peer, address to connect to) of each, the same address once."""
        known = {peer.address: peer for peer in self.book.list_all()}
        taken = {peer.alias for peer in known.values()} | {USER_ALIAS}
        named: dict[str, tuple[Peer, str]] = {}
        for wanted, given in prepared:
            before = known.get(wanted.address)
            alias = wanted.alias or (before.alias if before is not None else None)
            if alias is None:
                alias = choose_alias(wanted.address, taken)
            elif before is None or before.alias != alias:
                self._check_free(alias, wanted.address, taken)
            taken.add(alias)
            peer = Peer(
                alias=alias,
                address=wanted.address,
                remote_key=before.remote_key if before else build_remote_key(wanted.address),
                inject=wanted.inject or (before is not None and before.inject),
                with_code=wanted.with_code or (before is not None and before.with_code),
                added=before.added if before else format_at(time.time_ns() // 1_000_000),
                project=wanted.project,
                trusted=wanted.trusted,
            )
            if before is not None and before.project is None:
                # What this machine's user added by hand does not hang on a project's file.
                peer = msgspec.structs.replace(peer, project=None, trusted=None)
            connect = given.text if given.kind != "path" else wanted.address
            named[wanted.address] = (peer, connect)
        return list(named.values())

    def _check_free(self, alias: str, address: str, taken: set[str]) -> None:
        if alias == USER_ALIAS and not self._is_user_memory(address):
            raise Refused(f"the alias {alias} is that of the user-wide memory: take another")
        if alias in taken and alias != USER_ALIAS:
            raise Refused(
                f"there is a peer {alias} already",
                hint=f"Take another alias, or forget that one: gitmem peers rm {alias}",
            )

    def _is_user_memory(self, address: str) -> bool:
        home = self._settings.data_home
        return home is not None and Path(address) == (home / "user.git").resolve()

    def _bring(
        self,
        named: Sequence[tuple[Peer, str]],
        *,
        is_new: bool,
        raises: bool = False,
        embed: bool = False,
    ) -> list[Done]:
        """Fetch all, several at a time, and project each as it comes; in the order given."""
        states = dict(self.machine.list_states())
        results: dict[str, Done] = {}
        total = len(named)
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            waiting: dict[Future[Fetched | None], Peer] = {
                pool.submit(self._fetch, peer, connect, states.get(peer.address)): peer
                for peer, connect in named
            }
            for number, future in enumerate(as_completed(waiting), 1):
                peer = waiting[future]
                self._report("fetching peers", number, total)
                try:
                    fetched = future.result()
                    done = self._project(peer, fetched, states, is_new=is_new, embed=embed)
                    results[peer.alias] = done
                except GitmemError as error:
                    if raises:
                        raise
                    results[peer.alias] = _failed(peer.alias, _shown(peer.address), error)
        return [results[peer.alias] for peer, _ in named]

    def _fetch(self, peer: Peer, connect: str, state: PeerState | None) -> Fetched | None:
        if peer.is_path:
            return None
        home = peer_home(self._settings, peer.address)
        known = state.tips if state is not None else ""
        return fetch_mirror(peer, home, self._settings, self._environ, address=connect, known=known)

    def _project(
        self,
        peer: Peer,
        fetched: Fetched | None,
        states: Mapping[str, PeerState],
        *,
        is_new: bool,
        embed: bool,
    ) -> Done:
        before = states.get(peer.address)
        is_known = fetched is not None and not fetched.is_new and not embed
        is_known = is_known and before is not None and not before.is_cut
        if before is not None and is_known and self._is_judged(before):
            state = msgspec.structs.replace(before, seen_at=time.time_ns() // 1_000_000)
            self.machine.keep_state(state)
        else:
            tips = fetched.tips if fetched is not None else None
            state = self.machine.bring_in_step(
                peer, self._report, heavy=True, tips=tips, embed=embed
            )
        peer = msgspec.structs.replace(peer, remote_key=peer.remote_key or state.remote_key)
        was_known = any(one.address == peer.address for one in self.book.list_all())
        self.book.put(peer)
        added = max(0, state.records - (before.records if before is not None else 0))
        is_changed = bool(added) or before is None or (fetched is not None and fetched.is_new)
        outcome: Outcome = "updated" if is_changed else "unchanged"
        if is_new:
            outcome = "known" if was_known else "added"
        return Done(
            alias=peer.alias,
            address=_shown(peer.address),
            outcome=outcome,
            records=state.records,
            added=added,
            way="path" if fetched is None else fetched.way,
            same_as=self._find_same(peer, state),
            has_memory=bool(state.project_id),
            is_cut=state.is_cut,
        )

    def _is_judged(self, state: PeerState) -> bool:
        """Whether its vectors were compared with the model that is here now."""
        stamp = self.machine.find_stamp() if state.stamps or state.vectors else None
        return stamp is None or state.our_stamp == stamp

    def _find_same(self, peer: Peer, state: PeerState) -> tuple[str, ...]:
        """Aliases of the same project under other addresses; "." where it is this one."""
        states = self.machine.list_states()
        here = state.project_id and state.project_id == self._own_project
        return (
            *(["."] if here else []),
            *(
                other.alias
                for other in self.book.list_active()
                if other.address != peer.address
                and is_same_project(peer, state, other, states.get(other.address))
            ),
        )


def is_same_project(
    peer: Peer, state: PeerState | None, other: Peer, other_state: PeerState | None
) -> bool:
    """Two memories are one project if they share its id or a remote's key."""
    if peer.remote_key is not None and peer.remote_key == other.remote_key:
        return True
    if state is None or other_state is None or not state.project_id:
        return False
    return state.project_id == other_state.project_id


def check_offered(url: str) -> None:
    """Refuse what a project's file must not name. Raises UnsafeRemote."""
    if parse_address(url).kind == "path":
        raise UnsafeRemote("a project's peers file may name URLs only, no paths of a machine")


def make_user_memory(settings: Settings, environ: Mapping[str, str]) -> Path:
    """The bare repository of the user-wide memory, made if need be. Raises CannotWrite."""
    if settings.data_home is None:
        raise Damaged("there is no folder for a user-wide memory: set XDG_DATA_HOME")
    path = settings.data_home / "user.git"
    load("create-bare")(path, "sha1", environ)
    return path.resolve()


def _failed(alias: str, address: str, error: GitmemError) -> Done:
    return Done(alias=alias, address=address, outcome="failed", error=error)


def _without_secret(address: Address) -> str:
    """The address as it is kept: no password; of ssh the user stays, who is part of it."""
    if address.kind in ("http", "https", "git"):
        return address.shown
    if address.kind == "ssh" and address.password is not None:
        scheme, _, rest = address.text.partition("://")
        return f"{scheme}://{address.user}@{rest.rpartition('@')[2]}"
    return address.text


def _shown(address: str) -> str:
    try:
        parsed = parse_address(address)
    except UnsafeRemote:
        return ""
    return parsed.shown
