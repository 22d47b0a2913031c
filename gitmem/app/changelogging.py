"""Wiring of `changelog`: the settings it heeds, and the one command that may fetch for it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.errors import HistoryCut, NotFound, UsageError
from gitmem.ports.range_reader import Deepener, RangeCommit
from gitmem.services.changelog import (
    AskPeers,
    ChangelogAnswer,
    ChangelogRequest,
    FromPeers,
    ask_nobody,
    build_changelog,
    find_remote,
)
from gitmem.services.workspace import Workspace


def make_changelog(
    opened: Opened,
    request: ChangelogRequest,
    *,
    may_fetch: bool = False,
    with_peers: bool = False,
    aliases: Sequence[str] = (),
) -> ChangelogAnswer:
    """The changelog of a range, by the settings of the repository. Where history is missing
    and it may, fetch it, and try once more. Peers are asked only where that is said, or some
    are named by their aliases. Raises what `build_changelog` raises, RemoteError, and NotFound
    for an alias that is none."""
    settings = opened.settings
    request = msgspec.structs.replace(
        request,
        ignored_paths=settings.changelog_ignored_paths,
        ignored_types=settings.changelog_ignored_types,
    )
    ask_peers = _choose_asked(opened, aliases, is_wanted=with_peers or bool(aliases))
    try:
        return build_changelog(opened.workspace, request, ask_peers=ask_peers)
    except (HistoryCut, NotFound):
        if not may_fetch:
            raise
    return build_changelog(_fetch(opened), request, ask_peers=ask_peers)


def _choose_asked(opened: Opened, aliases: Sequence[str], *, is_wanted: bool) -> AskPeers:
    if not is_wanted or not opened.has_peers(True):
        return ask_nobody

    def ask(commits: Sequence[RangeCommit]) -> FromPeers:
        said: FromPeers = load("peers-of-range")(opened, commits, aliases)
        return said

    return ask


def _fetch(opened: Opened) -> Workspace:
    """The same repository with all the history of its remote."""
    workspace = opened.workspace
    remote = find_remote(workspace)
    if remote is None:
        raise UsageError("this repository has no remote to fetch from")
    deepener: Deepener = load("transport-exec")(
        opened.layout.git_dir, opened.environ, timeout_seconds=opened.settings.timeout_seconds
    )
    workspace.report("fetching history", 0, 0)
    deepener.deepen(remote[0], is_shallow=workspace.place.is_shallow)
    return opened.reopen()
