"""Before a prompt is answered: the excerpts that have something to do with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from gitmem.core.prompts import is_skipped
from gitmem.core.rationale import clean_said
from gitmem.core.sealing import Item
from gitmem.services.injection import build_item, is_injectable
from gitmem.services.recall import Excerpt, RecallOptions, recall
from gitmem.services.workspace import Workspace

MAX_QUESTION_CHARS = 4_000
NEVER = 1000
"""No similarity is asked for: a process that lives for one prompt would take longer to load a
model than the prompt's hooks may take together, so that words and links have to do."""


# A question, what this memory has to it, and the options → the same with others' excerpts.
Widen = Callable[[str, Sequence[Excerpt], RecallOptions], Sequence[Excerpt]]


def keep_own(question: str, own: Sequence[Excerpt], options: RecallOptions) -> Sequence[Excerpt]:
    """Where nobody else is asked."""
    return own


def recall_for_prompt(
    workspace: Workspace,
    prompt: str,
    options: RecallOptions,
    seen: Collection[str],
    peers: Collection[str] = (),
    widen: Widen = keep_own,
) -> list[tuple[str, Item]]:
    """(key, item) of each excerpt, best first, found by words and links; none for a command to
    the agent, for a word or two, and where nothing comes near enough. `seen` are the keys of
    earlier ones. `widen` may add excerpts of others, of which those of `peers` (aliases added
    with `--inject`) are given."""
    question = clean_said(prompt)[:MAX_QUESTION_CHARS]
    if is_skipped(question):
        return []
    asked = msgspec.structs.replace(options, is_gated=True, depth="quick", min_similarity=NEVER)
    found = recall(workspace, question, asked, seen)
    excerpts = widen(question, found.excerpts, asked)
    return [
        (excerpt.key, _build(excerpt)) for excerpt in excerpts if is_injectable(excerpt.hit, peers)
    ]


def _build(excerpt: Excerpt) -> Item:
    """The excerpt's own text, which is cut to its budget, without the title again."""
    hit = excerpt.hit
    text = excerpt.text.strip()
    body = text.removeprefix(hit.summary).strip() if hit.summary else text
    if excerpt.whole:
        body = f"{body}\n(all of it: {excerpt.whole})"
    item = build_item(hit, body=body)
    return item if hit.summary else msgspec.structs.replace(item, title=text.split("\n")[0])
