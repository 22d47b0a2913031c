"""Wiring of push and pull: the transport, the remotes, the repository a detached memory has."""

from __future__ import annotations

from gitmem.app.opening import Opened
from gitmem.app.wiring import choose_transport
from gitmem.errors import NoMemory
from gitmem.ports.transport import Transport
from gitmem.services.pull import Pulled, pull
from gitmem.services.push import Pushed, push
from gitmem.store.remotes import choose_push_remote, list_pull_remotes


def push_memory(opened: Opened, remote: str | None, *, is_dry_run: bool = False) -> Pushed:
    """Push to the remote that the rules choose. Raises NoMemory, UsageError, RemoteError."""
    if opened.project is None:
        raise NoMemory("there is no memory here to push")
    settings = opened.settings
    chosen = choose_push_remote(
        opened.workspace.sources.settings,
        asked=_place(opened, remote),
        configured=settings.sync_remote,
        branch=opened.workspace.place.branch,
        is_detached=settings.is_detached,
        list_addresses=_code_transport(opened).list_addresses,
        cwd=opened.cwd,
        top=opened.layout.work_tree or opened.layout.git_dir,
    )
    return push(
        opened.workspace,
        _transport(opened),
        chosen,
        opened.project,
        as_branch=settings.sync_refs == "branches",
        is_dry_run=is_dry_run,
        reopen=opened.reopen,
    )


def pull_memory(opened: Opened, remote: str | None) -> Pulled:
    """Pull from the remotes that the rules choose. Raises UsageError, RemoteError."""
    settings = opened.settings
    remotes = list_pull_remotes(
        opened.workspace.sources.settings,
        asked=_place(opened, remote),
        configured=settings.sync_remote,
        branch=opened.workspace.place.branch,
        is_detached=settings.is_detached,
        list_addresses=_code_transport(opened).list_addresses,
        cwd=opened.cwd,
        top=opened.layout.work_tree or opened.layout.git_dir,
    )
    return pull(opened.workspace, _transport(opened), remotes, reopen=opened.reopen)


def _place(opened: Opened, remote: str | None) -> str | None:
    """What was typed; a folder by its full path, because a detached memory is elsewhere."""
    if remote is None or not remote.startswith(("./", "../")):
        return remote
    return str((opened.cwd / remote).resolve())


def _transport(opened: Opened) -> Transport:
    clone = opened.workspace.clone
    git_dir = clone.memory_git if opened.settings.is_detached else opened.layout.git_dir
    return choose_transport(opened.settings, git_dir, opened.environ)


def _code_transport(opened: Opened) -> Transport:
    return choose_transport(opened.settings, opened.layout.git_dir, opened.environ)
