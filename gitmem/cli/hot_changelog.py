"""`changelog`, past click where the words are plain."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.boundary import Session, guarded
from gitmem.cli.make_changelog import FORMATS, ChangelogOptions, run_changelog
from gitmem.cli.plain import Spec, parse_plain

_SPEC = Spec(
    flags={
        "--json": "json",
        "-q": "quiet",
        "--quiet": "quiet",
        "--check": "check",
        "--unreleased": "unreleased",
    },
    single={"--format": "format", "--tag": "tag"},
)


def run(words: list[str]) -> int | None:
    """The exit code, or None where click's parser is needed."""
    plain = parse_plain(words[1:], _SPEC)
    form = FORMATS[0] if plain is None else plain.values.get("format", FORMATS[0])
    if plain is None or form not in FORMATS:
        return None
    options = ChangelogOptions(
        words=plain.words,
        format=form,
        tag=plain.values.get("tag"),
        is_unreleased="unreleased" in plain.flags,
        is_check="check" in plain.flags,
    )
    session = Session(Path.cwd(), is_json="json" in plain.flags, is_quiet="quiet" in plain.flags)
    return guarded(lambda: run_changelog(session, options), is_json=session.is_json)
