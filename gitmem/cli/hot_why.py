"""`why`, past click where the words are plain."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.ask_why import WhyOptions, run_why
from gitmem.cli.boundary import Session, guarded
from gitmem.cli.plain import Spec, parse_plain

_SPEC = Spec(
    flags={
        "--json": "json",
        "-q": "quiet",
        "--quiet": "quiet",
        "--all": "all",
        "--no-history": "no-history",
        "--exit-code": "exit-code",
        "--peers": "peers",
        "--no-peers": "no-peers",
    },
    single={"--limit": "limit"},
    multiple={"--peer": "peer"},
    least=1,
)


def run(words: list[str]) -> int | None:
    """The exit code, or None where click's parser is needed."""
    plain = parse_plain(words[1:], _SPEC)
    if plain is None:
        return None
    limit = plain.values.get("limit", str(WhyOptions("").limit))
    if not limit.isdecimal() or not 1 <= int(limit) <= 1_000_000:
        return None
    with_peers = None
    if {"peers", "no-peers"} & plain.flags:
        with_peers = "peers" in plain.flags
    options = WhyOptions(
        plain.words[0],
        limit=int(limit),
        show_all="all" in plain.flags,
        with_history="no-history" not in plain.flags,
        exit_code="exit-code" in plain.flags,
        with_peers=with_peers,
        peers=plain.lists["peer"],
    )
    session = Session(Path.cwd(), is_json="json" in plain.flags, is_quiet="quiet" in plain.flags)
    return guarded(lambda: run_why(session, options), is_json=session.is_json)
