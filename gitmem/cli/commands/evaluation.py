"""The command that measures retrieval: eval."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.evaluating import run_eval, run_gate
from gitmem.errors import UsageError
from gitmem.services.evaluate import ARMS

GATE = "gate"


@command("eval")
@click.argument("words", metavar="[gate] SET", nargs=-1, required=True, type=click.Path())
@click.option(
    "--arm",
    "arms",
    multiple=True,
    type=click.Choice([*ARMS, "in_use"]),
    help="Measure only this; may be repeated.",
)
@click.option(
    "--run",
    "run_file",
    metavar="FILE",
    type=click.Path(),
    help="Write the ranked ids of the arm in use.",
)
def evaluation(
    session: Session, words: tuple[str, ...], arms: tuple[str, ...], run_file: str | None
) -> int:
    """Measure retrieval on SET, a folder of labelled queries (docs/evaluation.md).

    `eval gate SET` calibrates the similarity gate of the embedding model instead, and keeps it
    for this clone.

    \b
      gitmem eval benchmarks/sets/own
      gitmem eval SET --arm text --arm linked --json
      gitmem eval gate SET
    """
    if words[0] == GATE and len(words) == 2:
        if arms or run_file is not None:
            raise UsageError("gate takes neither --arm nor --run")
        return run_gate(session, words[1])
    if len(words) != 1:
        raise UsageError("name one SET (or: gate SET)")
    return run_eval(session, words[0], arms, run_file)
