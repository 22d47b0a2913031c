"""The commands about change: changelog and impact."""

from __future__ import annotations

import click

from gitmem.cli.boundary import Session
from gitmem.cli.commands.declare import command
from gitmem.cli.make_changelog import FORMATS, ChangelogOptions, run_changelog
from gitmem.cli.show_impact import run_impact
from gitmem.services.impact import DEFAULT_LIMIT, KINDS, Kind


@command("changelog")
@click.argument("words", metavar="[RANGE]...", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="How to print it.",
)
@click.option("--unreleased", is_flag=True, help="Since the last tag, headed Unreleased.")
@click.option("--tag", metavar="T", help="Head it with this version, which may not exist yet.")
@click.option("--prepend", metavar="FILE", help="Put its section into this file, or renew it.")
@click.option("--check", is_flag=True, help="Exit 1 where files changed and nothing says why.")
@click.option("--fetch", is_flag=True, help="Fetch the history that a shallow clone lacks.")
@click.option("--prose", is_flag=True, help="Let a language model write it (costs money).")
@click.option("--peers/--no-peers", "with_peers", help="List what other projects say of it, too.")
@click.option("--peer", "peers", multiple=True, metavar="ALIAS", help="Of peers ask only these.")
def changelog(
    session: Session,
    words: tuple[str, ...],
    form: str,
    unreleased: bool,
    tag: str | None,
    prepend: str | None,
    check: bool,
    fetch: bool,
    prose: bool,
    with_peers: bool,
    peers: tuple[str, ...],
) -> int:
    """Say what changed in RANGE, and why: decisions first, then commit messages that give a
    reason.

    RANGE is whatever `git rev-list` takes; without it, what came since the last tag. What
    belongs to it is told by the history, never by dates.

    \b
      gitmem changelog v1.0..v1.1
      gitmem changelog --tag v1.2 --prepend CHANGELOG.md
      gitmem changelog --check main..HEAD
    """
    options = ChangelogOptions(
        words=words,
        format=form,
        tag=tag,
        is_unreleased=unreleased,
        prepend=prepend,
        is_check=check,
        may_fetch=fetch,
        is_prose=prose,
        with_peers=with_peers,
        peers=tuple(peers),
    )
    return run_changelog(session, options)


@command("impact")
@click.argument("target", type=click.Path())
@click.option("--as", "kind", type=click.Choice(KINDS), help="What TARGET is, if a word fits two.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="At most so many of each.",
)
@click.option("--peers/--no-peers", "with_peers", default=None, help="Ask other projects, too.")
@click.option("--peer", "peers", multiple=True, metavar="ALIAS", help="Of peers ask only these.")
def impact(
    session: Session,
    target: str,
    kind: Kind | None,
    limit: int,
    with_peers: bool | None,
    peers: tuple[str, ...],
) -> int:
    """Say what rests on TARGET: who would notice a change of it.

    TARGET is a file or folder, a decision's id, an address, or the name of a page. Of a file it
    lists its decisions, what points at these, and the files that change together with it.

    \b
      gitmem impact src/app.py
      gitmem impact 4d41c9f
      gitmem impact https://example.com/spec --as source
    """
    return run_impact(session, target, kind, limit, with_peers=with_peers, peers=tuple(peers))
