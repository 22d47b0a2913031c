"""The tool that adds to the memory: capture."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gitmem.core.agent_events import MAX_PATH_CHARS
from gitmem.core.records import Rejected
from gitmem.core.sealing import seal_line
from gitmem.errors import UsageError
from gitmem.mcp.opening import Ground
from gitmem.mcp.sealed import warn
from gitmem.mcp.values import Kept
from gitmem.services.capture import Draft
from gitmem.services.capture_once import capture_once
from gitmem.services.paths import parse_path_refs, resolve_ids

AGENT = "mcp"
Type = Literal[
    "decision", "feature", "bugfix", "refactor", "perf", "security", "docs", "test", "chore",
    "investigation", "note",
]  # fmt: skip
Reason = Annotated[str, Field(max_length=20_000)]


class Writing:
    """The tool; its docstring is what the model reads."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def capture(
        self,
        summary: Annotated[
            str, Field(min_length=1, max_length=500, description="What was decided, in one line.")
        ],
        why: Annotated[Reason | None, Field(description="The reason, as it was given.")] = None,
        paths: Annotated[
            list[str],
            Field(max_length=200, description="The files it is about: FILE or FILE:FROM-TO."),
        ] = [],  # noqa: B006 - the SDK reads the default, nobody changes it
        type: Type = "decision",
        rejected: Annotated[
            list[str], Field(max_length=20, description="What was not taken: OPTION | REASON.")
        ] = [],  # noqa: B006
        supersedes: Annotated[
            list[str], Field(max_length=20, description="Ids of decisions that it replaces.")
        ] = [],  # noqa: B006
    ) -> Kept:
        """Keep a decision that was made, with its reason, so that whoever comes next knows. It
        goes with the next commit of one of its files. The same call again adds nothing."""
        with self._ground.open() as opened:
            workspace = opened.workspace
            workspace.get_memory()
            draft = Draft(
                summary=" ".join(summary.split()),
                why=why,
                type=type,
                paths=parse_path_refs(workspace, list(paths)),
                rejected=tuple(_parse_rejected(one) for one in rejected),
                supersedes=resolve_ids(workspace, list(supersedes)),
                is_private=opened.settings.share_agents == "none",
                agent=AGENT,
            )
            once = capture_once(workspace, draft)
            kept = once.captured
            return Kept(
                id=kept.id,
                type=kept.type,
                paths=[seal_line(path, MAX_PATH_CHARS) for path in kept.paths],
                private=kept.private,
                repeated=once.is_repeated,
                warnings=warn(kept.notices),
            )


def _parse_rejected(text: str) -> Rejected:
    option, _, reason = text.partition("|")
    if not option.strip():
        raise UsageError(f"what was not taken has no name in {text!r}", hint="OPTION | REASON")
    return Rejected(option.strip(), reason.strip())
