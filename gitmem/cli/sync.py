"""push and pull: from words to what was shared."""

from __future__ import annotations

import msgspec

from gitmem.app.sharing import pull_memory, push_memory
from gitmem.cli.boundary import Session
from gitmem.cli.render_hits import short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.services.push import Pushed


def run_push(session: Session, remote: str | None, dry_run: bool) -> int:
    opened = open_for(session)
    try:
        done = push_memory(opened, remote, is_dry_run=dry_run)
        if session.is_json:
            data = msgspec.structs.asdict(done)
            data.pop("notices")
            session.data("push", data, done.notices)
        else:
            session.text(_sentence(done))
            if done.withheld:
                names = ", ".join(short(i) for i in done.withheld)
                session.note(
                    f"gitmem: withheld, for they look like they carry a secret: {names}\n"
                    f"  Look: gitmem show {short(done.withheld[0])}   "
                    f"Take it out: gitmem redact {short(done.withheld[0])}"
                )
            session.warn(done.notices)
        return 1 if done.withheld and not done.pushed and not dry_run else 0
    finally:
        opened.close()


def _sentence(done: Pushed) -> str:
    remote = clean_line(done.remote)
    records = format_count(done.pushed, "record")
    if done.is_dry_run:
        return f"Would push {records} to {remote}."
    if done.vectors:
        records += f" and the vectors of {format_count(done.vectors, 'decision')}"
    elif not done.pushed:
        return f"Nothing new to push; {remote} is up to date."
    return f"Pushed {records} to {remote}, confirmed."


def run_pull(session: Session, remote: str | None) -> int:
    opened = open_for(session)
    try:
        done = pull_memory(opened, remote)
        if session.is_json:
            data = msgspec.structs.asdict(done)
            data.pop("notices")
            session.data("pull", data, done.notices)
            return 0
        names = " and ".join(clean_line(name) for name in done.remotes)
        if not done.has_memory:
            session.text(f"There is no memory on {names} yet. Start one here: gitmem init")
        elif not done.writers:
            session.text(f"Nothing new; up to date with {names}.")
        else:
            records = format_count(done.added, "record")
            clones = format_count(done.writers, "clone")
            if done.vectors:
                records += f" and {format_count(done.vectors, 'vector')}"
            session.text(f"Pulled {records} of {clones} from {names}. Ask: gitmem why PATH")
        session.warn(done.notices)
        return 0
    finally:
        opened.close()
