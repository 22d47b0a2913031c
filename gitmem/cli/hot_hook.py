"""`hook`, past click: git's own events to one module, coding agents' to another."""

from __future__ import annotations

import importlib

AGENT_OPTION = "--agent"


def run(words: list[str]) -> int | None:
    """The exit code; None for an event that is neither git's nor an agent's."""
    is_agents = any(word.partition("=")[0] == AGENT_OPTION for word in words)
    module = "gitmem.cli.hot_agent" if is_agents else "gitmem.cli.hook_run"
    code: int | None = importlib.import_module(module).run(words)
    return code
