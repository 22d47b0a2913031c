"""What else knows of peers: agents' hooks, doctor, and the list of decisions."""

from __future__ import annotations

import json

from tests.peers.conftest import Town


def edit(town: Town, path: str, session: str) -> str:
    """What an agent is told before it edits a file."""
    payload = {
        "session_id": session,
        "hook_event_name": "PreToolUse",
        "cwd": str(town.shop.path),
        "tool_name": "Edit",
        "tool_input": {"file_path": str(town.shop.path / path)},
    }
    done = town.shop.gitmem(
        "hook", "pre-tool-use", "--agent", "claude", stdin=json.dumps(payload).encode()
    ).ok()
    return done.out


def test_agents_are_told_of_a_peers_decisions_only_where_it_was_added_for_that(town: Town) -> None:
    town.peers("add", str(town.billing.path)).ok()
    assert "Sessions in cookies" in edit(town, "src/app.py", "one")
    assert "Cache keyed by tenant" not in edit(town, "src/app.py", "two")
    town.peers("add", str(town.billing.path), "--inject").ok()
    said = edit(town, "src/app.py", "three")
    assert "Cache keyed by tenant" in said and "billing" in said
    assert "Drop the cache" not in said


def prompt(town: Town, text: str, session: str) -> str:
    """What an agent is told when it is asked for something."""
    payload = {
        "session_id": session,
        "hook_event_name": "UserPromptSubmit",
        "cwd": str(town.shop.path),
        "prompt": text,
    }
    done = town.shop.gitmem(
        "hook", "user-prompt-submit", "--agent", "claude", stdin=json.dumps(payload).encode()
    ).ok()
    return done.out


TENANTS = "Why is the cache keyed by tenant?"


def test_only_a_peer_that_was_added_for_it_ever_reaches_a_prompt(town: Town) -> None:
    town.peers("add", str(town.billing.path)).ok()
    town.peers("add", str(town.bare), "--alias", "bare").ok()
    assert "tenant" in town.shop.gitmem("recall", TENANTS).ok().out
    for number, text in enumerate([TENANTS, "Cache keyed by tenant, two tenants shared a row"]):
        assert "billing" not in prompt(town, text, f"none-{number}")
        assert "keyed by tenant" not in prompt(town, text, f"none again {number}")


def test_a_prompt_has_what_a_peer_added_for_it_says_once_a_session(town: Town) -> None:
    town.peers("add", str(town.billing.path), "--inject").ok()
    town.peers("add", str(town.bare), "--alias", "bare").ok()
    said = prompt(town, TENANTS, "one")
    assert "Cache keyed by tenant" in said and "billing" in said
    assert "Drop the cache" not in said and "Use WAL" not in said
    assert "Cache keyed by tenant" not in prompt(town, TENANTS, "one")
    assert "keyed by tenant" not in prompt(town, "Please write me a poem about the spring", "two")


def test_a_prompt_is_answered_from_here_where_an_injecting_peer_is_gone(town: Town) -> None:
    town.peers("add", str(town.billing.path), "--inject").ok()
    town.billing.path.rename(town.root / "moved")
    asked = "Why are sessions kept in cookies?"
    assert "Sessions in cookies" in prompt(town, asked, "one")


def test_doctor_names_a_peer_that_is_gone(asked: Town) -> None:
    assert "1 peer to be asked" in asked.shop.gitmem("doctor").all
    asked.billing.path.rename(asked.root / "moved")
    said = asked.shop.gitmem("doctor").all
    assert "the peer billing" in said and "gitmem peers rm billing" in said


def test_the_list_of_decisions_has_those_of_peers_by_their_time(asked: Town) -> None:
    asked.shop.decide("Decided last", "src/plain.py")
    rows = asked.shop.gitmem("--json", "log").ok().data
    shown = [(row["project"], row["summary"]) for row in rows["hits"]]
    assert shown[0] == (".", "Decided last")
    assert ("billing", "Cache keyed by tenant") in shown and rows["total"] == 8
    assert "[billing] Round half even" in asked.shop.gitmem("log").ok().out
    few = asked.shop.gitmem("--json", "log", "-n", "2").ok().data["hits"]
    assert len(few) == 2
    own = asked.shop.gitmem("--json", "log", "--no-peers").ok().data["hits"]
    assert {row["project"] for row in own} == {"."}
    of_path = asked.shop.gitmem("--json", "log", "src/store.py").ok().data["hits"]
    assert {row["project"] for row in of_path} == {"billing"}


def test_impact_names_the_peers_that_link_to_a_file(asked: Town) -> None:
    data = asked.shop.gitmem("--json", "impact", "src/total.py").ok().data
    assert data["peers"] == [{"project": "billing", "total": 1}]
    assert "billing" in asked.shop.gitmem("impact", "src/total.py").ok().out
    assert asked.shop.gitmem("--json", "impact", "src/plain.py").ok().data["peers"] == []
    words = ["--json", "impact", "src/total.py", "--no-peers"]
    assert asked.shop.gitmem(*words).ok().data["peers"] == []
