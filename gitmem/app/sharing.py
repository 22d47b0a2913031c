"""Wiring of push and pull: the transport, the remotes, the repository a detached memory has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.app.wiring import choose_transport
from gitmem.core.refnames import format_writer_ref
from gitmem.errors import NoMemory
from gitmem.ports.transport import Transport
from gitmem.services.pull import Pulled, pull
from gitmem.services.push import PublishVectors, Pushed, push
from gitmem.store.own_ref import VECTORS
from gitmem.store.remotes import RemoteRules, choose_push_remote, list_pull_remotes
from gitmem.store.writer import find_writer

if TYPE_CHECKING:
    from gitmem.services.retire import Retired
    from gitmem.services.share_vectors import Shared
    from gitmem.services.take_vectors import Taken
    from gitmem.services.workspace import Workspace


def push_memory(opened: Opened, remote: str | None, *, is_dry_run: bool = False) -> Pushed:
    """Push to the remote that the rules choose. Raises NoMemory, UsageError, RemoteError."""
    if opened.project is None:
        raise NoMemory("there is no memory here to push")
    chosen = choose_push_remote(_rules(opened), _place(opened, remote))
    return push(
        opened.workspace,
        _transport(opened),
        chosen,
        opened.project,
        as_branch=opened.settings.sync_refs == "branches",
        is_dry_run=is_dry_run,
        publish_vectors=_find_publishing(opened),
        reopen=opened.reopen,
    )


def _find_publishing(opened: Opened) -> PublishVectors | None:
    """What publishes vectors, or takes them off again; None where there is neither to do."""
    sources, writer = opened.workspace.sources, find_writer(opened.workspace.clone)
    is_on = opened.settings.share_vectors
    ref = format_writer_ref(writer) if writer is not None else None
    if not is_on and (ref is None or sources.memory_objects.find_oid(f"{ref}:{VECTORS}") is None):
        return None
    share: Callable[..., Shared] = load("share-vectors")
    return lambda workspace, writer, tip: share(workspace, writer, tip, is_on=is_on)


def pull_memory(opened: Opened, remote: str | None) -> Pulled:
    """Pull from the remotes that the rules choose. Raises UsageError, RemoteError."""
    remotes = list_pull_remotes(_rules(opened), _place(opened, remote))
    return pull(
        opened.workspace,
        _transport(opened),
        remotes,
        take_vectors=lambda workspace: _take_vectors(opened, workspace),
        reopen=opened.reopen,
    )


def _take_vectors(opened: Opened, workspace: Workspace) -> Taken | None:
    """Checking vectors embeds a few texts, which a hosted model is not sent for a pull."""
    if load("is-hosted")(opened.settings):
        return None
    taken: Taken = load("try-take-vectors")(workspace)
    return taken


def retire_memory(opened: Opened, *, idle_days: int, is_dry_run: bool) -> Retired:
    """Retire idle writers of the remote that push goes to. Raises NoMemory, RemoteError."""
    if opened.project is None:
        raise NoMemory("there is no memory here to maintain")
    retire: Callable[..., Retired] = load("retire")
    return retire(
        opened.workspace,
        _transport(opened),
        choose_push_remote(_rules(opened), None),
        opened.project,
        idle_days=idle_days,
        as_branch=opened.settings.sync_refs == "branches",
        is_dry_run=is_dry_run,
        reopen=opened.reopen,
    )


def _place(opened: Opened, remote: str | None) -> str | None:
    """What was typed; a folder by its full path, because a detached memory is elsewhere."""
    if remote is None or not remote.startswith(("./", "../")):
        return remote
    return str((opened.cwd / remote).resolve())


def _transport(opened: Opened) -> Transport:
    clone = opened.workspace.clone
    git_dir = clone.memory_git if opened.settings.is_detached else opened.layout.git_dir
    return choose_transport(opened.settings, git_dir, opened.environ)


def _rules(opened: Opened) -> RemoteRules:
    settings, layout = opened.settings, opened.layout
    return RemoteRules(
        settings=opened.workspace.sources.settings,
        configured=settings.sync_remote,
        branch=opened.workspace.place.branch,
        is_detached=settings.is_detached,
        list_addresses=choose_transport(settings, layout.git_dir, opened.environ).list_addresses,
        cwd=opened.cwd,
        top=layout.work_tree or layout.git_dir,
    )
