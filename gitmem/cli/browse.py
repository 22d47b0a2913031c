"""log, show and status: from words to text on the screen."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import msgspec

from gitmem.app.adapters import load
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.hint import hint_hooks
from gitmem.cli.render_hits import Look, age, render_commit, render_decision, short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line, two_columns
from gitmem.core.wording import format_count
from gitmem.services.browse import Listing, list_log, show
from gitmem.services.hits import Hit
from gitmem.services.status import Status, get_status


def run_log(
    session: Session,
    path: str | None,
    limit: int,
    *,
    with_peers: bool | None = None,
    peers: Sequence[str] = (),
) -> int:
    opened = open_for(session)
    try:
        listing = list_log(opened.workspace, path, limit=limit)
        if opened.has_peers(True if peers else with_peers):
            listing = load("span-listing")(opened, listing, path, peers, limit=limit)
        if session.is_json:
            data = {"hits": listing.hits, "total": listing.total}
            session.data("log", data, listing.notices)
            return 0
        look = look_of(session, opened.workspace)
        lines = [
            render_commit(hit, look) if hit.kind == "commit" else _row(hit, look)
            for hit in listing.hits
        ]
        if listing.total > len(listing.hits):
            lines.append(_more(path, listing.total, len(listing.hits)))
        if not lines:
            lines = [_nothing(path, listing, has_memory=opened.workspace.memory is not None)]
        session.text("\n".join(lines))
        session.warn(listing.notices)
        hint_hooks(session, opened)
    finally:
        opened.close()
    return 0


def _more(path: str | None, total: int, shown: int) -> str:
    of = f"{shlex.quote(clean_line(path))} " if path else ""
    return f"... {total - shown:,} more: gitmem log {of}-n {total}"


def _nothing(path: str | None, listing: Listing, *, has_memory: bool) -> str:
    """What to say where the log is empty."""
    where = f"for {clean_line(path)}" if path else "in this repository"
    of = f" {shlex.quote(clean_line(path))}" if path else ""
    if has_memory:
        return f"No decision is recorded {where}. Record one: gitmem capture{of}"
    either = "" if listing.notices else " No commit message says why, either."
    return f"No decision is recorded {where}.{either} Start a memory: gitmem init"


def _row(hit: Hit, look: Look) -> str:
    is_plain = hit.state == "current" or (hit.state == "redacted" and hit.summary == "(redacted)")
    state = "" if is_plain else f" ({hit.state})"
    where = {"pending": ", pending", "private": ", private", "elsewhere": ", not merged"}.get(
        hit.where, ", not committed yet" if hit.uncommitted else ""
    )
    actor = clean_line(hit.actor.name) if hit.actor else "unknown"
    review = ", unreviewed" if hit.unreviewed else ""
    project = "" if hit.project == "." else f"[{clean_line(hit.project)}] "
    left = f"{short(hit.id)}  {project}{clean_line(hit.summary)}{state}"
    return two_columns(left, f"{actor}, {age(hit.at, look)}{where}{review}", look.width)


def run_show(session: Session, record_id: str) -> int:
    opened = open_for(session)
    try:
        hit, notices = show(opened.workspace, record_id)
        if session.is_json:
            session.data("show", hit, notices)
            return 0
        look = look_of(session, opened.workspace)
        if hit.kind == "commit":
            body = [f"    {clean_line(line)}".rstrip() for line in (hit.why or "").split("\n")]
            lines = [render_commit(hit, look), *body]
        else:
            lines = [f"{hit.kind} {hit.id}", *render_decision(hit, look, full=True)]
            lines += [f"    about {clean_line(ref.path)}" for ref in hit.paths]
            if hit.tags:
                lines.append(f"    tags: {', '.join(clean_line(tag) for tag in hit.tags)}")
        session.text("\n".join(lines).rstrip())
        session.warn(notices)
    finally:
        opened.close()
    return 0


def run_status(session: Session) -> int:
    opened = open_for(session)
    try:
        name = opened.project.name if opened.project else ""
        status = get_status(opened.workspace, name)
        if session.is_json:
            data = msgspec.structs.asdict(status)
            session.data(
                "status", {k: v for k, v in data.items() if k != "notices"}, status.notices
            )
            return 0
        session.text("\n".join(render_status(status)))
        session.warn(status.notices)
        hint_hooks(session, opened)
        for key in opened.settings.unknown:
            session.note(f"gitmem: an unknown setting is ignored: {key}")
    finally:
        opened.close()
    return 0


def _where_to(paths: Sequence[str]) -> str:
    """With which commit a pending record goes."""
    if not paths:
        return ", goes with the next commit"
    more = f" or {len(paths) - 1} more" if len(paths) > 1 else ""
    return f", goes with {clean_line(paths[0])}{more}"


def _next_step(status: Status) -> str:
    if status.unpushed:
        return "gitmem push"
    return "gitmem capture" if status.records else 'gitmem capture -m "what was decided" FILE'


def render_status(status: Status) -> list[str]:
    """The state in a few lines, the next command last."""
    kind = "detached memory" if status.detached else "memory"
    name = clean_line(status.name or status.remote_key or status.project_id)
    branch = f"on branch {clean_line(status.branch)}" if status.branch else "HEAD is detached"
    if status.branch is None and status.head:
        branch = f"detached at {short(status.head)}"
    lines = [f"{kind} of {name}, {branch}"]
    lines.append(
        f"{format_count(status.records, 'record')}, {status.pending} pending, "
        f"{status.unpushed} unpushed, {status.private} private"
    )
    for row in status.pending_records[:10]:
        fact = (
            "pending, pushed already"
            if row.pushed
            else ("pending, on this clone's ref" if row.on_own_ref else "pending")
        )
        if not status.detached:
            fact += _where_to(row.goes_with)
        worktree = "" if row.worktree == "main" else f" (work tree {clean_line(row.worktree)})"
        lines.append(f"  {short(row.id)}  {clean_line(row.summary)}  [{fact}]{worktree}")
    if len(status.pending_records) > 10:
        lines.append(f"  ... {len(status.pending_records) - 10} more")
    for alarm in status.alarms:
        lines.append(
            f"! {clean_line(alarm.actor.name if alarm.actor else '?')} "
            f"{clean_line(alarm.summary)}, which no review has seen: "
            f"gitmem show {short(alarm.id)}"
        )
    lines.append(f"next: {_next_step(status)}")
    return lines
