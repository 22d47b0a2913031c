"""`capture -m …`, past click where the words are plain; no editor is loaded for it."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.boundary import Session, guarded
from gitmem.cli.plain import Spec, parse_plain
from gitmem.cli.record import Words, run_capture
from gitmem.core.records import DECISION_TYPES

_SPEC = Spec(
    flags={
        "--json": "json",
        "-q": "quiet",
        "--quiet": "quiet",
        "--flush": "flush",
        "--local": "local",
    },
    single={"-m": "summary", "--message": "summary", "--why": "why", "--type": "type"},
    multiple={"--rejected": "rejected", "--supersedes": "supersedes", "--tag": "tags"},
    most=100,
)


def run(words: list[str]) -> int | None:
    """The exit code, or None where click's parser, or the editor, is needed."""
    plain = parse_plain(words[1:], _SPEC)
    if plain is None or "summary" not in plain.values:
        return None
    kind = plain.values.get("type")
    if kind is not None and kind not in DECISION_TYPES:
        return None
    said = Words(
        summary=plain.values["summary"],
        why=plain.values.get("why"),
        type=kind,
        rejected=plain.lists["rejected"],
        supersedes=plain.lists["supersedes"],
        tags=plain.lists["tags"],
        paths=plain.words,
        is_flush="flush" in plain.flags,
        is_local="local" in plain.flags,
    )
    session = Session(Path.cwd(), is_json="json" in plain.flags, is_quiet="quiet" in plain.flags)
    return guarded(lambda: run_capture(session, said), is_json=session.is_json)
