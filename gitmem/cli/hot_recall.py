"""`recall`, past click where the words are plain."""

from __future__ import annotations

from pathlib import Path

from gitmem.cli.ask_recall import DEFAULT_MAX_TOKENS, DEFAULT_TOP_K, RecallWords, run_recall
from gitmem.cli.boundary import Session, guarded
from gitmem.cli.plain import Spec, parse_plain
from gitmem.services.asking import Depth

_SPEC = Spec(
    flags={
        "--json": "json",
        "-q": "quiet",
        "--quiet": "quiet",
        "--explain": "explain",
        "--peers": "peers",
        "--no-peers": "no-peers",
    },
    single={"--top-k": "top-k", "--max-tokens": "max-tokens", "--depth": "depth"},
    multiple={"--peer": "peer"},
    least=1,
    most=10_000,
)
_DEPTHS: dict[str, Depth] = {"quick": "quick", "standard": "standard", "deep": "deep"}
_MOST = 1_000_000


def run(words: list[str]) -> int | None:
    """The exit code, or None where click's parser is needed."""
    plain = parse_plain(words[1:], _SPEC)
    if plain is None:
        return None
    top_k = plain.values.get("top-k", str(DEFAULT_TOP_K))
    max_tokens = plain.values.get("max-tokens", str(DEFAULT_MAX_TOKENS))
    for number in (top_k, max_tokens):
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= _MOST):
            return None
    depth = _DEPTHS.get(plain.values.get("depth", "standard"))
    if depth is None:
        return None
    asked_of = {"peers", "no-peers"} & plain.flags
    asked = RecallWords(
        " ".join(plain.words),
        top_k=int(top_k),
        max_tokens=int(max_tokens),
        depth=depth,
        with_explain="explain" in plain.flags,
        with_peers="peers" in plain.flags if asked_of else None,
        peers=plain.lists["peer"],
    )
    session = Session(Path.cwd(), is_json="json" in plain.flags, is_quiet="quiet" in plain.flags)
    return guarded(lambda: run_recall(session, asked), is_json=session.is_json)
