"""Find what the memory says, by words and meaning: cited excerpts, and no model that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gitmem.core.timestamps import parse_until
from gitmem.errors import UsageError
from gitmem.services.asking import Depth
from gitmem.services.hits import Hit
from gitmem.services.recall import Compact, Excerpt, RecallOptions, recall
from gitmem.services.retrieve import KINDS
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Ranker

Scope = Literal["all", "articles", "decisions", "notes"]
SCOPES: dict[Scope, tuple[str, ...]] = {
    "all": KINDS,
    "articles": ("article", "source"),
    "decisions": ("record", "commit"),
    "notes": ("note",),
}
EXCERPT_TOKENS = 80
"""Of each hit so much is shown, on average: its first line, and those that match."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search found: hits, best first, with their scores and what of them matched."""

    hits: tuple[Hit, ...]
    scores: tuple[float, ...]
    excerpts: tuple[Excerpt, ...] = ()
    notices: tuple[Notice, ...] = ()


def parse_as_of(text: str) -> int:
    """Milliseconds since the epoch of a date, whose last moment is meant, or of a time of RFC
    3339. Raises UsageError."""
    try:
        return parse_until(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text[:80]!r} is not a date",
            hint="Write it so: 2026-11-30, or 2026-11-30T12:00Z",
        ) from None


def search(
    workspace: Workspace,
    text: str,
    *,
    limit: int = 10,
    scope: Scope = "all",
    depth: Depth = "standard",
    as_of: int | None = None,
    with_explain: bool = False,
    compact: Compact | None = None,
    rankers: tuple[Ranker, ...] = (),
) -> Found:
    """What says it, or means it, best first; what was withdrawn too, labelled. Any text is a
    valid question, and nothing found is an answer. `as_of` (milliseconds since the epoch):
    from what was there then. `compact` and `rankers` as for `recall`."""
    options = RecallOptions(
        limit=limit,
        max_tokens=limit * EXCERPT_TOKENS,
        kinds=SCOPES[scope],
        depth=depth,
        as_of=as_of,
        with_explain=with_explain,
        with_everything=True,
        compact=compact,
        rankers=rankers,
    )
    found = recall(workspace, text, options)
    return Found(
        hits=tuple(one.hit for one in found.excerpts),
        scores=tuple(one.score for one in found.excerpts),
        excerpts=found.excerpts,
        notices=found.notices,
    )
