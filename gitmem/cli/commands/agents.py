"""The command about coding agents' settings: agent."""

from __future__ import annotations

import click

from gitmem.app.agent_setting_up import NAMES, SCOPES, Scope
from gitmem.cli.agents import run_agent
from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command


@command("agent")
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
@click.option(
    "--agent", "agents", multiple=True, type=click.Choice(NAMES), help="Which one; may be repeated."
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    help="This project's settings (as if not said), or your own for all projects.",
)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Print the change as a diff, write nothing.")
def agent(
    session: Session,
    action: str,
    agents: tuple[str, ...],
    scope: Scope | None,
    yes: bool,
    dry_run: bool,
) -> int:
    """Let coding agents read and write the memory, by hooks in their settings.

    \b
      install    put the hooks in, beside whatever is there; says what will be committed
      uninstall  take them out again, byte for byte; without --agent those of all agents
      status     what is in place; exits 1 where something is missing

    Comments and order of the settings stay. What cannot be parsed is left as it is.
    """
    return run_agent(session, action, agents, scope=scope, yes=yes, is_dry_run=dry_run)
