"""Wiring of `changelog`: the settings it heeds, and the one command that may fetch for it."""

from __future__ import annotations

import msgspec

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.errors import HistoryCut, NotFound, UsageError
from gitmem.ports.range_reader import Deepener
from gitmem.services.changelog import (
    ChangelogAnswer,
    ChangelogRequest,
    build_changelog,
    find_remote,
)
from gitmem.services.workspace import Workspace


def make_changelog(
    opened: Opened, request: ChangelogRequest, *, may_fetch: bool = False
) -> ChangelogAnswer:
    """The changelog of a range, by the settings of the repository. Where history is missing
    and it may, fetch it, and try once more. Raises what `build_changelog` raises, and
    RemoteError."""
    settings = opened.settings
    request = msgspec.structs.replace(
        request,
        ignored_paths=settings.changelog_ignored_paths,
        ignored_types=settings.changelog_ignored_types,
    )
    try:
        return build_changelog(opened.workspace, request)
    except (HistoryCut, NotFound):
        if not may_fetch:
            raise
    return build_changelog(_fetch(opened), request)


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
