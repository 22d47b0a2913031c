"""The sharing commands: push and pull."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.sync import run_pull, run_push


@command("push")
@click.argument("remote", required=False)
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be sent, and send nothing.")
def push(session: Session, remote: str | None, dry_run: bool) -> int:
    """Publish this clone's records to REMOTE, on a ref of its own.

    Code and branches are not touched. Records captured with --local never leave. Without
    REMOTE: [sync] remote, remote.pushDefault, the branch's upstream, or the only one.
    """
    return run_push(session, remote, dry_run)


@command("pull")
@click.argument("remote", required=False)
def pull(session: Session, remote: str | None) -> int:
    """Fetch what everybody else recorded; code and branches are not touched."""
    return run_pull(session, remote)
