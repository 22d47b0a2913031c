"""The writing commands: capture and note."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.editor import ask_editor
from gitmem.cli.record import Words, run_capture
from gitmem.core.records import DECISION_TYPES


@command("capture")
@click.argument("paths", metavar="[PATH[:A-B]]...", nargs=-1, type=click.Path())
@click.option("-m", "--message", "summary", metavar="SUMMARY", help="The decision in one line.")
@click.option(
    "-F",
    "--file",
    type=click.Path(),
    metavar="FILE",
    help="Read it from a file; - is standard input.",
)
@click.option("--why", metavar="TEXT", help="The reason.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(DECISION_TYPES),
    default=None,
    help="What kind of decision; decision by default.",
)
@click.option(
    "--rejected",
    multiple=True,
    metavar='"OPTION | REASON"',
    help="What was not taken, and why; may be repeated.",
)
@click.option("--supersedes", multiple=True, metavar="ID", help="A decision this one replaces.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be repeated.")
@click.option("--for", "explains", metavar="COMMIT|RANGE", help="The commits that it explains.")
@click.option("--amend", "is_amend", is_flag=True, help="Change the last pending one.")
@click.option(
    "--flush",
    "is_flush",
    is_flag=True,
    help="Write what is pending into .gitmem/ now, and stage it.",
)
@click.option("--local", "is_local", is_flag=True, help="Keep it private to this clone.")
def capture(session: Session, paths: tuple[str, ...], kind: str | None, **words: object) -> int:
    """Record a decision: what was decided, why, and what was not.

    Without PATH it is about the staged files, else the modified ones. Without -m or -F the
    editor opens, as `git commit` does it.

    \b
      gitmem capture -m "Cache keyed by tenant" --why "Two tenants shared a row" src/cache.py
      gitmem capture -m "Retry five times" --rejected "forever | hides outages" src/net.py:10-40
      gitmem capture --for HEAD~3..HEAD -m "Move to WAL"
    """
    return run_capture(session, Words(paths=paths, type=kind, **words), ask_editor)  # type: ignore[arg-type]


@command("note")
@click.argument("text", nargs=-1, required=True)
@click.option("--local", "is_local", is_flag=True, help="Keep it private to this clone.")
def note(session: Session, text: tuple[str, ...], is_local: bool) -> int:
    """Record TEXT as a note: a capture of type note, about the changed files."""
    words = Words(summary=" ".join(text), type="note", is_local=is_local)
    return run_capture(session, words)
