"""Codex's `config.toml`, which is read and never written: whether its hooks are switched off."""

from __future__ import annotations

import tomllib

from gitmem.agents.setup.file_text import decode_text
from gitmem.ports.agent_setup import FileState

_SWITCHES = ("hooks", "codex_hooks")


class CodexToml:
    """A ManagedFile in which nothing is managed: hooks stand in `hooks.json` beside it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def install(self, data: bytes | None) -> bytes | None:
        return data

    def remove(self, data: bytes, original: bytes | None) -> bytes | None:
        return data

    def check(self, data: bytes | None) -> FileState:
        has_call = "gitmem hook " in decode_text(data, self.path)
        return "installed" if has_call else "missing"

    def find_obstacle(self, data: bytes) -> str:
        try:
            features = tomllib.loads(decode_text(data, self.path)).get("features", {})
        except (tomllib.TOMLDecodeError, RecursionError):
            return f"{self.path} cannot be parsed"
        for name in _SWITCHES:
            if isinstance(features, dict) and features.get(name) is False:
                return f"{self.path} switches hooks off: features.{name} = false"
        return ""
