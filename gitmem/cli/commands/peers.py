"""The command about other projects' memories: peers."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.peers import PeerWords, run_peers


@command("peers")
@click.argument("action", type=click.Choice(["add", "list", "rm", "pull", "trust"]))
@click.argument("names", nargs=-1)
@click.option("--alias", help="What to call it; its last component, if not said.")
@click.option("--inject", is_flag=True, help="Hooks may give its records to agents.")
@click.option("--with-code", is_flag=True, help="Fetch its default branch, too.")
@click.option("--all", "is_all", is_flag=True, help="pull: all of them, as if none is named.")
@click.option("--embed", is_flag=True, help="pull: make vectors of their texts, here.")
@click.option("-y", "--yes", is_flag=True, help="trust: do not ask.")
def peers(
    session: Session,
    action: str,
    names: tuple[str, ...],
    alias: str | None,
    inject: bool,
    with_code: bool,
    is_all: bool,
    embed: bool,
    yes: bool,
) -> int:
    """Let other projects' memories answer, too, read-only.

    \b
      add PATH_OR_URL  a clone on this machine, or a git URL; - reads many from standard input
      list             how fresh each is, and the command that improves it
      rm ALIAS         forget it, and what was kept of it
      pull [ALIAS]     fetch what is new, of all if none is named
      trust            take the peers that this project's .gitmem/peers.toml names

    Of a URL only the memory is fetched, no code. Nothing is ever written to a peer.
    """
    words = PeerWords(() if is_all else names, alias, inject, with_code, yes, embed)
    return run_peers(session, action, words)
