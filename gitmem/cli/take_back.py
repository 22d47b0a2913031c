"""undo, retract, restore, redact: from words to what was taken back."""

from __future__ import annotations

import sys

import msgspec

from gitmem.app.opening import Opened
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.render_hits import render_decision, short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.errors import Refused
from gitmem.services.hits import Hit
from gitmem.services.withdraw import Withdrawn, redact, restore, retract, undo

IN_HISTORY = """Its bytes still stand in git: in commits, in refs and in other clones that have
it. Rotate the secret first; then, to take them out, rewrite history, with everybody's knowledge:
  git filter-repo --invert-paths --path-glob '.gitmem/records/*/NAME.ndjson'
where NAME is the segment that holds it:  git grep -l {target} $(git rev-list --all) -- .gitmem"""


def run_undo(session: Session) -> int:
    opened = open_for(session)
    try:
        return _say(session, "undo", undo(opened.workspace))
    finally:
        opened.close()


def run_retract(session: Session, prefix: str, reason: str) -> int:
    opened = open_for(session)
    try:
        return _say(session, "retract", retract(opened.workspace, prefix, reason))
    finally:
        opened.close()


def run_restore(session: Session, prefix: str, reason: str) -> int:
    opened = open_for(session)
    try:
        return _say(session, "restore", restore(opened.workspace, prefix, reason))
    finally:
        opened.close()


def run_redact(session: Session, prefix: str, reason: str, yes: bool) -> int:
    opened = open_for(session)
    try:
        done = redact(
            opened.workspace,
            prefix,
            reason,
            confirm=lambda hit: yes or _confirm(session, opened, hit),
        )
        code = _say(session, "redact", done)
        if done.in_history:
            session.note(IN_HISTORY.format(target=done.target[:16]))
        session.note("Push the redaction, so that every clone follows it: gitmem push")
        return code
    finally:
        opened.close()


def _confirm(session: Session, opened: Opened, hit: Hit) -> bool:
    if not session.may_ask:
        raise Refused(
            "redacting is final, and there is no terminal to ask on",
            hint="Say that you mean it: gitmem redact ID --yes",
        )
    lines = render_decision(hit, look_of(session, opened.workspace), full=True)
    sys.stderr.write("\n".join(lines) + "\n\nRemove its text for good? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(session: Session, kind: str, done: Withdrawn) -> int:
    if session.is_json:
        session.data(kind, msgspec.structs.asdict(done))
        return 0
    by = f"  (record {short(done.id)})" if done.id else ""
    session.text(f"{done.action} {short(done.target)}  {clean_line(done.summary)}{by}")
    return 0
