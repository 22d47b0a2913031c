"""The commands about git's hooks: hooks, and the hook itself."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.hook_run import EVENTS
from gitmem.cli.hooks import run_hooks
from gitmem.cli.hot_hook import AGENT_OPTION, run
from gitmem.core.agent_events import MOMENTS


@command("hooks")
@click.argument("action", type=click.Choice(["install", "uninstall", "status"]))
def hooks(session: Session, action: str) -> int:
    """Let decisions go with their commits, by a few lines in git's hook files.

    \b
      install    put the lines in, beside whatever is there
      uninstall  take them out again, byte for byte
      status     have git run each hook, to prove that it fires; exits 1 where one does not

    Knows husky, lefthook and pre-commit. Never sets core.hooksPath, never moves a hook.
    """
    return run_hooks(session, action)


@command("hook")
@click.argument("event", type=click.Choice([*EVENTS, *sorted(MOMENTS)]))
@click.argument("words", nargs=-1)
@click.option("--agent", metavar="NAME", help="The coding agent that calls, as JSON on stdin.")
def hook(session: Session, event: str, words: tuple[str, ...], agent: str | None) -> int:
    """What git's hooks run, and coding agents; by hand it does the same.

    Never fails. GITMEM=0 switches it off.
    """
    named = () if agent is None else (AGENT_OPTION, agent)
    return run(["hook", event, *words, *named]) or 0
