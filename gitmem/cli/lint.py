"""lint: the links of notes and decisions, as lines that an editor can follow."""

from __future__ import annotations

import msgspec

from gitmem.cli.boundary import Session
from gitmem.cli.render_hits import short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.errors import CheckFailed
from gitmem.services.lint import Linted, LintedLink, lint

_SHOWN = 5


def run_lint(session: Session) -> int:
    """Print what is wrong; 1 where something is."""
    opened = open_for(session)
    try:
        found = lint(opened.workspace)
    finally:
        opened.close()
    if session.is_json:
        data = msgspec.structs.asdict(found)
        data.pop("notices")
        session.data("lint", data, found.notices)
    else:
        session.text("\n".join([*map(_format_link, found.links), _format_verdict(found)]))
        session.warn(found.notices)
    return CheckFailed.exit_code if found.links else 0


def _format_link(link: LintedLink) -> str:
    where = f"decision {short(link.id)}" if link.id else f"{link.path}:{link.line}"
    what = "leads nowhere"
    if link.candidates:
        more = len(link.candidates) - _SHOWN
        named = ", ".join(link.candidates[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        what = f"may mean any of {named}"
    return clean_line(f"{where}: [[{link.target}]] {what}")


def _format_verdict(found: Linted) -> str:
    if not found.links:
        return "Every link leads somewhere."
    more = ", and more" if found.is_cut else ""
    return f"{format_count(len(found.links), 'bad link')}{more}"
