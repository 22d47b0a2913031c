"""`recall`: from a question to excerpts on the screen. No click here: this is a hot path."""

from __future__ import annotations

import msgspec

from gitmem.app.adapters import load
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.hint import hint_hooks
from gitmem.cli.render_excerpts import format_count_of_tokens, render_excerpts
from gitmem.cli.render_hits import Look
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.core.words import make_storable
from gitmem.services.asking import Depth
from gitmem.services.recall import Recalled, RecallOptions, choose_depth, recall

DEFAULT_TOP_K = 8
DEFAULT_MAX_TOKENS = 2000


class RecallWords(msgspec.Struct, frozen=True):
    """What was asked, and how much of it is wanted."""

    question: str
    top_k: int = DEFAULT_TOP_K
    max_tokens: int = DEFAULT_MAX_TOKENS
    depth: Depth = "standard"
    with_explain: bool = False
    with_peers: bool | None = None
    peers: tuple[str, ...] = ()


def run_recall(session: Session, words: RecallWords) -> int:
    progress = session.progress()
    opened = open_for(session, report=progress.report)
    try:
        options = RecallOptions(
            limit=words.top_k,
            max_tokens=words.max_tokens,
            half_life_days=opened.settings.recall.half_life_days,
            depth=choose_depth(words.question, words.depth),
            with_explain=words.with_explain,
        )
        found = recall(opened.workspace, words.question, options)
        if opened.has_peers(True if words.peers else words.with_peers):
            pooled = load("span-found")(
                opened,
                words.question,
                found.excerpts,
                words.peers,
                limit=words.top_k,
                max_tokens=words.max_tokens,
            )
            found = msgspec.structs.replace(
                found,
                excerpts=pooled.excerpts,
                tokens=sum(one.tokens for one in pooled.excerpts),
                notices=(*found.notices, *pooled.notices),
            )
        progress.end()
        if session.is_json:
            data = {
                "question": make_storable(words.question),
                "excerpts": found.excerpts,
                "tokens": found.tokens,
                "tokens_are": "estimated",
            }
            session.data("recall", data, found.notices)
            return 0
        session.text(_render(found, words.question, look_of(session, opened.workspace)))
        session.warn(found.notices)
        hint_hooks(session, opened)
    finally:
        progress.end()
        opened.close()
    return 0


def _render(found: Recalled, question: str, look: Look) -> str:
    if not found.excerpts:
        return f"Nothing here has to do with {clean_line(question)[:80]!r}."
    total = format_count(len(found.excerpts), "excerpt")
    footer = f"{total}, {format_count_of_tokens(found.tokens)}"
    return f"{render_excerpts(found.excerpts, look)}\n\n{footer}"
