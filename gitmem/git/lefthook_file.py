"""gitmem's part of `lefthook-local.yml`, as text: marked, and taken out byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitmem.git.hook_scripts import BEGIN, END

_KEY = re.compile(r"^([A-Za-z][A-Za-z0-9_-]*)\s*:", re.MULTILINE)
_JOINED = "# (the line before had no end)"
_BLOCK = re.compile(r"\n?" + re.escape(BEGIN) + r".*?" + re.escape(END) + r"\n?", re.DOTALL)


def format_commands(hooks: Sequence[str]) -> str:
    """The marked lines; each command does nothing where gitmem is not installed."""
    rows = [BEGIN]
    for hook in hooks:
        words = " {1}" if hook == "prepare-commit-msg" else ""
        rows += [
            f"{hook}:",
            "  commands:",
            "    gitmem:",
            f"      run: command -v gitmem >/dev/null 2>&1 || exit 0; gitmem hook {hook}{words}",
        ]
    return "\n".join([*rows, END, ""])


def insert_commands(text: str, hooks: Sequence[str]) -> str | None:
    """The file's text with them; None where it has settings of these hooks already, which
    only a person can join."""
    bare = remove_commands(text)
    if not set(_KEY.findall(bare)).isdisjoint(hooks):
        return None
    commands = format_commands(hooks)
    if not bare or bare.endswith("\n"):
        return bare + commands
    return bare + "\n" + commands.replace(BEGIN, f"{BEGIN}\n{_JOINED}", 1)


def remove_commands(text: str) -> str:
    """The text without them."""
    return _BLOCK.sub(_before, text)


def _before(match: re.Match[str]) -> str:
    is_joined = _JOINED in match.group()
    return "\n" if match.group().startswith("\n") and not is_joined else ""
