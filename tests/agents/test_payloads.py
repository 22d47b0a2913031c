"""Every agent's payloads, as they are sent, and its answers, as it takes them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.agent_events import AGENTS, MOMENTS, Event, Moment

FIXTURES = Path(__file__).parent / "payloads"
RECORDED = {name: json.loads((FIXTURES / f"{name}.json").read_text()) for name in AGENTS}
CASES = [
    pytest.param(name, case, id=f"{name} {case['moment']}")
    for name, cases in RECORDED.items()
    for case in cases
]


def decode(agent: str, moment: Moment, payload: dict[str, Any]) -> Event:
    hooks = importlib.import_module(f"gitmem.agents.{agent}")
    event: Event = hooks.decode_event(moment, payload, {})
    return event


@pytest.mark.parametrize(("agent", "case"), CASES)
def test_a_payload_reads_as_it_is_meant(agent: str, case: dict[str, Any]) -> None:
    event = decode(agent, case["moment"], case["payload"])
    for name, value in case["reads"].items():
        found = getattr(event, name)
        assert (list(found) if isinstance(found, tuple) else found) == value, name


@pytest.mark.parametrize(("agent", "case"), CASES)
def test_an_answer_has_the_agents_own_form(agent: str, case: dict[str, Any]) -> None:
    hooks = importlib.import_module(f"gitmem.agents.{agent}")
    event = decode(agent, case["moment"], case["payload"])
    said = hooks.encode_answer(event, "dated facts")
    assert (json.loads(said) if said else None) == case["answer"]
    assert hooks.encode_answer(event, "") == b""


@pytest.mark.parametrize("agent", AGENTS)
def test_every_event_of_an_agent_was_recorded(agent: str) -> None:
    hooks = importlib.import_module(f"gitmem.agents.{agent}")
    assert agent == hooks.NAME
    assert {case["moment"] for case in RECORDED[agent]} == set(hooks.EVENT_NAMES)
    assert set(hooks.EVENT_NAMES) >= hooks.INJECTS
    assert hooks.GUARDS_AT is None or hooks.GUARDS_AT in hooks.INJECTS


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
_FIELDS = sorted(
    {name for cases in RECORDED.values() for case in cases for name in case["payload"]}
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(_FIELDS), _JSON), st.sampled_from(sorted(MOMENTS)))
def test_fields_of_any_kind_are_read_without_a_complaint(
    payload: dict[str, Any], moment: Moment
) -> None:
    for agent in AGENTS:
        assert decode(agent, moment, payload).moment == moment


@pytest.mark.parametrize("agent", AGENTS)
def test_a_path_that_is_none_is_left_out(agent: str) -> None:
    for path in ("", "a\0b", "x" * 5000, 7, None, ["a"], {"a": "b"}):
        payload = {
            "tool_name": "write",
            "toolName": "write",
            "file_path": path,
            "tool_input": {"file_path": path, "filePath": path, "path": path},
            "toolArgs": {"path": path},
        }
        for tool in ("Write", "write", "write_file"):
            payload["tool_name"] = tool
            assert decode(agent, "post-tool-use", payload).paths == ()


def test_a_patch_nested_too_deep_or_too_wide_is_looked_at_within_bounds() -> None:
    deep: Any = "*** Update File: deep.py"
    for _ in range(200):
        deep = {"in": deep}
    wide = {"many": [f"*** Update File: {number}.py" for number in range(5_000)]}
    for given_input in (deep, wide):
        payload = {"tool_name": "apply_patch", "tool_input": given_input}
        assert len(decode("codex", "pre-tool-use", payload).paths) <= 50
