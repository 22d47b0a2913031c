"""The set-up commands: init, demo, completion, uninstall."""

from __future__ import annotations

import click

from gitmem.app.agent_setting_up import NAMES
from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.demo import run_demo
from gitmem.cli.start import run_completion, run_init, run_uninstall
from gitmem.cli.start_user import run_init_user


@command("init")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("-n", "--dry-run", is_flag=True, help="Say what would be written, write nothing.")
@click.option(
    "--detached",
    is_flag=True,
    help="Keep the memory outside the tree: nothing is tracked, nothing reaches origin.",
)
@click.option("--no-hooks", is_flag=True, help="Leave git's hooks alone.")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=click.Choice(NAMES),
    help="Set this coding agent up, too; may be repeated.",
)
@click.option("--user", is_flag=True, help="A memory of your own, outside any repository.")
def init(
    session: Session,
    yes: bool,
    dry_run: bool,
    detached: bool,
    no_hooks: bool,
    agents: tuple[str, ...],
    user: bool,
) -> int:
    """Start a memory in this repository, or join the one that is there.

    Lists the files it will write and asks once. Commits nothing. Adds a few lines to git's
    hooks, so that decisions go with their commits: see `gitmem hooks --help`.
    """
    if user:
        return run_init_user(session, is_dry_run=dry_run)
    return run_init(
        session,
        yes=yes,
        is_dry_run=dry_run,
        detached=detached,
        with_hooks=not no_hooks,
        agents=agents,
    )


@command("demo")
@click.option("--keep", is_flag=True, help="Keep the folder, to look around in it.")
def demo(session: Session, keep: bool) -> int:
    """See the whole flow in a few seconds: two clones and a bare remote in a temporary folder,
    with the commands shown as you could type them."""
    return run_demo(session, keep=keep)


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(session: Session, shell: str) -> int:
    """Print a completion script for SHELL.

    \b
      bash: eval "$(gitmem completion bash)"     in ~/.bashrc
      zsh:  eval "$(gitmem completion zsh)"      in ~/.zshrc
      fish: gitmem completion fish | source      in ~/.config/fish/config.fish
    """
    return run_completion(session, shell)


@command("uninstall")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--keep-data", is_flag=True, help="Keep records; remove only what is derived.")
def uninstall(session: Session, yes: bool, keep_data: bool) -> int:
    """Remove gitmem's hooks, its part of this project's agent settings, and its own data from
    this clone, after naming what would be lost. The tracked folder .gitmem/ is the
    project's, and stays."""
    return run_uninstall(session, yes=yes, keep_data=keep_data)
