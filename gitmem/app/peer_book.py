"""The registry of peers of this machine, changed under a lock, and which of them answer here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gitmem.cache.lock import hold_lock
from gitmem.config import Settings
from gitmem.core.peers import OfferedPeer, Peer
from gitmem.errors import CannotWrite, NotFound
from gitmem.store.durable import cannot_write, ensure_directory
from gitmem.store.peers_file import Offer, read_offer, read_registry, write_registry

LOCK_SECONDS = 30


class PeerBook:
    """The peers as seen from one place: a work tree whose project may name some, or none."""

    def __init__(self, settings: Settings, work_tree: Path | None, project_id: str | None) -> None:
        self._file = settings.peers_file
        self._work_tree = work_tree
        self._project_id = project_id

    def list_all(self) -> list[Peer]:
        """Every peer of this machine. Raises Damaged for a file that is none."""
        return read_registry(self._file) if self._file is not None else []

    def list_active(self) -> list[Peer]:
        """Those that answer here: this machine's own, and this project's while the file that
        names them says what was trusted."""
        peers = self.list_all()
        if all(peer.project is None for peer in peers):
            return peers
        offer = self.read_offer()
        digest = offer.digest if offer is not None else None
        return [peer for peer in peers if self._is_active(peer, digest)]

    def read_offer(self) -> Offer | None:
        """What the project's own file names."""
        return read_offer(self._work_tree)

    def list_untrusted(self) -> list[OfferedPeer]:
        """Those of the project's peers that nobody trusted, or not as the file is now."""
        offer = self.read_offer()
        if offer is None:
            return []
        known = {peer.address for peer in self.list_active()}
        return [peer for peer in offer.peers if peer.url not in known]

    def get(self, alias: str) -> Peer:
        """Raises NotFound."""
        found = next((peer for peer in self.list_active() if peer.alias == alias), None)
        if found is None:
            raise NotFound(f"there is no peer {alias}", hint="See them: gitmem peers list")
        return found

    @contextmanager
    def _locked(self) -> Iterator[Path]:
        if self._file is None:
            raise CannotWrite("there is no folder for the list of peers: set XDG_CONFIG_HOME")
        try:
            ensure_directory(self._file.parent)
        except OSError as error:
            raise cannot_write(self._file, error) from error
        with hold_lock(self._file.with_name(".peers.lock"), timeout_seconds=LOCK_SECONDS):
            yield self._file

    def change(self, change: Callable[[list[Peer]], list[Peer]]) -> None:
        """Replace the peers by what `change` makes of them, with nobody in between. Raises
        Contended, CannotWrite, Damaged."""
        with self._locked() as file:
            before = read_registry(file)
            after = change(list(before))
            if sorted(after, key=_alias) != before:
                write_registry(file, after)

    def put(self, peer: Peer) -> None:
        """Add a peer, or replace the one with its address or alias."""
        self.change(
            lambda peers: [
                *(p for p in peers if p.address != peer.address and p.alias != peer.alias),
                peer,
            ]
        )

    def _is_active(self, peer: Peer, digest: str | None) -> bool:
        if peer.project is None:
            return True
        return peer.project == self._project_id and peer.trusted == digest


def _alias(peer: Peer) -> str:
    return peer.alias
