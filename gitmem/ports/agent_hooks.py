"""One coding agent's side of its hooks: how its events read, and how it takes an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from gitmem.core.agent_events import Event, Moment


class AgentHooks(Protocol):
    """A module of `agents/`, named as the agent is."""

    NAME: str
    EVENT_NAMES: Mapping[Moment, str]
    """The agent's own name of each event that it has."""
    INJECTS: frozenset[Moment]
    """Where a text reaches the model."""
    GUARDS_AT: Moment | None
    """Where the decisions about a file reach the model; None where nowhere."""

    def decode_event(
        self, moment: Moment, payload: Mapping[str, Any], environ: Mapping[str, str]
    ) -> Event:
        """The event of one payload. Raises nothing, whatever the payload holds."""
        ...

    def encode_answer(self, event: Event, text: str) -> bytes:
        """What goes to stdout; nothing where there is nothing to say, or no way to say it."""
        ...
