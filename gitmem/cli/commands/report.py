"""The reviewing command: pr-report."""

from __future__ import annotations

import click
import msgspec

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.reporting import run_pr_report


@command("pr-report")
@click.option("--base", metavar="REV", help="Where the pull request is to be merged.")
@click.option("--head", metavar="REV", help="What is to be merged.")
@click.option(
    "--format", "form", type=click.Choice(["md", "json"]), default="md", help="How to print it."
)
@click.option("--publish", is_flag=True, help="Also as a comment, a summary and outputs, in CI.")
@click.option("--no-comment", is_flag=True, help="With --publish: no comment.")
@click.option("--check", is_flag=True, help="Exit 1 where decisions would be in conflict.")
def pr_report(
    session: Session,
    base: str | None,
    head: str | None,
    form: str,
    publish: bool,
    no_comment: bool,
    check: bool,
) -> int:
    """Say what a pull request does to the memory, what weakens it first.

    Both ends are read as data: nothing of them is run or configures anything.

    \b
      gitmem pr-report --base main --head topic
      gitmem pr-report --publish        in a workflow; the ends are the event's
    """
    session = msgspec.structs.replace(session, is_json=session.is_json or form == "json")
    return run_pr_report(
        session,
        base,
        head,
        is_published=publish,
        wants_comment=not no_comment,
        is_checked=check,
    )
