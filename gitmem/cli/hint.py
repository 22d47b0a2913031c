"""A word on the side, for a person at a terminal."""

from __future__ import annotations

import sys

from gitmem.app.hook_hint import lacks_hooks
from gitmem.app.opening import Opened
from gitmem.cli.boundary import Session

NO_HOOKS = "gitmem: decisions do not go with this clone's commits yet: gitmem hooks install"


def hint_hooks(session: Session, opened: Opened) -> None:
    """Say, once a day, that the hooks are missing; to nobody but a person."""
    if session.is_json or session.is_quiet or not sys.stderr.isatty():
        return
    if lacks_hooks(opened):
        session.note(NO_HOOKS)
