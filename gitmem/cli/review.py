"""review: one pending decision after the other, and what to do with it."""

from __future__ import annotations

import sys

from msgspec.structs import replace

from gitmem.app.opening import Opened
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.draft_text import format_text, parse_text
from gitmem.cli.editor import edit_text
from gitmem.cli.render_hits import render_decision
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.errors import UsageError
from gitmem.services.review import (
    Reviewable,
    accept,
    drop,
    keep_private,
    list_reviewable,
    rephrase,
)
from gitmem.services.revise import draft_of

_QUESTION = "[a]ccept, [e]dit, keep [l]ocal, [d]rop, [s]kip or [q]uit? "


def run_review(session: Session, *, with_all: bool, yes: bool) -> int:
    opened = open_for(session)
    try:
        rows = list_reviewable(opened.workspace, with_all=with_all)
        if yes:
            accept(opened.workspace, [row.hit.id or "" for row in rows])
        if session.is_json:
            session.data("review", {"hits": [row.hit for row in rows], "accepted": yes})
        elif not rows:
            session.text("Nothing waits for a review.")
        elif yes:
            session.text(f"Accepted {format_count(len(rows), 'decision')}.")
        elif not session.may_ask:
            raise UsageError(
                f"{format_count(len(rows), 'decision')} to review, and there is no terminal "
                "to ask on",
                hint="List them: gitmem review --json. Accept all: gitmem review --yes",
            )
        else:
            _go_through(session, opened, rows)
    finally:
        opened.close()
    return 0


def _go_through(session: Session, opened: Opened, rows: list[Reviewable]) -> None:
    look = look_of(session, opened.workspace)
    for number, row in enumerate(rows, 1):
        lines = render_decision(row.hit, look, full=True)
        paths = ", ".join(clean_line(ref.path) for ref in row.hit.paths)
        session.text("\n".join([f"({number} of {len(rows)})", *lines, f"    about {paths or '.'}"]))
        answer = _ask()
        if answer == "q":
            return
        _carry_out(session, opened, row, answer)


def _carry_out(session: Session, opened: Opened, row: Reviewable, answer: str) -> None:
    workspace = opened.workspace
    if answer == "a":
        accept(workspace, [row.hit.id or ""])
    elif answer == "l":
        keep_private(workspace, row)
    elif answer == "d":
        drop(workspace, row)
    elif answer == "e":
        draft = draft_of(row.hit)
        editor = workspace.tree.get_editor()
        text = edit_text(format_text(draft), "", session.environ, editor)
        said = parse_text(text)
        if not said.summary:
            session.note("An empty text: it stays as it was.")
            return
        draft = replace(draft, summary=said.summary, why=said.why, rejected=said.rejected)
        accept(workspace, [rephrase(workspace, row, draft)])


def _ask() -> str:
    while True:
        sys.stderr.write(_QUESTION)
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer:
            return "q"
        if answer.strip().lower()[:1] in tuple("aeldsq"):
            return answer.strip().lower()[:1]
