"""Peers asked one by one: brought in step, waited for briefly, and named where they are silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gitmem.core.peers import Peer
from gitmem.errors import GitmemError
from gitmem.services.patience import OutOfPatience, Patience
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation

TOTAL_TIMES = 3
"""All peers together may take so many times what one may."""


class PeerAsker:
    """Asks the peers of one question; nobody of them can stop it, or hold it up for long."""

    def __init__(self, workspace: Workspace, federation: Federation, timeout_ms: int) -> None:
        self._workspace = workspace
        self._federation = federation
        self._patience = Patience(timeout_ms, TOTAL_TIMES * timeout_ms)
        self._silent: dict[str, str] = {}

    def list_asked(self) -> list[Peer]:
        """The peers but this very repository, and but those that keep silent."""
        place, root = self._workspace.place, self._workspace.place.work_tree
        own = (str(root), str(place.cwd))
        return [
            peer
            for peer in self._federation.peers
            if peer.address not in own and peer.alias not in self._silent
        ]

    def bring_in_step(self) -> None:
        """Project what changed on this machine since; the network is not asked."""
        federation = self._federation
        federation.list_states()
        stale: list[Peer] = []
        looked = 0
        peers = self.list_asked()
        while looked < len(peers):
            looked = self._look(peers, looked, stale)
        for peer in stale:
            started = time.monotonic()

            def report(what: str, done: int, total: int, since: float = started) -> None:
                self._patience.check(since)

            def work(one: Peer = peer, watch: Callable[[str, int, int], None] = report) -> None:
                federation.bring_in_step(one, watch)

            self.attempt(peer, work)

    def _look(self, peers: Sequence[Peer], start: int, stale: list[Peer]) -> int:
        """Look for peers that changed, from one on; which is to be looked at next. One whose
        file system hangs is left behind, and the others are not."""
        at = start

        def work() -> None:
            nonlocal at
            for peer in peers[start:]:
                if self._federation.is_stale(peer):
                    stale.append(peer)
                at += 1

        try:
            self._patience.run(work)
        except OutOfPatience:
            self._silence(peers[at], "it takes too long to look at")
            return at + 1
        return len(peers)

    def attempt(self, peer: Peer, work: Callable[[], Any]) -> Any:
        """What the work gives; None where the peer keeps silent, which is noted."""
        try:
            return self._patience.run(work)
        except OutOfPatience:
            self._silence(
                peer, f"it took too long; bring it in step: gitmem peers pull {peer.alias}"
            )
        except GitmemError as error:
            self._silence(peer, error.message)
        except (OSError, ValueError, LookupError) as error:
            # Whatever is wrong over there is no reason to have no answer here.
            self._silence(peer, f"it cannot be read ({type(error).__name__})")
        return None

    def _silence(self, peer: Peer, reason: str) -> None:
        self._silent.setdefault(peer.alias, reason)

    def list_notices(self) -> list[Notice]:
        """A notice for each peer that kept silent, and why."""
        return [
            Notice("peer-silent", f"the peer {alias} was not asked: {reason}")
            for alias, reason in sorted(self._silent.items())
        ]
