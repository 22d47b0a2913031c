"""One call, one opening: tools run in several threads, and others write meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from gitmem.app.opening import Opened, open_repository
from gitmem.core.sealing import seal_line
from gitmem.errors import GitmemError

MAX_ERROR_CHARS = 1000
P = ParamSpec("P")
T = TypeVar("T")


class Ground(NamedTuple):
    """Where the server stands."""

    folder: Path
    environ: Mapping[str, str]

    @contextmanager
    def open(self) -> Iterator[Opened]:
        opened = open_repository(self.folder, self.environ)
        try:
            yield opened
        finally:
            opened.close()


def told(tool: Callable[P, T]) -> Callable[P, T]:
    """A tool whose expected failures the model is told, sealed: what happened, and what to do.
    Everything else is our bug, which the SDK reports without its text."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return tool(*args, **kwargs)
        except GitmemError as error:
            said = seal_line(f"{error.code}: {error.message}", MAX_ERROR_CHARS)
            hint = f"\n{seal_line(error.hint, MAX_ERROR_CHARS)}" if error.hint else ""
            raise ToolError(said + hint) from None
        except ValueError as error:
            raise ToolError(seal_line(str(error), MAX_ERROR_CHARS)) from None

    return call
