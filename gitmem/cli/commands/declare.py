"""How a command is declared: its words, `--json`, and the error boundary around it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click
import msgspec

from gitmem.cli.boundary import Session, guarded

Action = Callable[..., int]


def command(name: str, **settings: Any) -> Callable[[Action], click.Command]:
    """Declare a command: the function gets the session and the parsed words, prints, and
    gives the exit code."""

    def declare(action: Action) -> click.Command:
        def run(is_json: bool, quiet: bool, **words: Any) -> None:
            ctx = click.get_current_context()
            session: Session = ctx.obj
            session = msgspec.structs.replace(
                session,
                is_json=session.is_json or is_json,
                is_quiet=session.is_quiet or quiet,
            )
            code = guarded(
                lambda: action(session, **words),
                is_json=session.is_json,
                is_verbose=session.is_verbose,
            )
            ctx.exit(code)

        # click's decorators leave the parameters here, the last one first.
        parameters: list[click.Parameter] = getattr(action, "__click_params__", [])
        return click.Command(
            name,
            callback=run,
            params=[*reversed(parameters), *_SHARED],
            help=inspect.cleandoc(action.__doc__ or ""),
            **settings,
        )

    return declare


_SHARED: list[click.Parameter] = [
    click.Option(["--json", "is_json"], is_flag=True, help="Print JSON."),
    click.Option(["-q", "--quiet"], is_flag=True, help="Say nothing on stderr but errors."),
]
