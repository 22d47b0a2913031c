"""`gitmem hook EVENT` for git's own hooks: does its part, and never stops what git is doing."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from gitmem.app.adapters import load
from gitmem.app.hooking import run_post_commit, run_pre_commit, tell_of_agents_once
from gitmem.cli.terminal import clean_line
from gitmem.config import environment
from gitmem.errors import GitmemError

EVENTS = ("pre-commit", "prepare-commit-msg", "post-commit")
BY_HAND = "gitmem capture --flush"


def run(words: list[str]) -> int | None:
    """The exit code, always 0; None for an event that is not git's."""
    event = words[1] if len(words) > 1 else ""
    if event not in EVENTS:
        return None
    environ = environment()
    if environ.get("GITMEM") == "0":
        return 0
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        said = _run(event, words[2:])
    except GitmemError as error:
        said = f"{error.message}; the {event} hook was passed over (by hand: {BY_HAND})"
    except Exception as error:
        said = f"{type(error).__name__}: {error}; the {event} hook was passed over (gitmem doctor)"
    with contextlib.suppress(OSError, ValueError):
        if said:
            sys.stderr.write(f"gitmem: {clean_line(said)}\n")
            sys.stderr.flush()
    return 0


def _run(event: str, words: list[str]) -> str:
    """What there is to say, in one line."""
    cwd, environ = Path.cwd(), environment()
    if environ.get("GITMEM_PROBE"):
        return ""
    if event == "pre-commit":
        done = run_pre_commit(cwd, environ)
        said = []
        if done.records:
            said.append(f"{_count(done.records, 'record')} with this commit")
        if done.of_agents and tell_of_agents_once(cwd, environ):
            said.append(
                f"{done.of_agents} of them captured by a coding agent (summary, reason, files; "
                'to keep such at home: [share] agents = "none" in .git/gitmem/config.toml)'
            )
        if done.withheld:
            shown = ", ".join(one[:12] for one in done.withheld[:5])
            said.append(
                f"held back, for they look like they carry a secret: {shown} "
                "(gitmem show ID, gitmem redact ID)"
            )
        return "; ".join(said)
    if event == "post-commit":
        run_post_commit(cwd, environ)
    elif words:
        load("suggest-decisions")(cwd, Path(words[0]), environ)
    return ""


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
