"""Wiring of verify, doctor and the cache commands."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from gitmem.app.adapters import load
from gitmem.app.background import growing_lock
from gitmem.app.cache_file import reopen_cache
from gitmem.app.opening import Opened, open_repository
from gitmem.cache.lock import hold_lock
from gitmem.errors import Contended
from gitmem.services.catch_up import catch_up
from gitmem.services.grow import grow_history
from gitmem.services.verify import VerifyReport, verify


def verify_memory(opened: Opened, *, strict: bool) -> VerifyReport:
    """Read and check everything; strict holds records against the JSON Schemas, too."""
    check: Callable[[Any], list[str]] | None = load("check-record") if strict else None
    return verify(opened.workspace, check_schema=check)


def rebuild_cache(opened: Opened) -> int:
    """Throw the cache away and build it anew; the number of records in it."""
    fresh = reopen_cache(
        opened.cache, opened.layout.common_dir, opened.workspace.clone, opened.settings
    )
    fresh.close()
    again = open_repository(opened.cwd, opened.environ, report=opened.report, heavy=True)
    try:
        catch_up(again.workspace, with_history=False)
        grow(again)
        if again.workspace.memory is None:
            return 0
        return again.workspace.records.get_counts(again.workspace.place.worktree).records
    finally:
        again.close()


def grow(opened: Opened) -> int:
    """Index the rest of history now; the commits added. Does nothing, and gives 0, where
    another process is at it."""
    lock = hold_lock(growing_lock(opened.workspace.clone.home), timeout_seconds=0)
    with contextlib.suppress(Contended), lock:
        return grow_history(opened.workspace)
    return 0
