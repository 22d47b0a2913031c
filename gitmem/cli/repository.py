"""Opening the repository that a command line is about."""

from __future__ import annotations

from gitmem.app.adapters import load
from gitmem.app.opening import Opened, Report, open_repository
from gitmem.cli.boundary import Session


def open_for(session: Session, *, heavy: bool = False, report: Report | None = None) -> Opened:
    """The repository of the session, with its progress line; the peer that it names, as if
    one stood in it."""
    report = report or session.progress().report
    if session.peer is not None:
        opened: Opened = load("open-in-peer")(
            session.peer, session.cwd, session.environ, report, heavy=heavy
        )
        return opened
    return open_repository(session.cwd, session.environ, report=report, heavy=heavy)
