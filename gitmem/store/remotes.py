"""Which remote memory goes to and comes from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from urllib.parse import unquote

from gitmem.core.remote_key import build_remote_key, strip_userinfo
from gitmem.errors import UsageError
from gitmem.ports.repository import RepositorySettings

# A remote's name or address → every address it may stand for, in the repository of the code.
ListAddresses = Callable[[str], Collection[str]]


def choose_push_remote(
    settings: RepositorySettings,
    *,
    asked: str | None,
    configured: str | None,
    branch: str | None,
    is_detached: bool,
    list_addresses: ListAddresses,
    cwd: Path,
    top: Path,
) -> str:
    """A remote's name or address: the asked one, else `[sync] remote`, else
    `remote.pushDefault`, else the branch's upstream remote, else the only one. Relative paths
    are taken from `cwd`, those of configured remotes from the `top` of the work tree.

    A detached memory has no fall-back: raises UsageError where nothing is configured, and for
    a remote of the code.
    """
    if is_detached:
        remote = configured if asked is None else asked
        if remote is None:
            raise UsageError(
                "this memory is detached: it is sent nowhere until you say where",
                hint='Set it in .git/gitmem/config.toml: [sync] remote = "ADDRESS"',
            )
        if _is_of_the_code(settings, remote, list_addresses, cwd, top):
            raise UsageError(
                f"a detached memory is never sent to {strip_userinfo(remote)}, "
                "a remote of the code",
                hint="Give a private address: gitmem push ADDRESS",
            )
        return remote
    if asked is not None:
        return asked
    remotes = settings.list_remotes()
    upstream = settings.find_config(f"branch.{branch}.remote") if branch else None
    for candidate in (configured, settings.find_config("remote.pushDefault"), upstream):
        if candidate and candidate != ".":
            return candidate
    if len(remotes) == 1:
        return next(iter(remotes))
    if not remotes:
        raise UsageError(
            "this repository has no remote", hint="Add one: git remote add origin ADDRESS"
        )
    raise UsageError(
        f"there are several remotes ({', '.join(sorted(remotes))}) and none is preferred",
        hint="Name one: gitmem push REMOTE",
    )


def list_pull_remotes(
    settings: RepositorySettings,
    *,
    asked: str | None,
    configured: str | None,
    branch: str | None,
    is_detached: bool,
    list_addresses: ListAddresses,
    cwd: Path,
    top: Path,
) -> list[str]:
    """The remote that push goes to, and `upstream` where it exists; only the asked one if
    one was named."""
    first = choose_push_remote(
        settings,
        asked=asked,
        configured=configured,
        branch=branch,
        is_detached=is_detached,
        list_addresses=list_addresses,
        cwd=cwd,
        top=top,
    )
    if asked is None and not is_detached and first != "upstream":
        return [first, *(["upstream"] if "upstream" in settings.list_remotes() else [])]
    return [first]


def _is_of_the_code(
    settings: RepositorySettings,
    address: str,
    list_addresses: ListAddresses,
    cwd: Path,
    top: Path,
) -> bool:
    """Whether an address, however it is spelled or rewritten, is that of a remote of the code."""
    remotes = settings.list_remotes()
    ours = {_identify(url, cwd) for url in list_addresses(address)}
    theirs = {_identify(url, top) for name in remotes for url in list_addresses(name)}
    return address in remotes or not ours.isdisjoint(theirs)


def _identify(address: str, cwd: Path) -> str:
    """One name for all spellings of an address: its key, or the real path of a folder."""
    key = build_remote_key(address)
    if key is not None:
        return key
    path = unquote(address[7:]) if address.startswith("file://") else address
    real = os.path.realpath(cwd / path)
    return real.removesuffix("/.git").removesuffix(".git")
