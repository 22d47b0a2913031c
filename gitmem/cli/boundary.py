"""The one error boundary: every way a command can end, as an exit code and a clear line."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gitmem.cli.terminal import Progress, clean, clean_line, escape_json
from gitmem.config import environment
from gitmem.errors import CannotWrite, GitmemError
from gitmem.services.workspace import Notice

SCHEMA_VERSION = 1
INTERNAL = 70
INTERRUPTED = 130
# What the system says where there is no room, wherever it says so.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class Session(msgspec.Struct, frozen=True):
    """What holds for the whole command line: global options, streams and environment. `peer`
    is the alias of the memory that is meant in place of the one here."""

    cwd: Path
    is_json: bool = False
    is_quiet: bool = False
    is_verbose: bool = False
    may_ask: bool = True
    peer: str | None = None
    environ: Mapping[str, str] = msgspec.field(default_factory=environment)

    def data(self, kind: str, data: Any, notices: Sequence[Notice] = ()) -> None:
        """Print a result as JSON."""
        write_json(
            {
                "schema_version": SCHEMA_VERSION,
                "kind": kind,
                "data": data,
                "warnings": [{"code": n.code, "message": n.message} for n in notices],
            }
        )

    def text(self, text: str) -> None:
        """Print a result for people; `text` is clean already. On a terminal that is too low
        for it, through the pager, which is loaded only there."""
        text = text if text.endswith("\n") else text + "\n"
        if sys.stdout.isatty():
            pager = importlib.import_module("gitmem.cli.pager")
            if pager.needs_pager(text, self.environ) and pager.show_paged(text, self.environ):
                return
        sys.stdout.write(text)

    def note(self, text: str) -> None:
        """Say something about the work, on stderr."""
        if not self.is_quiet:
            sys.stderr.write(clean(text) + "\n")

    def warn(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self.note(f"gitmem: {notice.message}")

    def progress(self) -> Progress:
        return Progress(sys.stderr, quiet=self.is_quiet or self.is_json)


def write_json(value: Any) -> None:
    """One JSON value on stdout, as UTF-8 whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(escape_json(msgspec.json.encode(value)) + b"\n")
    sys.stdout.buffer.flush()


def guarded(action: Callable[[], int], *, is_json: bool, is_verbose: bool = False) -> int:
    """Run a command; its exit code, whatever happens."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = action()
        sys.stdout.flush()
        return code
    except GitmemError as error:
        return _fail(error, is_json=is_json, is_verbose=is_verbose)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()  # whoever reads us has enough
        return 0
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _crash(error, is_json=is_json)
        _silence_stdout()
        refused = CannotWrite(f"cannot write: {(error.strerror or 'no space').lower()}")
        return _fail(refused, is_json=is_json, is_verbose=is_verbose)
    except Exception as error:
        return _crash(error, is_json=is_json)


def _silence_stdout() -> None:
    """Python's own flush at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: GitmemError, *, is_json: bool, is_verbose: bool) -> int:
    if is_json:
        message, hint = _encodable(error.message), _encodable(error.hint)
        failure = {"code": error.code, "message": message, "hint": hint}
        write_json({"schema_version": SCHEMA_VERSION, "error": failure})
    else:
        sys.stderr.write(f"gitmem: {clean(error.message)}\n")
        if error.hint:
            sys.stderr.write(f"  {clean(error.hint)}\n")
    if is_verbose:
        _print_traceback(error)
    return error.exit_code


def _crash(error: Exception, *, is_json: bool) -> int:
    """Our bug: a report that can be pasted into an issue."""
    line = _encodable(f"{type(error).__name__}: {clean_line(str(error))}")
    if is_json:
        failure = {"code": "internal", "message": line, "hint": "Please report this."}
        write_json({"schema_version": SCHEMA_VERSION, "error": failure})
    sys.stderr.write(
        f"gitmem: this is a bug in gitmem, and nothing you did: {line}\n"
        "  Please report it with the lines below; nothing that was confirmed is lost.\n\n"
        f"python {sys.version.split()[0]} on {sys.platform}\n"
    )
    _print_traceback(error)
    return INTERNAL


def _encodable(text: str) -> str:
    """With an escape for each lone surrogate: a file's name need not be UTF-8, JSON must be."""
    return text.encode("utf-8", "backslashreplace").decode()


def _print_traceback(error: BaseException) -> None:
    """The interpreter's own printer: it needs no module that every command would pay for."""
    sys.__excepthook__(type(error), error, error.__traceback__)
