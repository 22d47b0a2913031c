"""`pull` and `push`, past click where the words are plain."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.boundary import Session, guarded
from gitmem.cli.plain import Spec, parse_plain
from gitmem.cli.sync import run_pull, run_push

_SPEC = Spec(flags={"--json": "json", "-q": "quiet", "--quiet": "quiet"})


def run(words: list[str]) -> int | None:
    """The exit code, or None where click's parser is needed."""
    plain = parse_plain(words[1:], _SPEC)
    if plain is None:
        return None
    remote = plain.words[0] if plain.words else None
    session = Session(Path.cwd(), is_json="json" in plain.flags, is_quiet="quiet" in plain.flags)
    if words[0] == "push":
        return guarded(lambda: run_push(session, remote, False), is_json=session.is_json)
    return guarded(lambda: run_pull(session, remote), is_json=session.is_json)
