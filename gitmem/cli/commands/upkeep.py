"""The upkeep commands: verify, doctor, cache, schema."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.look_after import run_cache, run_doctor, run_schema, run_verify


@command("verify")
@click.option("--strict", is_flag=True, help="Hold records against the JSON Schemas, too.")
def verify(session: Session, strict: bool) -> int:
    """Read every record of every place and check it against its hash, its name and its form.
    Exits 7 where something is damaged."""
    return run_verify(session, strict)


@command("doctor")
def doctor(session: Session) -> int:
    """Check the installation and this clone, and say how to mend what is wrong. Exits with
    the code of the gravest finding."""
    return run_doctor(session)


@command("cache")
@click.argument("action", type=click.Choice(["rebuild", "path", "query", "grow"]))
@click.argument("sql", required=False)
def cache(session: Session, action: str, sql: str | None) -> int:
    """Look after the derived index, which may be deleted at any time.

    \b
      rebuild    throw it away and build it anew
      path       print where it lies
      query SQL  ask it anything (read-only)
      grow       index the rest of history now
    """
    return run_cache(session, action, sql)


@command("schema")
@click.argument("kind", type=click.Choice(["record", "decision", "tombstone"]), default="record")
def schema(session: Session, kind: str) -> int:
    """Print the JSON Schema of records."""
    return run_schema(session, kind)
