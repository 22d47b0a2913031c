"""`init --user`: from words to a memory outside any repository."""

from __future__ import annotations

from gitmem.app.inside_peer import start_user_memory
from gitmem.cli.boundary import Session
from gitmem.cli.terminal import clean_line


def run_init_user(session: Session, *, is_dry_run: bool) -> int:
    path = start_user_memory(session.environ, session.progress().report, is_dry_run=is_dry_run)
    if session.is_json:
        session.data("init", {"user": True, "path": str(path), "dry_run": is_dry_run})
    elif is_dry_run:
        session.text(f"Would keep a memory of your own in {clean_line(str(path))}.")
    else:
        session.text(
            f"A memory of your own, in {clean_line(str(path))}: it answers everywhere as the peer "
            'user.\nNext: gitmem --in user capture -m "what was decided"'
        )
    return 0
