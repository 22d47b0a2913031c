"""The coding agents that can be set up: which files, where, and what switches them off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from gitmem.agents.setup import hook_table
from gitmem.agents.setup.codex_toml import CodexToml
from gitmem.agents.setup.file_text import decode_text, split_mark
from gitmem.agents.setup.hook_settings import HookSettings
from gitmem.agents.setup.instructions import Instructions
from gitmem.agents.setup.jsonc import JsoncError, parse_jsonc
from gitmem.agents.setup.markdown_block import AGENTS_TEXT, CLAUDE_TEXT
from gitmem.agents.setup.opencode_plugin import PLUGIN
from gitmem.agents.setup.owned_file import OwnedFile
from gitmem.errors import Refused
from gitmem.ports.agent_setup import ManagedFile

PLUGIN_NAME = "gitmem@"


def has_no_plugin(data: bytes) -> bool:
    """For agents whose plugins do not stand in their settings."""
    return False


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent. `project` is its settings file within a work tree, `user` that within the
    user's own folder for it: `user_folder` below the home ("" is the home itself), or what
    `user_variable` names in its place.
    `also` are further files of the project to look at; `instructions` those for its model.
    `note` is what a person must do besides."""

    name: str
    title: str
    project: ManagedFile
    user: ManagedFile
    user_folder: str
    user_variable: str = ""
    also: tuple[ManagedFile, ...] = ()
    also_user: tuple[ManagedFile, ...] = ()
    instructions: tuple[ManagedFile, ...] = ()
    has_plugin: Callable[[bytes], bool] = has_no_plugin
    note: str = ""


def _disabled(settings: dict[str, Any]) -> str:
    return "disableAllHooks is true" if settings.get("disableAllHooks") is True else ""


def _gemini_obstacle(settings: dict[str, Any]) -> str:
    for name, key in (("hooksConfig", "enabled"), ("tools", "enableHooks"), ("hooks", "enabled")):
        section = settings.get(name)
        if isinstance(section, dict) and section.get(key) is False:
            return f"{name}.{key} is false"
    for name in ("hooksConfig", "hooks"):
        section = settings.get(name)
        disabled = section.get("disabled") if isinstance(section, dict) else None
        if isinstance(disabled, list) and "gitmem" in disabled:
            return f"{name}.disabled names gitmem"
    return ""


def _has_claude_plugin(data: bytes) -> bool:
    try:
        settings = parse_jsonc(split_mark(decode_text(data, ""))[1]).value
    except (Refused, JsoncError):
        return False
    plugins = settings.get("enabledPlugins") if isinstance(settings, dict) else None
    names = plugins.items() if isinstance(plugins, dict) else ()
    return any(name.startswith(PLUGIN_NAME) and is_on is True for name, is_on in names)


def _claude(path: str) -> HookSettings:
    return HookSettings(path, hook_table.CLAUDE, _disabled)


def _copilot(path: str) -> HookSettings:
    return HookSettings(path, hook_table.COPILOT, _disabled)


AGENTS_FILE = Instructions("AGENTS.md", AGENTS_TEXT)
AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            name="claude",
            title="Claude Code",
            project=_claude(".claude/settings.json"),
            user=_claude("settings.json"),
            user_folder=".claude",
            user_variable="CLAUDE_CONFIG_DIR",
            also=(_claude(".claude/settings.local.json"),),
            instructions=(AGENTS_FILE, Instructions("CLAUDE.md", CLAUDE_TEXT, is_import=True)),
            has_plugin=_has_claude_plugin,
        ),
        Agent(
            name="codex",
            title="Codex",
            project=HookSettings(".codex/hooks.json", hook_table.CODEX),
            user=HookSettings("hooks.json", hook_table.CODEX),
            user_folder=".codex",
            user_variable="CODEX_HOME",
            also=(CodexToml(".codex/config.toml"),),
            also_user=(CodexToml("config.toml"),),
            instructions=(AGENTS_FILE,),
            note="Codex runs hooks only once they are trusted: start it here and type /hooks.",
        ),
        Agent(
            name="cursor",
            title="Cursor",
            project=HookSettings(".cursor/hooks.json", hook_table.CURSOR),
            user=HookSettings("hooks.json", hook_table.CURSOR),
            user_folder=".cursor",
            instructions=(AGENTS_FILE,),
            note="Where Cursor is set to include third-party configurations, it runs the hooks of "
            "Claude Code's settings, too: set up one of the two.",
        ),
        Agent(
            name="gemini",
            title="Gemini CLI",
            project=HookSettings(".gemini/settings.json", hook_table.GEMINI, _gemini_obstacle),
            user=HookSettings(".gemini/settings.json", hook_table.GEMINI, _gemini_obstacle),
            user_folder="",
            user_variable="GEMINI_CLI_HOME",
            instructions=(AGENTS_FILE,),
            note="Gemini CLI reads GEMINI.md unless context.fileName names AGENTS.md, too.",
        ),
        Agent(
            name="copilot",
            title="Copilot CLI",
            project=_copilot(".github/hooks/gitmem.json"),
            user=_copilot("hooks/gitmem.json"),
            user_folder=".copilot",
            user_variable="COPILOT_HOME",
            instructions=(AGENTS_FILE,),
        ),
        Agent(
            name="opencode",
            title="OpenCode",
            project=OwnedFile(".opencode/plugins/gitmem.ts", PLUGIN),
            user=OwnedFile("opencode/plugins/gitmem.ts", PLUGIN),
            user_folder=".config",
            user_variable="XDG_CONFIG_HOME",
            instructions=(AGENTS_FILE,),
        ),
    )
}
