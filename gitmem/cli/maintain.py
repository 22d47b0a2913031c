"""maintain: from words to what was folded, settled and rewritten."""

from __future__ import annotations

from gitmem.app.maintaining import fold_memory, resolve_memory, rewrite_memory
from gitmem.app.sharing import retire_memory
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.services.maintain import Folded, Rewritten


def run_maintain(session: Session, *, is_dry_run: bool, is_resolving: bool) -> int:
    opened = open_for(session, heavy=True)
    try:
        if is_resolving:
            _tell_resolved(session, resolve_memory(opened, is_dry_run=is_dry_run))
        else:
            folded = fold_memory(opened, is_dry_run=is_dry_run)
            rewritten, note = rewrite_memory(opened, is_dry_run=is_dry_run)
            _tell(session, folded, rewritten, note, is_dry_run)
    finally:
        opened.close()
    return 0


def run_retire(session: Session, *, idle_days: int, is_dry_run: bool) -> int:
    opened = open_for(session)
    try:
        done = retire_memory(opened, idle_days=idle_days, is_dry_run=is_dry_run)
        if session.is_json:
            data = {"writers": done.writers, "records": done.records, "kept": done.kept}
            session.data("maintain", {**data, "dry_run": is_dry_run})
            return 0
        if not done.writers:
            session.text(f"No writer has been idle for {format_count(idle_days, 'day')}.")
        else:
            would = "Would take" if is_dry_run else "Took"
            records = format_count(done.records, "record")
            writers = format_count(len(done.writers), "idle writer")
            session.text(f"{would} over {records} of {writers}: {', '.join(done.writers)}")
        for writer, reason in done.kept.items():
            session.note(f"gitmem: writer {writer} was left alone: {clean_line(reason)}")
    finally:
        opened.close()
    return 0


def _tell(
    session: Session, folded: Folded, rewritten: Rewritten, note: str, is_dry_run: bool
) -> None:
    if session.is_json:
        data = {
            "folded": folded.folded,
            "emptied": folded.emptied,
            "withheld": folded.withheld,
            "rewritten": rewritten.removed,
            "staged": rewritten.added,
            "dry_run": is_dry_run,
        }
        session.data("maintain", data)
        return
    would = "would come" if is_dry_run else "came"
    session.text(f"{format_count(folded.folded, 'record')} {would} to this clone's own ref.")
    if folded.emptied:
        left = format_count(folded.emptied, "record")
        session.text(f"{left} left the spool, safe in two other places now.")
    for one in folded.withheld:
        session.note(f"gitmem: {one[:12]} looks like it carries a secret, and stayed here")
    if rewritten.removed:
        verb = "would be" if is_dry_run else "was" if len(rewritten.removed) == 1 else "were"
        session.text(
            f"{format_count(len(rewritten.removed), 'segment')} {verb} rewritten without what "
            f"was redacted, {format_count(rewritten.records, 'record')} kept. Next: git commit"
        )
        session.note(
            "gitmem: the bytes stay in git's history until that is rewritten (git filter-repo), "
            "and on every clone; rotate the secret."
        )
    if note:
        session.note(f"gitmem: {note}")


def _tell_resolved(session: Session, done: Rewritten) -> None:
    if session.is_json:
        session.data("maintain", {"resolved": done.removed, "staged": done.added})
        return
    for problem in done.problems:
        session.note(f"gitmem: {clean_line(problem.place)}: {clean_line(problem.detail)}")
    if done.removed or done.added:
        kept = format_count(done.records, "record")
        session.text(f"Settled by union: {kept} kept. Next: git commit")
    else:
        session.text("There is no conflict among the records.")
