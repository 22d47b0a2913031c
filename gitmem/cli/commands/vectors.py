"""The command that makes vectors: reindex."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.reindexing import run_reindex


@command("reindex")
@click.option(
    "--download", "may_download", is_flag=True, help="Fetch the models that are configured first."
)
@click.option("--all", "from_scratch", is_flag=True, help="Embed everything again.")
def reindex(session: Session, may_download: bool, from_scratch: bool) -> int:
    """Embed every decision, note and commit that has no vector yet, so that questions find them
    by meaning. Interrupted, it goes on where it was. Vectors of other models, and of what is
    gone, are deleted."""
    return run_reindex(session, may_download=may_download, from_scratch=from_scratch)
