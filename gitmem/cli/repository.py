"""Opening the repository that a command line is about."""

from __future__ import annotations

from gitmem.app.opening import Opened, open_repository
from gitmem.cli.boundary import Session


def open_for(session: Session, *, heavy: bool = False) -> Opened:
    """The repository of the session, with its progress line."""
    return open_repository(
        session.cwd, session.environ, report=session.progress().report, heavy=heavy
    )
