"""`why`: from words to an answer on the screen. No click here: this is a hot path."""

from __future__ import annotations

import sys

import msgspec

from gitmem.app.adapters import load
from gitmem.cli.boundary import Session
from gitmem.cli.hint import hint_hooks
from gitmem.cli.init_hint import INIT_HINT
from gitmem.cli.render_hits import Look
from gitmem.cli.render_why import render_why
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import wants_colour, width_of
from gitmem.services.why import DEFAULT_LIMIT, WhyAnswer, explain
from gitmem.services.workspace import Workspace


class WhyOptions(msgspec.Struct, frozen=True):
    """The words of `why`. `with_peers` is None where nothing was said of them."""

    target: str
    limit: int = DEFAULT_LIMIT
    show_all: bool = False
    with_history: bool = True
    exit_code: bool = False
    with_peers: bool | None = None
    peers: tuple[str, ...] = ()


def run_why(session: Session, options: WhyOptions) -> int:
    """Answer and print; 1 only where nothing was found and that was asked for."""
    progress = session.progress()
    opened = open_for(session, report=progress.report)
    try:
        answer = explain(
            opened.workspace,
            options.target,
            limit=options.limit,
            show_all=options.show_all,
            with_history=options.with_history,
        )
        if opened.has_peers(True if options.peers else options.with_peers):
            answer = load("span-why")(
                opened, answer, options.peers, limit=options.limit, show_all=options.show_all
            )
        progress.end()
        _print(session, opened.workspace, answer, options)
        hint_hooks(session, opened)
    finally:
        progress.end()
        opened.close()
    return 1 if options.exit_code and not answer.hits else 0


def _print(session: Session, workspace: Workspace, answer: WhyAnswer, options: WhyOptions) -> None:
    if session.is_json:
        data = msgspec.structs.asdict(answer)
        data.pop("notices")
        session.data("why", data, answer.notices)
        return
    look = look_of(session, workspace)
    has_memory = workspace.memory is not None
    session.text(render_why(answer, look, has_memory=has_memory, is_all=options.show_all))
    session.warn(answer.notices)
    if workspace.refusal is not None:
        session.note(f"gitmem: {workspace.refusal.message}; this is from history alone")
    elif answer.hits and not has_memory and workspace.facts.get_memo("init-hint") is None:
        workspace.facts.set_memo("init-hint", "given")
        session.note(INIT_HINT)


def look_of(session: Session, workspace: Workspace) -> Look:
    """How to print for this terminal, now."""
    return Look(
        width_of(sys.stdout, session.environ),
        wants_colour(sys.stdout, session.environ),
        workspace.clock.now_ms(),
        is_terminal=sys.stdout.isatty(),
        branch=workspace.place.branch,
        is_detached=workspace.is_detached,
    )
