"""The reading commands: why, log, show, status."""

from __future__ import annotations

import click

from gitmem.cli.ask_why import WhyOptions, run_why
from gitmem.cli.boundary import Session
from gitmem.cli.browse import run_log, run_show, run_status
from gitmem.cli.commands.declare import command
from gitmem.services.why import DEFAULT_LIMIT


@command("why")
@click.argument("target", type=click.Path())
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="At most so many decisions, and so many commits.",
)
@click.option("--all", "show_all", is_flag=True, help="Everything, commits without a reason too.")
@click.option("--no-history", is_flag=True, help="Decisions only, no commit messages.")
@click.option("--exit-code", is_flag=True, help="Exit 1 if nothing is found.")
@click.option("--peers/--no-peers", "with_peers", default=None, help="Ask other projects, too.")
@click.option("--peer", "peers", multiple=True, metavar="ALIAS", help="Of peers ask only these.")
def why(
    session: Session,
    target: str,
    limit: int,
    show_all: bool,
    no_history: bool,
    exit_code: bool,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """Why is TARGET as it is?

    TARGET is a file, FILE:LINE, a folder, a deleted file, the end of a path, a commit, or a
    record's id. Decisions come first, then commits whose message gives a reason. Works in any
    repository, before `gitmem init` too.

    \b
      gitmem why src/app.py          the file
      gitmem why src/app.py:120      the line, through blame
      gitmem why 3f2a91c             the commit
    """
    options = WhyOptions(
        target, limit, show_all, not no_history, exit_code, with_peers, tuple(peers)
    )
    return run_why(session, options)


@command("log")
@click.argument("path", required=False, type=click.Path())
@click.option(
    "-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="At most so many."
)
@click.option("--peers/--no-peers", "with_peers", default=None, help="Those of peers, too.")
@click.option("--peer", "peers", multiple=True, metavar="ALIAS", help="Of peers only these.")
def log(
    session: Session,
    path: str | None,
    limit: int,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """List decisions and withdrawals, newest first, of everything or of PATH."""
    return run_log(session, path, limit, with_peers=with_peers, peers=tuple(peers))


@command("show")
@click.argument("record_id", metavar="ID")
def show(session: Session, record_id: str) -> int:
    """Show one record whole. ID may be shortened to 4 digits or more; a commit works too."""
    return run_show(session, record_id)


@command("status")
def status(session: Session) -> int:
    """Say what this memory holds, what is pending, and what has not been pushed."""
    return run_status(session)
