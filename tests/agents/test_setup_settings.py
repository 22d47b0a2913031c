"""gitmem's part of settings files: put in beside what is there, taken out byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.agents import claude, codex, copilot, cursor, gemini
from gitmem.agents.setup.hook_settings import HookSettings
from gitmem.agents.setup.hook_table import CLAUDE, CODEX, COPILOT, CURSOR, GEMINI, HookTable
from gitmem.agents.setup.instructions import Instructions
from gitmem.agents.setup.jsonc import parse_jsonc
from gitmem.agents.setup.markdown_block import BEGIN, END
from gitmem.agents.setup.owned_file import OwnedFile
from gitmem.agents.setup.registry import AGENTS
from gitmem.core.agent_events import Moment
from gitmem.errors import Refused
from tests.support.jsonc_documents import PATIENT, VALUES, documents

TABLES = [CLAUDE, CODEX, CURSOR, GEMINI, COPILOT]
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.agent)
OTHER = {"type": "command", "command": "echo gitmem hook is not what this runs", "timeout": 9}
EVENT_NAMES: dict[str, Mapping[Moment, str]] = {
    module.NAME: module.EVENT_NAMES for module in (claude, codex, copilot, cursor, gemini)
}
BOM = b"\xef\xbb\xbf"


def _file(table: HookTable) -> HookSettings:
    return HookSettings("settings.json", table)


def _settings_of(table: HookTable) -> st.SearchStrategy[Any]:
    """Settings with a few members, and hooks of others, never empty ones."""
    entry: dict[str, Any] = {"matcher": "Bash", "hooks": [OTHER]} if table.is_grouped else OTHER
    names = [*(event.name for event in table.events), "SomethingNew"]
    hooks = st.dictionaries(
        st.sampled_from(names), st.lists(st.just(entry), min_size=1, max_size=2), min_size=1
    )
    plain = st.dictionaries(st.sampled_from(["a", "env", "model"]), VALUES, min_size=1, max_size=3)
    return st.tuples(plain, hooks, st.booleans()).map(
        lambda parts: {**parts[0], **({"hooks": parts[1]} if parts[2] else {})}
    )


SHORT = [msgspec.structs.replace(table, events=table.events[:3]) for table in (CLAUDE, CURSOR)]


@pytest.mark.parametrize("table", SHORT, ids=lambda table: table.agent)
@settings(PATIENT, max_examples=25)
@given(data=st.data())
def test_uninstalling_gives_back_every_byte_without_being_told_them(
    table: HookTable, data: st.DataObject
) -> None:
    text, value = data.draw(documents(_settings_of(table)))
    mark = BOM if data.draw(st.booleans()) else b""
    before = mark + text.encode()
    installed = _file(table).install(before)
    rest = iter(installed)
    assert all(byte in rest for byte in before), "something of the user's was moved"
    now = parse_jsonc(installed.removeprefix(BOM).decode()).value
    assert {**now, "hooks": None} == {**value, "hooks": None}
    assert _file(table).check(installed) == "installed"
    assert _file(table).install(installed) == installed
    assert _file(table).remove(installed, None) == before


@each_table
def test_a_new_file_is_plain_json_and_goes_again(table: HookTable) -> None:
    for nothing in (None, b"", b"\n"):
        installed = _file(table).install(nothing)
        assert list(json.loads(installed)["hooks"]) == [event.name for event in table.events]
        assert _file(table).install(installed) == installed
        assert _file(table).remove(installed, None) is None


@each_table
def test_commands_name_the_event_the_agent_and_no_path(table: HookTable) -> None:
    for event in table.events:
        handler = table.build_handler(table.agent, event)
        lines = [handler[k] for k in ("command", "bash", "powershell") if k in handler]
        assert lines
        for line in lines:
            words = f"gitmem hook {event.gitmem} --agent {table.agent}"
            assert line.removesuffix("; exit 0") == words
        assert EVENT_NAMES[table.agent][event.gitmem] == event.name
        assert len(handler) >= 2


def test_time_outs_are_in_the_units_that_the_agent_reads() -> None:
    def of(table: HookTable, key: str) -> set[int]:
        return {table.build_handler("x", event)[key] for event in table.events}

    assert of(CLAUDE, "timeout") == {5, 1}
    assert of(GEMINI, "timeout") == {5000, 1000}
    assert of(COPILOT, "timeoutSec") == {5, 1}
    assert CLAUDE.build_handler("claude", CLAUDE.events[-1])["timeout"] == 1


def test_a_form_of_another_version_is_replaced_and_a_second_one_removed() -> None:
    old = {"type": "command", "command": "gitmem", "args": ["hook", "stop", "--agent", "claude"]}
    exe = {"type": "command", "command": "C:\\tools\\gitmem.exe hook stop --agent claude"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [old, OTHER]}, {"hooks": [exe]}]}}, indent=2)
    file = _file(CLAUDE)
    assert file.check(text.encode()) == "outdated"
    installed = file.install(text.encode())
    hooks = json.loads(installed)["hooks"]
    assert hooks["Stop"][0] == {"hooks": [OTHER]}
    assert [h["command"] for group in hooks["Stop"][1:] for h in group["hooks"]] == [
        "gitmem hook stop --agent claude; exit 0"
    ]
    left = file.remove(installed, None)
    assert left is not None
    assert json.loads(left) == {"hooks": {"Stop": [{"hooks": [OTHER]}]}}


def test_an_event_that_no_longer_is_used_is_taken_out() -> None:
    entry = {"hooks": [{"type": "command", "command": "gitmem hook notify --agent claude"}]}
    installed = _file(CLAUDE).install(json.dumps({"hooks": {"Notification": [entry]}}).encode())
    assert "Notification" not in json.loads(installed)["hooks"]


def test_own_time_outs_and_matchers_stay() -> None:
    value = json.loads(_file(CLAUDE).install(None))
    value["hooks"]["PreToolUse"][0]["matcher"] = "Edit"
    value["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 60
    mine = json.dumps(value, indent=2).encode()
    assert _file(CLAUDE).check(mine) == "installed"
    assert _file(CLAUDE).install(mine) == mine


def test_what_is_missing_is_put_back_and_said_until_then() -> None:
    value = json.loads(_file(CLAUDE).install(None))
    del value["hooks"]["Stop"]
    part = json.dumps(value, indent=2).encode()
    assert _file(CLAUDE).check(part) == "partly"
    assert _file(CLAUDE).check(_file(CLAUDE).install(part)) == "installed"
    assert _file(CLAUDE).check(b'{"model": "x"}') == "missing"


def test_what_others_put_beside_it_since_stays() -> None:
    before = b'{\n  "model": "x" // mine\n}\n'
    value = _file(CLAUDE).install(before).decode()
    edited = value.replace('"SessionStart": [', '"SessionStart": [ /* theirs */', 1)
    edited = edited.replace('"model": "x",', '"model": "y", "new": [],', 1)
    left = _file(CLAUDE).remove(edited.encode(), before)
    assert left is not None
    assert b"/* theirs */" in left
    assert left.startswith(b'{\n  "model": "y", "new": [], // mine\n')
    assert b"gitmem" not in left


def test_containers_that_were_empty_before_stay_and_ours_go() -> None:
    before = b'{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
    installed = _file(CLAUDE).install(before)
    left = _file(CLAUDE).remove(installed, before)
    assert left is not None
    assert json.loads(left) == {"hooks": {"Stop": []}}
    unknown = _file(CLAUDE).remove(installed, None)
    assert unknown is None


REFUSED = [
    b"{",
    b'{"hooks": []}',
    b'{"hooks": "none"}',
    b'{"hooks": null}',
    b'{"hooks": {"Stop": {}}}',
    b'{"hooks": {"Stop": "echo"}}',
    b'{"hooks": {"Stop": ["echo"]}}',
    b'{"hooks": {"Stop": [{"command": "echo"}]}}',
    b'{"hooks": {"Stop": [{"hooks": {}}]}}',
    b'{"hooks": {"Stop": [], "Stop": []}}',
    b'{"hooks": {}, "hooks": {}}',
    b"[]",
    b'"text"',
    b"\xff\xfe{\x00}\x00",
    b'{"a": "\xe4"}',
    b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n",
]


@pytest.mark.parametrize("data", REFUSED)
def test_what_cannot_be_taken_apart_is_refused_by_its_name(data: bytes) -> None:
    file = _file(CLAUDE)
    for action in (file.install, file.check, lambda d: file.remove(d, None)):
        with pytest.raises(Refused, match=r"^settings\.json"):
            action(data)


def test_hooks_of_foreign_events_may_be_anything() -> None:
    before = b'{"hooks": {"enabled": true, "disabled": ["x"]}}'
    file = _file(GEMINI)
    assert file.remove(file.install(before), None) == before


@pytest.mark.parametrize(
    ("name", "settings", "is_off"),
    [
        ("claude", {"disableAllHooks": True}, True),
        ("claude", {"disableAllHooks": False}, False),
        ("gemini", {"hooksConfig": {"enabled": False}}, True),
        ("gemini", {"hooksConfig": {"disabled": ["gitmem"]}}, True),
        ("gemini", {"hooksConfig": "?"}, False),
    ],
)
def test_a_switch_that_silences_hooks_is_found(
    name: str, settings: dict[str, Any], is_off: bool
) -> None:
    obstacle = AGENTS[name].project.find_obstacle(json.dumps(settings).encode())
    assert bool(obstacle) is is_off


def test_codex_switches_are_read_from_its_toml() -> None:
    (toml,) = AGENTS["codex"].also
    assert "features.hooks" in toml.find_obstacle(b"[features]\nhooks = false\n")
    assert toml.find_obstacle(b"[features]\nhooks = true\n") == ""
    assert "cannot be parsed" in toml.find_obstacle(b"[features\n")
    assert toml.install(b"x = 1\n") == b"x = 1\n"


@settings(PATIENT, max_examples=80)
@given(st.text().map(lambda text: text.replace("<!--", "")), st.sampled_from(["\n", "\r\n"]))
def test_a_block_goes_into_any_markdown_and_out_again(text: str, eol: str) -> None:
    before = text.replace("\n", eol).encode("utf-8")
    file = Instructions("AGENTS.md", "one\ntwo")
    installed = file.install(before)
    assert installed is not None
    assert file.check(installed) == "installed"
    assert file.install(installed) == installed
    assert file.remove(installed, before) == before


def test_an_older_block_is_replaced_where_it_stands() -> None:
    text = f"# Ours\n\n{BEGIN}\nold words\n{END}\n\n## After\n".encode()
    file = Instructions("AGENTS.md", "new words")
    assert file.check(text) == "outdated"
    assert file.install(text) == text.replace(b"old", b"new")
    assert file.remove(text, None) == b"# Ours\n\n## After\n"


@pytest.mark.parametrize(
    ("text", "is_added"),
    [
        (b"# Rules\n", True),
        (b"@AGENTS.md\n", False),
        (b"See @./AGENTS.md for more.\n", False),
        (b"Write to me@AGENTS.md\n", True),
        (b"`@AGENTS.md` is what one could write\n", True),
        (b"@docs/AGENTS.md\n", True),
    ],
)
def test_the_import_is_added_only_where_it_lacks(text: bytes, is_added: bool) -> None:
    file = AGENTS["claude"].instructions[1]
    installed = file.install(text)
    assert (installed != text) is is_added
    assert file.check(installed) == "installed"
    assert file.remove(installed or b"", text) == text


def test_no_claude_md_is_made() -> None:
    file = AGENTS["claude"].instructions[1]
    assert file.install(None) is None


def test_a_plugin_file_of_somebody_else_is_refused_and_left() -> None:
    file = OwnedFile("gitmem.ts", "// ours\nexport {}\n")
    with pytest.raises(Refused, match="not gitmem's"):
        file.install(b"export const mine = 1\n")
    assert file.remove(b"export const mine = 1\n", None) == b"export const mine = 1\n"
    assert file.check(b"// ours\nolder\n") == "outdated"
    assert file.remove(b"// ours\nolder\n", None) is None
