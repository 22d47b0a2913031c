"""The asking commands: recall, search, query, related."""

from __future__ import annotations

from typing import Any

import click

from gitmem.cli.ask_recall import DEFAULT_MAX_TOKENS, DEFAULT_TOP_K, RecallWords, run_recall
from gitmem.cli.ask_search import SearchWords, run_related, run_search
from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.errors import PartMissing
from gitmem.services.related import DEFAULT_LIMIT
from gitmem.services.search import SCOPES

DEPTHS = ("quick", "standard", "deep")
_depth = click.option(
    "--depth",
    type=click.Choice(DEPTHS),
    default="standard",
    show_default=True,
    help="Words and links; meaning, too; or ranked again by a model where one is at hand.",
)
_explain = click.option("--explain", is_flag=True, help="Say why each stands where it stands.")


def _peers(function: Any) -> Any:
    """Whether other projects answer, too."""
    function = click.option(
        "--peer", "peers", multiple=True, metavar="ALIAS", help="Of peers ask only these."
    )(function)
    return click.option(
        "--peers/--no-peers", "with_peers", default=None, help="Ask other projects, too."
    )(function)


def _search_options(function: Any) -> Any:
    """What `search` and `query` take alike."""
    for option in (
        _peers,
        _explain,
        click.option(
            "--as-of",
            metavar="DATE",
            help="Answer from what was current then: 2026-11-30, or a time of RFC 3339.",
        ),
        _depth,
        click.option(
            "--scope",
            type=click.Choice(list(SCOPES)),
            default="all",
            show_default=True,
            help="Where to look; commit messages count as decisions.",
        ),
        click.option(
            "-n",
            "--limit",
            type=click.IntRange(1, 1000),
            default=10,
            show_default=True,
            help="At most so many hits.",
        ),
    ):
        function = option(function)
    return function


@command("recall")
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--top-k",
    type=click.IntRange(1, 1000),
    default=DEFAULT_TOP_K,
    show_default=True,
    help="At most so many excerpts.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    default=DEFAULT_MAX_TOKENS,
    show_default=True,
    help="At most so many tokens in all, as UTF-8 bytes / 4.",
)
@_depth
@_explain
@_peers
def recall(
    session: Session,
    question: tuple[str, ...],
    top_k: int,
    max_tokens: int,
    depth: Any,
    explain: bool,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """What does this memory have to say to a QUESTION? Excerpts within a budget of tokens:
    current decisions, commits that give a reason, and notes, each with its standing."""
    words = RecallWords(
        " ".join(question), top_k, max_tokens, depth, explain, with_peers, tuple(peers)
    )
    return run_recall(session, words)


@command("search")
@click.argument("words", nargs=-1, required=True)
@_search_options
def search(
    session: Session,
    words: tuple[str, ...],
    limit: int,
    scope: Any,
    depth: Any,
    as_of: str | None,
    explain: bool,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """Find decisions, commit messages and notes by WORDS, best first. Any text will do; what
    was withdrawn is shown with its label. Works before `gitmem init`, too."""
    return run_search(
        session,
        SearchWords(" ".join(words), limit, scope, depth, as_of, explain, with_peers, tuple(peers)),
    )


@command("query")
@click.argument("question", nargs=-1, required=True)
@click.option("--extract", is_flag=True, help="Excerpts, and no text that a model writes.")
@_search_options
def query(
    session: Session,
    question: tuple[str, ...],
    extract: bool,
    limit: int,
    scope: Any,
    depth: Any,
    as_of: str | None,
    explain: bool,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """Answer a QUESTION from this memory. With --extract the answer is cited excerpts, the
    same as `gitmem search`."""
    if not extract:
        raise PartMissing(
            "to write an answer needs the llm part, which is not installed",
            hint="Cited excerpts need no model: gitmem query --extract QUESTION",
        )
    return run_search(
        session,
        SearchWords(
            " ".join(question), limit, scope, depth, as_of, explain, with_peers, tuple(peers)
        ),
    )


@command("related")
@click.argument("target", type=click.Path())
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="At most so many.",
)
@_peers
def related(
    session: Session, target: str, limit: int, with_peers: bool | None, peers: tuple[str, ...]
) -> int:
    """What is linked to TARGET, and by which hops: a record's id, a commit, a note's path or
    name, or a file. Where nothing is, what is near it by its words."""
    return run_related(session, target, limit, with_peers=with_peers, peers=tuple(peers))
