"""Recall for a prompt: what the settings allow, each excerpt once a session, sealed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gitmem.app.adapters import load
from gitmem.app.agent_answers import name_excerpt
from gitmem.app.agent_hooking import Scene
from gitmem.app.opening import Opened
from gitmem.core.sealing import seal
from gitmem.core.timestamps import format_at
from gitmem.errors import GitmemError
from gitmem.services.prompt_recall import Widen, keep_own, recall_for_prompt
from gitmem.services.recall import Excerpt, RecallOptions

RECALL_CHARS = 8_000


def recall_into(scene: Scene, opened: Opened) -> str:
    """The excerpts for the event's prompt, sealed; "" where none comes near."""
    settings = opened.settings.recall
    mark = name_excerpt(scene, "")
    seen = {name.removeprefix(mark) for name in scene.log.list_shown() if name.startswith(mark)}
    options = RecallOptions(
        limit=settings.max_excerpts,
        max_tokens=settings.max_tokens,
        half_life_days=settings.half_life_days,
        min_similarity=settings.min_similarity,
    )
    peers, widen = _choose_peers(opened, seen)
    found = recall_for_prompt(opened.workspace, scene.event.prompt, options, seen, peers, widen)
    nonce = scene.clock.random_hex(16)
    ours = scene.log.claim("shown", [mark + key for key, _ in found], nonce)
    return seal(
        [item for key, item in found if mark + key in ours],
        asked_at=format_at(scene.clock.now_ms()),
        subject="what was asked",
        budget_chars=RECALL_CHARS,
    )


def _choose_peers(opened: Opened, seen: Collection[str]) -> tuple[Collection[str], Widen]:
    """The peers that were added with `--inject`, and how their excerpts are had."""
    try:
        peers: Collection[str] = load("find-injecting")(opened) if opened.has_peers() else ()
    except GitmemError:
        peers = ()  # their failure is no reason to say nothing of one's own
    if not peers:
        return (), keep_own

    def widen(question: str, own: Sequence[Excerpt], options: RecallOptions) -> Sequence[Excerpt]:
        try:
            found: Sequence[Excerpt] = load("add-injected")(
                opened, peers, question, own, options, seen
            )
        except GitmemError:
            return own
        return found

    return peers, widen
