"""The plugin for Claude Code: the same hooks as in settings, and pages for commands that exist."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from gitmem.agents.setup.hook_table import CLAUDE
from gitmem.agents.setup.registry import AGENTS, PLUGIN_NAME
from gitmem.cli.main import COMMANDS
from tests.support.commandline import ROOT

PLUGIN = ROOT / "integrations" / "claude"
PAGES = sorted((PLUGIN / "commands").glob("*.md"))


def test_the_marketplace_leads_to_the_plugin() -> None:
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    (entry,) = market["plugins"]
    manifest = json.loads((ROOT / entry["source"] / ".claude-plugin/plugin.json").read_text())
    assert ROOT / entry["source"] == PLUGIN
    assert manifest["name"] == entry["name"] == PLUGIN_NAME.removesuffix("@")
    enabled = {"enabledPlugins": {f"{entry['name']}@{market['name']}": True}}
    assert AGENTS["claude"].has_plugin(json.dumps(enabled).encode())


def test_the_plugin_has_the_version_of_the_package() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == project["project"]["version"]


def test_its_hooks_are_those_that_settings_get() -> None:
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text())["hooks"]
    assert hooks == {event.name: [CLAUDE.build_entry(event)] for event in CLAUDE.events}


def test_there_is_a_page_for_each_daily_task() -> None:
    names = {page.stem for page in PAGES}
    assert names == {"init", "why", "recall", "capture", "note", "changelog"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_may_run_its_own_command_and_shows_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    assert re.search(r"^description: \S", head, re.MULTILINE)
    allowed = re.findall(r"Bash\((gitmem [a-z]+):\*\)", head)
    assert allowed[0] == f"gitmem {page.stem}"
    assert f"`gitmem {page.stem}" in body
    assert page.stem in COMMANDS
    # What is typed must never reach a shell unread: no line is run before the model saw it.
    assert "!`" not in body
