"""Turning excerpts into an answer: the default reader repeats them with where they are from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from gitmem.services.documents import name_whole
from gitmem.services.recall import Excerpt, Recalled, RecallOptions, recall
from gitmem.services.workspace import Notice, Workspace

Reader = Callable[[str, Sequence[Excerpt]], str]
"""(question, excerpts) → an answer."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader made of excerpts; `tokens` is the estimate of what it was fed."""

    text: str
    excerpts: tuple[Excerpt, ...] = ()
    tokens: int = 0
    notices: tuple[Notice, ...] = ()


def echo(question: str, excerpts: Sequence[Excerpt]) -> str:
    """The excerpts themselves, each with its standing and where to find it: costs nothing."""
    return "\n\n".join(f"{one.text}\n{one.standing} {name_whole(one.hit)}" for one in excerpts)


def answer(
    workspace: Workspace, question: str, options: RecallOptions, read: Reader = echo
) -> Answer:
    """An answer from this memory; the empty text where it has nothing to say."""
    found: Recalled = recall(workspace, question, options)
    return Answer(
        text=read(question, found.excerpts) if found.excerpts else "",
        excerpts=found.excerpts,
        tokens=found.tokens,
        notices=found.notices,
    )
