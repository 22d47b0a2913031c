"""Bare `gitmem`: five lines of state and the next command."""

from __future__ import annotations

from gitmem.cli.boundary import Session
from gitmem.cli.browse import render_status
from gitmem.cli.repository import open_for
from gitmem.errors import NoRepository
from gitmem.services.status import get_status

OUTSIDE = """gitmem keeps the reasons behind code in git, beside the code.
This is not a git repository. In one, ask:  gitmem why FILE
See the whole flow in throw-away repositories:  gitmem demo
All commands:  gitmem --help"""

BEFORE = """No memory here yet, but history already answers:  gitmem why FILE
Start a memory:  gitmem init
All commands:  gitmem --help"""

EMPTY = """No memory here yet, and no commits.
Start a memory:  gitmem init
All commands:  gitmem --help"""

MAX_LINES = 5


def _shorten(lines: list[str]) -> list[str]:
    """The first lines, and the last: the next command."""
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], lines[-1]]


def print_overview(session: Session) -> int:
    """State and next step, or what gitmem is where there is no repository."""
    try:
        opened = open_for(session)
    except NoRepository:
        if session.is_json:
            session.data("overview", {"repository": False, "memory": False})
        else:
            session.text(OUTSIDE)
        return 0
    try:
        if opened.workspace.memory is None:
            if session.is_json:
                session.data("overview", {"repository": True, "memory": False})
            else:
                session.text(BEFORE if opened.workspace.present.head else EMPTY)
            return 0
        status = get_status(opened.workspace, opened.project.name if opened.project else "")
        if session.is_json:
            data = {"repository": True, "memory": True, "records": status.records}
            session.data("overview", data, status.notices)
        else:
            session.text("\n".join(_shorten(render_status(status))))
            session.warn(status.notices)
    finally:
        opened.close()
    return 0
