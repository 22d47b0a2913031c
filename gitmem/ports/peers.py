"""The index over all peers, and how one of them is opened to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from gitmem.core.peers import Peer, PeerState, Sighting


class Federation(Protocol):
    """The peers that a question may be put to. What fails raises as opening a repository
    does; it never reaches the network."""

    @property
    def peers(self) -> Sequence[Peer]:
        """Those that answer here, by alias."""
        ...

    def list_states(self) -> Mapping[str, PeerState]:
        """Address → what was last seen of that peer."""
        ...

    def is_stale(self, peer: Peer) -> bool:
        """Whether a peer's projection has to be brought in step before it is asked."""
        ...

    def bring_in_step(self, peer: Peer, report: Callable[[str, int, int], None]) -> PeerState:
        """Project what a peer has new, and say what it has now; stops where `report` raises,
        to go on from there."""
        ...

    def find(self, keys: Iterable[str]) -> list[Sighting]:
        """All peers that have something under any of the keys, best first."""
        ...

    def open(self, peer: Peer) -> AbstractContextManager[Any]:
        """A peer's workspace over our projection of it, to be asked; its git is not touched."""
        ...
