"""Standing in a peer: one of the registry, to be read; or the user-wide memory, one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gitmem.app.opening import Opened, Report, open_repository
from gitmem.app.peer_admin import Wanted, make_user_memory
from gitmem.app.peering import open_peer
from gitmem.app.peers_here import open_peers
from gitmem.app.starting import plan_memory, start_memory
from gitmem.config import Settings, read_settings
from gitmem.core.peers import USER_ALIAS
from gitmem.errors import NoMemory


def open_inside(
    alias: str, cwd: Path, environ: Mapping[str, str], report: Report, *, heavy: bool = False
) -> Opened:
    """The peer of that alias, as if one stood in it. Raises NotFound, NoMemory for a user-wide
    memory that was never started, and what opening a peer raises."""
    if alias == USER_ALIAS:
        return open_repository(find_user_memory(environ), environ, report=report, heavy=heavy)
    here = open_peers(cwd, environ, report)
    try:
        peer = here.admin.book.get(alias)
        return open_peer(peer, here.settings, environ, cwd, report=report, heavy=heavy)
    finally:
        here.close()


def find_user_memory(environ: Mapping[str, str]) -> Path:
    """The bare repository of the user-wide memory. Raises NoMemory."""
    settings = _settings(environ)
    path = settings.data_home / "user.git" if settings.data_home is not None else None
    if path is None or not (path / "gitmem" / "config.toml").is_file():
        raise NoMemory("there is no user-wide memory yet", hint="Start it: gitmem init --user")
    return path


def start_user_memory(environ: Mapping[str, str], report: Report, *, is_dry_run: bool) -> Path:
    """Make the user-wide memory, if need be, and a peer of it; its folder. Raises CannotWrite."""
    settings = _settings(environ)
    if is_dry_run:
        if settings.data_home is None:
            raise NoMemory("there is no folder for a user-wide memory: set XDG_DATA_HOME")
        return settings.data_home / "user.git"
    path = make_user_memory(settings, environ)
    opened = open_repository(path, environ, report=report)
    try:
        if opened.project is None:
            start_memory(opened, plan_memory(opened, detached=True))
    finally:
        opened.close()
    here = open_peers(path, environ, report)
    try:
        here.admin.add([Wanted(address=str(path), alias=USER_ALIAS)])
    finally:
        here.close()
    return path


def _settings(environ: Mapping[str, str]) -> Settings:
    return read_settings(clone_file=None, project_file=None, environ=environ)
