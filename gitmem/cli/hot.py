"""Hot commands parsed by hand: plain words only, everything else is click's."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.ask_why import WhyOptions, run_why
from gitmem.cli.boundary import Session, guarded

_FLAGS = {
    "--json": "json",
    "--all": "show_all",
    "--no-history": "no_history",
    "--exit-code": "exit_code",
}


def run(words: list[str]) -> int | None:
    """The exit code, or None where the words are not plain enough for this parser."""
    if words[0] == "why":
        return _why(words[1:])
    return None


def _why(words: list[str]) -> int | None:
    flags: set[str] = set()
    targets: list[str] = []
    limit = WhyOptions("").limit
    position = 0
    while position < len(words):
        word = words[position]
        if word in _FLAGS:
            flags.add(_FLAGS[word])
        elif word == "--limit" and position + 1 < len(words) and words[position + 1].isdecimal():
            position += 1
            limit = int(words[position])
        elif word.startswith("-"):
            return None
        else:
            targets.append(word)
        position += 1
    if len(targets) != 1 or not 1 <= limit <= 1_000_000:
        return None
    options = WhyOptions(
        targets[0],
        limit=limit,
        show_all="show_all" in flags,
        with_history="no_history" not in flags,
        exit_code="exit_code" in flags,
    )
    session = Session(Path.cwd(), is_json="json" in flags)
    return guarded(lambda: run_why(session, options), is_json=session.is_json)
