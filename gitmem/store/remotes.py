"""Which remote memory goes to and comes from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from urllib.parse import unquote

import msgspec

from gitmem.core.remote_key import build_remote_key, strip_userinfo
from gitmem.errors import UsageError
from gitmem.ports.repository import RepositorySettings


class RemoteRules(msgspec.Struct, frozen=True):
    """What decides on a remote. `configured` is `[sync] remote`; `branch` the one checked out;
    `list_addresses` gives every address that a remote's name, or an address, may stand for in
    the repository of the code. Relative paths that were typed are taken from `cwd`, those of
    configured remotes from the `top` of the work tree."""

    settings: RepositorySettings
    configured: str | None
    branch: str | None
    is_detached: bool
    list_addresses: Callable[[str], Collection[str]]
    cwd: Path
    top: Path


def choose_push_remote(rules: RemoteRules, asked: str | None) -> str:
    """A remote's name or address: the asked one, else `[sync] remote`, else
    `remote.pushDefault`, else the branch's upstream remote, else the only one.

    A detached memory has no fall-back: raises UsageError where nothing is configured, and for
    a remote of the code.
    """
    if rules.is_detached:
        return _choose_detached(rules, asked)
    if asked is not None:
        return asked
    settings = rules.settings
    remotes = settings.list_remotes()
    upstream = settings.find_config(f"branch.{rules.branch}.remote") if rules.branch else None
    for candidate in (rules.configured, settings.find_config("remote.pushDefault"), upstream):
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


def list_pull_remotes(rules: RemoteRules, asked: str | None) -> list[str]:
    """The remote that push goes to, and `upstream` where it exists; only the asked one if
    one was named."""
    first = choose_push_remote(rules, asked)
    if asked is None and not rules.is_detached and first != "upstream":
        return [first, *(["upstream"] if "upstream" in rules.settings.list_remotes() else [])]
    return [first]


def _choose_detached(rules: RemoteRules, asked: str | None) -> str:
    remote = rules.configured if asked is None else asked
    if remote is None:
        raise UsageError(
            "this memory is detached: it is sent nowhere until you say where",
            hint='Set it in .git/gitmem/config.toml: [sync] remote = "ADDRESS"',
        )
    if _is_of_the_code(rules, remote):
        raise UsageError(
            f"a detached memory is never sent to {strip_userinfo(remote)}, a remote of the code",
            hint="Give a private address: gitmem push ADDRESS",
        )
    return remote


def _is_of_the_code(rules: RemoteRules, address: str) -> bool:
    """Whether an address, however it is spelled or rewritten, is that of a remote of the code."""
    remotes = rules.settings.list_remotes()
    ours = {_identify(url, rules.cwd) for url in rules.list_addresses(address)}
    theirs = {_identify(url, rules.top) for name in remotes for url in rules.list_addresses(name)}
    return address in remotes or not ours.isdisjoint(theirs)


def _identify(address: str, cwd: Path) -> str:
    """One name for all spellings of an address: its key, or the real path of a folder."""
    key = build_remote_key(address)
    if key is not None:
        return key
    path = unquote(address[7:]) if address.startswith("file://") else address
    real = os.path.realpath(cwd / path)
    return real.removesuffix("/.git").removesuffix(".git")
