"""What `doctor` says of peers: which are gone, never fetched, or kept though nobody names them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitmem.app.asking_peers import open_machine_peers
from gitmem.app.peering import find_peer_layout, peer_home, peers_folder
from gitmem.core.wording import format_count
from gitmem.errors import GitmemError

if TYPE_CHECKING:
    from gitmem.app.doctor import Check
    from gitmem.app.opening import Opened


def check_peers(opened: Opened, check: type[Check]) -> Iterator[Check]:
    """One finding for each peer that cannot answer, and one for all that can. Raises Damaged
    where the registry is none."""
    settings = opened.settings
    with open_machine_peers(opened) as machine:
        kept = {peer_home(settings, peer.address).folder.name for peer in machine.peers}
        ready = 0
        for peer in machine.peers:
            try:
                find_peer_layout(peer, settings)
            except GitmemError as error:
                yield check(
                    "peers", "warning", f"the peer {peer.alias}: {error.message}", error.hint
                )
            else:
                ready += 1
    yield check("peers", "ok", f"{format_count(ready, 'peer')} to be asked")
    folder = peers_folder(settings)
    try:
        strays = [one for one in folder.iterdir() if one.is_dir() and one.name not in kept]
    except OSError:
        return
    if strays:
        yield check(
            "peers",
            "ok",
            f"{format_count(len(strays), 'folder')} of peers that are not asked here: {folder}",
        )
