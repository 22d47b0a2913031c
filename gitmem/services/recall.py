"""What a memory has to say to a question: excerpts with their standing, within a budget."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from gitmem.core.fusion import Hop, Vote
from gitmem.services.hits import Hit
from gitmem.services.workspace import Notice, Workspace

Depth = Literal["quick", "standard", "deep"]
KINDS = ("record", "commit", "note", "article", "source")


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why an excerpt stands where it stands.

    `votes` are the rankers' ranks and scores; `chain` the links that reached it, the first
    from the seed; `score` is the fused one, `factor` what standing and age made of it;
    `similarity` and `coverage` (per mille) are what the gate looked at; `reason` says it in
    words.
    """

    place: int
    score: float
    factor: float = 1.0
    votes: tuple[Vote, ...] = ()
    chain: tuple[Hop, ...] = ()
    similarity: int | None = None
    coverage: int | None = None
    reason: str = ""


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found, as it is shown. `standing` is a parenthesis such as `(decision · 3 d
    ago · superseded)`; `tokens` is the estimate for `text`; `whole` says how to get all of
    it where the text is cut, else is empty."""

    key: str
    hit: Hit
    text: str
    tokens: int
    standing: str
    score: float
    whole: str = ""
    explain: Explanation | None = None


class RecallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`limit` excerpts of at most `max_tokens` in all; a decision of `half_life_days` counts
    half (0: age does not matter). `as_of` is a time in milliseconds: answer from what was
    known then. `is_gated`: nothing at all where nothing is similar enough; `min_similarity`
    (per mille) replaces the measured gate."""

    limit: int = 8
    max_tokens: int = 2000
    half_life_days: int = 0
    kinds: tuple[str, ...] = KINDS
    depth: Depth = "standard"
    as_of: int | None = None
    is_gated: bool = False
    min_similarity: int | None = None
    with_explain: bool = False
    with_withdrawn: bool = False


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """Excerpts, best first, and an estimate of their tokens in all (UTF-8 bytes / 4). `kept`
    and `gate` say why there may be none: the best similarity or coverage, and what it had to
    reach, per mille."""

    excerpts: tuple[Excerpt, ...] = ()
    tokens: int = 0
    notices: tuple[Notice, ...] = ()


def recall(
    workspace: Workspace, question: str, options: RecallOptions, seen: Collection[str] = ()
) -> Recalled:
    """Excerpts for a question; nothing found is an answer. `seen` are keys of excerpts that
    were shown already and are not shown again."""
    raise NotImplementedError
