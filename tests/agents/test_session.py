"""A recorded session of Claude Code, event by event, and what each one did."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitmem.app.agent_hooking import Hooking
from tests.agents.conftest import FENCE, Agent, list_spooled, read_log, remember, run_hook
from tests.support.commandline import Clone

SESSION = json.loads((Path(__file__).parent / "payloads" / "session.json").read_text())


def fill(value: Any, root: str) -> Any:
    """The payload, with this repository's folder for the recorded one."""
    if isinstance(value, str):
        return value.replace("/home/ada/shop", root)
    if isinstance(value, list):
        return [fill(one, root) for one in value]
    if isinstance(value, dict):
        return {name: fill(one, root) for name, one in value.items()}
    return value


def replay(clone: Clone) -> list[str]:
    """Run all events in processes of their own; the texts that reached the model."""
    said = []
    for step in SESSION:
        for path, text in step.get("writes", {}).items():
            clone.write(path, text)
        payload = fill(step["payload"], str(clone.path))
        data = json.dumps(payload).encode()
        done = run_hook(clone.path, step["moment"], "claude", data)
        assert (done.returncode, done.stderr) == (0, b""), step
        text = ""
        if done.stdout:
            answer = json.loads(done.stdout)["hookSpecificOutput"]
            assert answer["hookEventName"] == payload["hook_event_name"]
            text = answer["additionalContext"]
        assert bool(text) == step["answers"], (step["moment"], text)
        said.append(text)
    return said


def test_a_whole_session_and_the_same_again(clone: Clone) -> None:
    remember(
        clone,
        "Cache keyed by URL",
        "src/cache.py",
        why="One row a page was enough, because there was one tenant.",
    )
    said = replay(clone)
    assert all(text.startswith(FENCE) for text in said if text)
    assert read_log(clone) == ""
    mine = [record for record in list_spooled(clone) if record["captured_by"] == "agent"]
    told = [(record["summary"], [ref["path"] for ref in record["paths"]]) for record in mine]
    assert told == [
        ("The limits are tested with an empty tenant", ["tests/c.py"]),
        ("Cache rows are keyed by tenant and URL", ["src/cache.py", "src/migrate.sql"]),
        ("The slow reads come from the lock, which is one for all tenants", []),
    ]
    assert [record["type"] for record in mine] == ["test", "bugfix", "investigation"]
    assert "because two tenants shared a row" in mine[1]["why"]

    before = [record["id"] for record in list_spooled(clone)]
    for step in SESSION:
        data = json.dumps(fill(step["payload"], str(clone.path))).encode()
        Hooking(step["moment"], "claude", clone.path, os.environ).answer(data)
    assert [record["id"] for record in list_spooled(clone)] == before


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork", "odd", ""])
def test_every_beginning_gets_the_brief(agent: Agent, source: str) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py", why="Rows were shared")
    said = agent.hook("session-start", source=source)
    assert "Cache keyed by tenant" in said and "in no commit yet" in said


def test_the_brief_has_what_stands_and_what_history_says(agent: Agent) -> None:
    clone = agent.clone
    old = clone.decide("Cache keyed by URL", "app.py")
    clone.decide("Cache keyed by tenant", "app.py", "--supersedes", old)
    clone.commit("Use WAL, because readers must not wait", {"src/cache.py": "wal\n"})
    clone.git("checkout", "-q", "-b", "other")
    clone.decide("Only on the other branch", "docs/a.md")
    clone.git("checkout", "-q", "main")
    clone.why("app.py")
    said = agent.hook("session-start", source="startup")
    assert "Cache keyed by tenant" in said
    assert "Cache keyed by URL" not in said
    assert "Only on the other branch" not in said
    assert "readers must not wait" in said
    assert "branch main" in said


def test_a_sub_agent_gets_the_same_brief(agent: Agent) -> None:
    remember(agent.clone, "Cache keyed by tenant", "app.py")
    assert "Cache keyed" in agent.hook("subagent-start", agent_id="a1", agent_type="Explore")


def test_an_empty_memory_has_nothing_to_say(agent: Agent) -> None:
    assert "* decision" not in agent.hook("session-start", source="startup")


def test_a_long_brief_keeps_its_budget(agent: Agent) -> None:
    for number in range(14):
        remember(agent.clone, f"Decision {number} " + "word " * 60, "app.py", why="x " * 800)
    said = agent.hook("session-start", source="startup")
    assert len(said) <= 6_000
    assert "more left out" in said


def test_a_prompt_gets_what_has_to_do_with_it_once(agent: Agent) -> None:
    remember(
        agent.clone,
        "Cache rows are keyed by tenant",
        "src/cache.py",
        why="Two tenants shared a cache row when it was keyed by URL",
    )
    question = "Why are cache rows keyed by tenant and not by URL?"
    assert "keyed by tenant" in agent.prompt(question)
    assert agent.prompt(question) == ""
    other = Agent(agent.clone, session="other")
    assert "keyed by tenant" in other.prompt(question)


def test_what_was_told_of_a_file_is_not_told_again_to_a_prompt(agent: Agent) -> None:
    remember(agent.clone, "Cache rows are keyed by tenant", "src/cache.py")
    assert agent.before_edit("src/cache.py") != ""
    assert agent.prompt("Why are cache rows keyed by tenant and not by URL?") == ""


@pytest.mark.parametrize("prompt", ["ok", "go on", "/compact cache rows keyed by tenant", ""])
def test_a_word_or_a_command_gets_nothing(agent: Agent, prompt: str) -> None:
    remember(agent.clone, "Cache rows are keyed by tenant", "src/cache.py")
    assert agent.prompt(prompt) == ""


def test_what_has_nothing_to_do_with_it_is_not_shown(agent: Agent) -> None:
    remember(agent.clone, "Cache rows are keyed by tenant", "src/cache.py")
    assert agent.prompt("Please write a poem about the autumn in Lisbon") == ""


def test_recall_can_be_switched_off(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(agent.clone, "Cache rows are keyed by tenant", "src/cache.py")
    monkeypatch.setenv("GITMEM_RECALL_ENABLED", "false")
    assert agent.prompt("Why are cache rows keyed by tenant and not by URL?") == ""


@pytest.mark.parametrize("asked", ["ok then", "/compact", "", "why is the cache keyed by tenant"])
def test_a_prompt_that_is_skipped_opens_no_memory(agent: Agent, asked: str) -> None:
    remember(agent.clone, "Cache rows are keyed by tenant", "src/cache.py")
    if len(asked.split()) > 2:
        file = agent.clone.path / ".gitmem" / "project.toml"
        file.write_text(file.read_text() + "\n[recall]\nenabled = false\n")
    for file in agent.clone.home.glob("cache.db*"):
        file.unlink()
    assert agent.prompt(asked) == ""
    assert not list(agent.clone.home.glob("cache.db*"))


def test_a_prompt_without_spaces_is_a_question_too(agent: Agent) -> None:
    remember(agent.clone, "按租户缓存数据库的每一行", "src/cache.py")
    assert "按租户缓存" in agent.prompt("为什么按租户缓存数据库的每一行")
