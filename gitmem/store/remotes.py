"""Which remote memory goes to and comes from."""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.ports.repository import RepositorySettings


def choose_push_remote(
    settings: RepositorySettings,
    *,
    asked: str | None,
    configured: str | None,
    branch: str | None,
    is_detached: bool,
) -> str:
    """A remote's name or address: the asked one, else `[sync] remote`, else
    `remote.pushDefault`, else the branch's upstream remote, else the only one.

    A detached memory has no fall-back: raises UsageError where nothing is configured.
    """
    if is_detached:
        remote = configured if asked is None else asked
        if remote is None:
            raise UsageError(
                "this memory is detached: it is sent nowhere until you say where",
                hint='Set it in .git/gitmem/config.toml: [sync] remote = "ADDRESS"',
            )
        if asked is not None and asked != configured and asked in settings.list_remotes():
            raise UsageError(
                f"a detached memory is never sent to {asked}, a remote of the code",
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
) -> list[str]:
    """The remote that push goes to, and `upstream` where it exists; only the asked one if
    one was named."""
    first = choose_push_remote(
        settings, asked=asked, configured=configured, branch=branch, is_detached=is_detached
    )
    if asked is None and not is_detached and first != "upstream":
        return [first, *(["upstream"] if "upstream" in settings.list_remotes() else [])]
    return [first]
