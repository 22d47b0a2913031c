"""Whether to tell a person that this clone has a memory and no hooks: once a day at most."""

from __future__ import annotations

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.errors import GitmemError

EVERY_MS = 24 * 60 * 60 * 1000
_MEMO = "hooks-hint"


def lacks_hooks(opened: Opened) -> bool:
    """Looks once a day, and remembers in the cache that it did."""
    workspace = opened.workspace
    if workspace.memory is None or workspace.place.work_tree is None:
        return False
    if opened.settings.is_detached or opened.environ.get("GITMEM") == "0":
        return False
    now_ms = workspace.clock.now_ms()
    last = workspace.facts.get_memo(_MEMO) or ""
    if last.isdecimal() and 0 <= now_ms - int(last) < EVERY_MS:
        return False
    workspace.facts.set_memo(_MEMO, str(now_ms))
    try:
        files = load("hook-files")(opened.layout, opened.environ, is_detached=False)
        return not files.is_installed()
    except GitmemError:
        return False  # where hooks cannot be put, there is nothing to tell
