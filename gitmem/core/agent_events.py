"""What happens in a coding agent, in our words, whichever agent it is."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Moment = Literal[
    "session-start",
    "subagent-start",
    "user-prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "agent-response",
    "stop",
    "subagent-stop",
    "pre-compact",
    "session-end",
]
"""The words of `gitmem hook MOMENT --agent NAME`, the same for all agents. `agent-response` is
for agents whose `stop` does not bring the last message."""
MOMENTS: frozenset[str] = frozenset(get_args(Moment))

AGENTS = ("claude", "codex", "cursor", "gemini", "copilot", "opencode")
"""The names of the agents that there is a module for in `agents/`."""

MAX_TEXT_CHARS = 64 * 1024
"""Of a prompt or a message no more than this is looked at."""
MAX_PATHS = 50
MAX_PATH_CHARS = 4096


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event, decoded leniently: what was missing or odd is empty. Nothing in it is trusted.

    `session` tells conversations apart, `sub` is the sub-agent's id inside one, `turn` the id
    of the exchange where the agent gives one; none of them is ever written into a record.
    `cwd` is where the agent is now, `home` where it was started. `paths` are the files that an
    edit tool names, as it names them. `prompt` is what the person asked, `message` the agent's
    last words. `name` is the event's own name in the agent, which some answers repeat.
    """

    agent: str
    moment: Moment
    name: str = ""
    session: str = ""
    sub: str = ""
    turn: str = ""
    cwd: str = ""
    home: str = ""
    source: str = ""
    prompt: str = ""
    message: str = ""
    model: str = ""
    paths: tuple[str, ...] = ()
    transcript: str = ""
