"""The commands that change what was said: edit, supersede, undo, retract, restore, redact."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.editor import ask_editor
from gitmem.cli.record import Words, run_edit, run_supersede
from gitmem.cli.take_back import run_redact, run_restore, run_retract, run_undo
from gitmem.core.records import DECISION_TYPES

_MESSAGE = click.option("-m", "--message", "summary", metavar="SUMMARY", help="In one line.")
_FILE = click.option("-F", "--file", metavar="FILE", help="Read it from a file; - is stdin.")
_WHY = click.option("--why", metavar="TEXT", help="The reason.")
_TYPE = click.option("--type", type=click.Choice(DECISION_TYPES), default=None, help="Its type.")
_REJECTED = click.option(
    "--rejected", multiple=True, metavar='"OPTION | REASON"', help="What was not taken."
)
_TAG = click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated.")
_REASON = click.option("-m", "--reason", default="", metavar="TEXT", help="Why.")


@command("edit")
@click.argument("record_id", metavar="ID")
@click.argument("paths", metavar="[PATH[:A-B]]...", nargs=-1, type=click.Path())
@_MESSAGE
@_FILE
@_WHY
@_TYPE
@_REJECTED
@_TAG
def edit(session: Session, record_id: str, **words: object) -> int:
    """Say a decision better: opens it, and keeps what you make of it as a new record that
    takes its place. With options nothing is opened."""
    return run_edit(session, record_id, Words(**words), ask_editor)  # type: ignore[arg-type]


@command("supersede")
@click.argument("record_id", metavar="ID")
@click.argument("paths", metavar="[PATH[:A-B]]...", nargs=-1, type=click.Path())
@_MESSAGE
@_FILE
@_WHY
@_TYPE
@_REJECTED
@_TAG
@click.option("--local", "is_local", is_flag=True, help="Keep it private to this clone.")
def supersede(session: Session, record_id: str, **words: object) -> int:
    """Record a new decision in place of an older one, about the same files."""
    return run_supersede(session, record_id, Words(**words), ask_editor)  # type: ignore[arg-type]


@command("undo")
def undo(session: Session) -> int:
    """Take back the last thing captured in this work tree, while it is pending."""
    return run_undo(session)


@command("retract")
@click.argument("record_id", metavar="ID")
@_REASON
def retract(session: Session, record_id: str, reason: str) -> int:
    """Withdraw a record: it stays readable, marked, and no longer counts."""
    return run_retract(session, record_id, reason)


@command("restore")
@click.argument("record_id", metavar="ID")
@_REASON
def restore(session: Session, record_id: str, reason: str) -> int:
    """Undo a retraction."""
    return run_restore(session, record_id, reason)


@command("redact")
@click.argument("record_id", metavar="ID")
@_REASON
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def redact(session: Session, record_id: str, reason: str, yes: bool) -> int:
    """Remove a record's text for good: shows it, asks, and removes it from this clone's own
    places. That it was there, whose it was and why it went stays listed.

    What git history already holds stays there until history is rewritten: the command says
    how. Rotate a secret in any case.
    """
    return run_redact(session, record_id, reason, yes)
