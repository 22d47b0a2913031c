"""`search` and `related`: from words to cited excerpts on the screen."""

from __future__ import annotations

import msgspec

from gitmem.app.adapters import load
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.hint import hint_hooks
from gitmem.cli.init_hint import INIT_HINT
from gitmem.cli.render_excerpts import format_hop, render_excerpt, render_excerpts
from gitmem.cli.render_hits import Look
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.services.asking import Depth
from gitmem.services.recall import Excerpt
from gitmem.services.related import Related, find_related
from gitmem.services.search import EXCERPT_TOKENS, Scope, parse_as_of, search


class SearchWords(msgspec.Struct, frozen=True):
    """What to search for, where, and how far."""

    text: str
    limit: int = 10
    scope: Scope = "all"
    depth: Depth = "standard"
    as_of: str | None = None
    with_explain: bool = False
    with_peers: bool | None = None
    peers: tuple[str, ...] = ()


def run_search(session: Session, words: SearchWords) -> int:
    as_of = None if words.as_of is None else parse_as_of(words.as_of)
    opened = open_for(session)
    try:
        found = search(
            opened.workspace,
            words.text,
            limit=words.limit,
            scope=words.scope,
            depth=words.depth,
            as_of=as_of,
            with_explain=words.with_explain,
        )
        asks_peers = opened.has_peers(True if words.peers else words.with_peers)
        if asks_peers and as_of is None and words.scope in ("all", "decisions"):
            pooled = load("span-found")(
                opened,
                words.text,
                found.excerpts,
                words.peers,
                limit=words.limit,
                max_tokens=words.limit * EXCERPT_TOKENS,
                is_floored=True,
            )
            notices = (*found.notices, *pooled.notices)
            found = msgspec.structs.replace(found, excerpts=pooled.excerpts, notices=notices)
        if session.is_json:
            session.data("search", {"hits": [_row(one) for one in found.excerpts]}, found.notices)
            return 0
        look = look_of(session, opened.workspace)
        text = render_excerpts(found.excerpts, look)
        session.text(text or f"Nothing here says {clean_line(words.text)[:200]!r}.")
        session.warn(found.notices)
        workspace = opened.workspace
        if found.excerpts and workspace.memory is None and workspace.refusal is None:
            session.note(INIT_HINT)
        hint_hooks(session, opened)
    finally:
        opened.close()
    return 0


def run_related(
    session: Session,
    text: str,
    limit: int,
    *,
    with_peers: bool | None = None,
    peers: tuple[str, ...] = (),
) -> int:
    opened = open_for(session)
    try:
        found = find_related(opened.workspace, text, limit=limit)
        if opened.has_peers(True if peers else with_peers):
            found = load("span-related")(opened, text, found, peers, limit=limit)
        if session.is_json:
            data = {
                "target": found.target,
                "about": found.kind,
                "is_near": found.is_near,
                "hits": [_row(one) for one in found.excerpts],
            }
            session.data("related", data, found.notices)
            return 0
        look = look_of(session, opened.workspace)
        session.text(_render_related(found, look))
        session.warn(found.notices)
        hint_hooks(session, opened)
    finally:
        opened.close()
    return 0


def _render_related(found: Related, look: Look) -> str:
    name = clean_line(found.target)
    if not found.excerpts:
        return f"Nothing is linked to {name}, and nothing is near it."
    near = f"Nothing is linked to {name}; this is near it by what it says.\n\n"
    blocks = []
    for one in found.excerpts:
        lines = render_excerpt(msgspec.structs.replace(one, explain=None), look)
        if one.hit.mention is not None:
            lines.append(f"    about {clean_line(one.hit.mention)}")
        chain = one.explain.chain if one.explain is not None else ()
        blocks.append("\n".join([*lines, *(f"    {format_hop(hop)}" for hop in chain)]))
    return (near if found.is_near else "") + "\n\n".join(blocks)


def _row(one: Excerpt) -> dict[str, object]:
    """A hit with what is known of it as an excerpt."""
    return {
        **msgspec.structs.asdict(one.hit),
        "key": one.key,
        "score": one.score,
        "standing": one.standing,
        "excerpt": one.text,
        "tokens": one.tokens,
        "whole": one.whole,
        **({"explain": one.explain} if one.explain is not None else {}),
    }
