"""`lint`: wikilinks that lead nowhere, or to several things, in notes and in decisions."""

from __future__ import annotations

import msgspec

from gitmem.services.catch_up import catch_up
from gitmem.services.hits import find_hits
from gitmem.services.note_index import refresh_notes
from gitmem.services.workspace import Notice, Workspace

MAX_LINKS = 10_000
STANDING = ("current", "conflict")


class LintedLink(msgspec.Struct, frozen=True, kw_only=True):
    """One bad link: in the note at `path` and `line`, or in the decision `id`. `candidates` are
    what it may mean; none where it leads nowhere."""

    target: str
    path: str | None = None
    line: int | None = None
    id: str | None = None
    candidates: tuple[str, ...] = ()


class Linted(msgspec.Struct, frozen=True, kw_only=True):
    """The bad links, those of decisions first. `is_cut`: there are more of them."""

    links: tuple[LintedLink, ...]
    is_cut: bool = False
    notices: tuple[Notice, ...] = ()


def lint(workspace: Workspace) -> Linted:
    """Look at every link of every vault, and of the decisions that stand."""
    notices = (*catch_up(workspace).notices, *refresh_notes(workspace))
    bad = workspace.notes.list_bad_links(limit=MAX_LINKS + 1)
    decisions = {one.path for one in bad if not one.vault}
    standing = {hit.id for hit in find_hits(workspace, decisions) if hit.state in STANDING}
    links = [
        LintedLink(id=one.path, target=one.target, candidates=one.candidates)
        if not one.vault
        else LintedLink(
            path=one.path if one.vault == "." else f"{one.vault.rstrip('/')}/{one.path}",
            line=one.line,
            target=one.target,
            candidates=one.candidates,
        )
        for one in bad[:MAX_LINKS]
        if one.vault or one.path in standing
    ]
    return Linted(links=tuple(links), is_cut=len(bad) > MAX_LINKS, notices=notices)
