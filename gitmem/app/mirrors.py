"""Fetching peers into mirrors of ours, under the user's cache folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from gitmem.app.adapters import load
from gitmem.app.peering import PeerHome
from gitmem.app.wiring import choose_transport, has_git
from gitmem.config import Settings
from gitmem.core.peers import Peer
from gitmem.errors import PartMissing
from gitmem.git.files import discover
from gitmem.services.fetch_peer import Fetched, FolderFetch, fetch_peer
from gitmem.store.paths import RECORDS


def fetch_mirror(
    peer: Peer,
    home: PeerHome,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    address: str,
    known: str,
) -> Fetched:
    """Bring the mirror of a peer in step with its server; `address` is what to connect to,
    which may hold a password that is kept nowhere. Raises RemoteError and its kinds, NoMemory,
    CannotWrite."""
    is_fresh = not home.mirror.is_dir()
    try:
        if is_fresh:
            known = ""
            load("create-bare")(home.mirror, "sha1", environ)
        return _fetch(peer, home, settings, environ, address, known)
    except BaseException:
        if is_fresh:
            # A mirror that never held anything says nothing.
            shutil.rmtree(home.folder, ignore_errors=True)
        raise


def _fetch(
    peer: Peer,
    home: PeerHome,
    settings: Settings,
    environ: Mapping[str, str],
    address: str,
    known: str,
) -> Fetched:
    transport = choose_transport(settings, home.mirror, environ)
    layout = discover(home.mirror, {})
    git = load("git")(home.mirror, None, environ)
    refs = load("refs-dulwich")(home.mirror)
    if has_git(environ) and layout is not None:
        refs = load("refs-files")(layout, load("refs-exec")(git))

    def folder_transport() -> object:
        if not has_git(environ):
            raise PartMissing(
                "there is no git executable, which fetching a folder alone needs",
                hint="Fetch its default branch, too: gitmem peers add --with-code",
            )
        return load("folder-transport")(
            home.mirror, environ, timeout_seconds=settings.timeout_seconds
        )

    folder = FolderFetch(
        lambda: folder_transport().find_default(address) if has_git(environ) else None,  # type: ignore[attr-defined]
        lambda ref: folder_transport().fetch_folder(  # type: ignore[attr-defined]
            address, ref, RECORDS.partition("/")[0]
        ),
    )
    return fetch_peer(
        transport, refs, address, known=known, with_code=peer.with_code, folder=folder
    )
