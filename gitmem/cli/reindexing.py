"""reindex: from words to vectors, and a line that says what was done."""

from __future__ import annotations

from gitmem.app.adapters import load
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.core.wording import format_count
from gitmem.services.reindex import Reindexed, reindex


def run_reindex(session: Session, *, may_download: bool, from_scratch: bool) -> int:
    opened = open_for(session)
    try:
        if may_download:
            for name in load("download-models")(opened.settings, session.environ):
                session.note(f"{name} is on this machine now.")
        done = reindex(opened.workspace, from_scratch=from_scratch)
    finally:
        opened.close()
    if session.is_json:
        session.data("reindex", done, done.notices)
    else:
        session.warn(done.notices)
        session.text(_describe(done))
    return 0


def _describe(done: Reindexed) -> str:
    parts = [f"Embedded {format_count(done.embedded, 'document')}"]
    if done.taken:
        parts.append(f"took over {format_count(done.taken, 'vector')} that others share")
    if done.dropped:
        parts.append(f"dropped {format_count(done.dropped, 'vector')} of what is gone")
    if done.other_stamps:
        parts.append(f"deleted the vectors of {format_count(done.other_stamps, 'other model')}")
    total = format_count(done.vectors, "vector")
    return f"{', '.join(parts)}: {total} now ({done.stamp})."
