"""The commands for what is pending and what has piled up: review and maintain."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.maintain import run_maintain, run_retire
from gitmem.cli.review import run_review


@command("review")
@click.option("--all", "with_all", is_flag=True, help="What people captured, too.")
@click.option("-y", "--yes", is_flag=True, help="Accept all of them, without asking.")
def review(session: Session, with_all: bool, yes: bool) -> int:
    """Go through what agents captured here and no commit has yet: accept, edit, keep it
    private to this clone, or drop it. With --json they are listed."""
    return run_review(session, with_all=with_all, yes=yes)


@command("maintain")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--resolve", is_flag=True, help="Settle git's conflicts among the records, by union.")
@click.option(
    "--retire",
    "idle_days",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Take over writers idle for so long, and delete their refs on the remote.",
)
def maintain(session: Session, dry_run: bool, resolve: bool, idle_days: int | None) -> int:
    """Keep the memory in order, without network: write what is pending on this clone's own
    ref, empty the spool of what stands in two safe places, and, on the default branch,
    rewrite segments that hold redacted records. What it changes is staged, not committed.

    With --retire it goes to the remote, and only there: what writers recorded that have been
    idle for DAYS comes to this clone's own ref and is pushed with what is pending here; only
    then their refs are deleted, for every ref burdens everybody's push.
    """
    if idle_days is not None:
        return run_retire(session, idle_days=idle_days, is_dry_run=dry_run)
    return run_maintain(session, is_dry_run=dry_run, is_resolving=resolve)
