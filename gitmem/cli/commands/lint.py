"""The command that checks links."""

from __future__ import annotations

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.lint import run_lint


@command("lint")
def lint(session: Session) -> int:
    """Check the wikilinks of all notes, and of the decisions that stand: which lead nowhere,
    and which to several pages. Exits 1 where there are any."""
    return run_lint(session)
