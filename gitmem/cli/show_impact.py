"""`impact`: from a name to what rests on it, on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.cli.ask_why import look_of
from gitmem.cli.boundary import Session
from gitmem.cli.render_hits import Look, age, short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.services.hits import Hit
from gitmem.services.impact import (
    FindMentions,
    Impact,
    Kind,
    PeerMention,
    find_impact,
    find_none,
)


def run_impact(
    session: Session,
    target: str,
    kind: Kind | None,
    limit: int,
    *,
    with_peers: bool | None = None,
    peers: Sequence[str] = (),
) -> int:
    opened = open_for(session)
    try:
        find_mentions: FindMentions = find_none
        if opened.has_peers(True if peers else with_peers):
            find_mentions = partial(_find_mentions, opened, peers)
        impact = find_impact(
            opened.workspace, target, kind=kind, limit=limit, find_mentions=find_mentions
        )
        if session.is_json:
            data = msgspec.structs.asdict(impact)
            data.pop("notices")
            session.data("impact", data, impact.notices)
            return 0
        session.text(render_impact(impact, look_of(session, opened.workspace)))
        session.warn(impact.notices)
    finally:
        opened.close()
    return 0


def _find_mentions(
    opened: Opened, peers: Sequence[str], names: Sequence[str]
) -> Sequence[PeerMention]:
    found: Sequence[PeerMention] = load("peer-mentions")(opened, names, peers)
    return found


def render_impact(impact: Impact, look: Look) -> str:
    """Each part under a line that says what it is; parts with nothing in them are left out."""
    name = short(impact.target) if impact.kind == "decision" else clean_line(impact.target)
    decisions = [_row(hit, look) for hit in impact.hits]
    if impact.more_decisions:
        more = f"... {format_count(impact.more_decisions, 'more decision')}"
        decisions.append(f"{more}: gitmem log {clean_line(impact.target)}")
    title = "the decision" if impact.kind == "decision" else "its decisions"
    parts = [
        (title if impact.kind in ("decision", "file") else "decisions that speak of it", decisions),
        ("replaced", [_row(hit, look) for hit in impact.supersedes]),
        ("replaced by", [_row(hit, look) for hit in impact.superseded_by]),
        ("governs", [clean_line(path) for path in impact.files]),
        ("commits", [short(oid) for oid in impact.commits]),
        (
            "points at it",
            [
                f"{_row(one.hit, look)}  [{one.link}{_on(one.on, impact)}]"
                for one in impact.dependents
            ],
        ),
        (
            "changes together with it",
            [
                f"{clean_line(one.path)}  {one.commits} of {format_count(one.of, 'commit')}"
                for one in impact.together
            ],
        ),
        (
            "peers that speak of it",
            [
                f"[{clean_line(one.project)}] {format_count(one.total, 'decision')}"
                for one in impact.peers
            ],
        ),
    ]
    kind = "folder" if impact.kind == "file" and name.endswith("/") else impact.kind
    lines = [f"{name} ({kind})"]
    for heading, rows in parts:
        if rows:
            lines += ["", f"  {heading}", *(f"    {row}" for row in rows)]
    if len(lines) == 1:
        lines.append("  Nothing is known to rest on it.")
    return "\n".join(lines)


def _row(hit: Hit, look: Look) -> str:
    state = "" if hit.state == "current" else f" ({hit.state})"
    return f"{short(hit.id or hit.commit)}  {clean_line(hit.summary)}{state}{_age(hit, look)}"


def _age(hit: Hit, look: Look) -> str:
    return f", {age(hit.at, look)}" if hit.at else ""


def _on(record_id: str, impact: Impact) -> str:
    return "" if record_id == impact.target else f" to {short(record_id)}"
