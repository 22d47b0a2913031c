"""`changelog`: from words to a section, a file, a verdict."""

from __future__ import annotations

from typing import Any

import msgspec

from gitmem.app.changelogging import make_changelog
from gitmem.cli.boundary import Session
from gitmem.cli.init_hint import INIT_HINT
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.changelog_entries import Changelog
from gitmem.core.changelog_markdown import (
    format_by_type,
    format_github,
    format_keepachangelog,
)
from gitmem.core.wording import format_count
from gitmem.errors import PartMissing, UsageError
from gitmem.services.changelog import ChangelogRequest
from gitmem.services.changelog_file import prepend_section
from gitmem.services.release_range import UNRELEASED
from gitmem.services.workspace import Workspace

FORMATS = ("keepachangelog", "md", "json", "github")
SHOWN_FILES = 50
_RENDERERS = {
    "keepachangelog": format_keepachangelog,
    "md": format_by_type,
    "github": format_github,
}


class ChangelogOptions(msgspec.Struct, frozen=True, kw_only=True):
    words: tuple[str, ...] = ()
    format: str = "keepachangelog"
    tag: str | None = None
    is_unreleased: bool = False
    prepend: str | None = None
    is_check: bool = False
    may_fetch: bool = False
    is_prose: bool = False
    with_peers: bool = False
    peers: tuple[str, ...] = ()


def run_changelog(session: Session, options: ChangelogOptions) -> int:
    """Make it, print or write it; 1 only where a check was asked for and failed."""
    _check_options(options)
    progress = session.progress()
    opened = open_for(session)
    try:
        request = ChangelogRequest(
            words=options.words, tag=options.tag, is_unreleased=options.is_unreleased
        )
        answer = make_changelog(
            opened,
            request,
            may_fetch=options.may_fetch,
            with_peers=options.with_peers,
            aliases=options.peers,
        )
        progress.end()
        changelog = answer.changelog
        is_json = session.is_json or options.format == "json"
        written = _write(opened.workspace, changelog, options)
        if is_json:
            session.data("changelog", build_data(changelog), answer.notices)
        elif written is not None:
            session.note(clean_line(written))
        elif not options.is_check:
            session.text(_RENDERERS[options.format](changelog))
        if options.is_check and not is_json:
            session.text(render_check(changelog))
        if not is_json:
            session.warn(answer.notices)
            _hint(session, opened.workspace, changelog)
    finally:
        progress.end()
        opened.close()
    return 1 if options.is_check and changelog.coverage.unexplained else 0


def _check_options(options: ChangelogOptions) -> None:
    if options.is_prose:
        raise PartMissing(
            "--prose needs a language model, and this version has none to ask",
            hint="Leave --prose out: the same facts, without it.",
        )
    if options.prepend and options.format not in ("keepachangelog", "md"):
        raise UsageError("--prepend writes Markdown: --format keepachangelog or md")


def _write(workspace: Workspace, changelog: Changelog, options: ChangelogOptions) -> str | None:
    """Write what is to be written; what became of which file, if any."""
    if not options.prepend:
        return None
    section = _RENDERERS[options.format](changelog)
    is_release = changelog.title != UNRELEASED and changelog.is_at_head
    is_changed = prepend_section(
        workspace, options.prepend, changelog.title, section, is_release=is_release
    )
    said = f"{changelog.title} is written" if is_changed else f"{changelog.title} is up to date"
    return f"{options.prepend}: {said}"


def build_data(changelog: Changelog) -> dict[str, Any]:
    """What a program gets."""
    data = msgspec.structs.asdict(changelog)
    web = data.pop("web")
    return {**data, "url": web.base if web is not None else ""}


def render_check(changelog: Changelog) -> str:
    """The verdict, and the files that nothing explains."""
    coverage = changelog.coverage
    files = format_count(coverage.files, "file")
    where = clean_line(changelog.range) or "this repository"
    if not coverage.unexplained:
        return f"Every change in {where} is explained: {files}."
    lines = [f"{coverage.unexplained} of {files} changed in {where}, and nothing says why:"]
    # Never first in its line, where a runner looks for commands.
    lines += [f"  - {clean_line(path)}" for path in coverage.unexplained_paths[:SHOWN_FILES]]
    more = coverage.unexplained - SHOWN_FILES
    if more > 0:
        lines.append(f"  ... {more} more")
    lines.append("Say why: gitmem capture --for COMMIT, or gitmem capture FILE before a commit.")
    return "\n".join(lines)


def _hint(session: Session, workspace: Workspace, changelog: Changelog) -> None:
    if workspace.refusal is not None:
        session.note(f"gitmem: {workspace.refusal.message}; this is from history alone")
    elif workspace.memory is not None or not changelog.entries:
        return
    elif workspace.facts.get_memo("init-hint") is None:
        workspace.facts.set_memo("init-hint", "given")
        session.note(INIT_HINT)
