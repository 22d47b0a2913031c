"""Hits as text for people."""

from __future__ import annotations

import textwrap

import msgspec

from gitmem.cli.terminal import clean, clean_line, style, two_columns
from gitmem.core.timestamps import format_age, parse_at
from gitmem.services.hits import Hit

SHORT = 7
MAX_WHY_LINES = 12


class Look(msgspec.Struct, frozen=True):
    """How to print: columns, colours, and the present for ages."""

    width: int
    colour: bool
    now_ms: int


def short(oid: str | None) -> str:
    return (oid or "")[:SHORT]


def age(at: str, look: Look) -> str:
    try:
        return format_age(parse_at(at), look.now_ms)
    except ValueError:
        return at


def render_decision(hit: Hit, look: Look, *, full: bool = False) -> list[str]:
    """A decision: one line if something took its place, else with its reasons."""
    is_live = hit.state in ("current", "conflict") and hit.where != "elsewhere"
    mark = "* " if is_live else "  "
    project = "" if hit.project == "." else f"[{clean_line(hit.project)}] "
    summary = project + clean_line(hit.summary)
    label = _label(hit)
    head = two_columns(mark + summary, label, look.width)
    if look.colour and is_live:
        head = head.replace(summary, style(summary, "bold", on=True), 1)
    lines = [head]
    if hit.state in ("superseded", "retracted", "redacted", "reverted") and not full:
        return lines
    lines += _body(hit, look, full=full)
    lines.append("    " + style(_footer(hit, look), "dim", on=look.colour))
    return lines


def _label(hit: Hit) -> str:
    if hit.state == "superseded":
        return f"superseded by {short(hit.superseded_by[0])}"
    if hit.state == "conflict":
        return f"{hit.type} {short(hit.id)}, in conflict with {short(hit.conflicts_with[0])}"
    if hit.state in ("retracted", "redacted"):
        return f"{clean_line(hit.reason or hit.state)}  {short(hit.id)}"
    if hit.state == "reverted":
        by = f" by {short(hit.reverted_by)}" if hit.reverted_by else ""
        return f"reverted{by}  {short(hit.id)}"
    return f"{clean_line(hit.type or hit.kind)} {short(hit.id)}"


def _body(hit: Hit, look: Look, *, full: bool) -> list[str]:
    lines: list[str] = []
    if hit.why:
        lines += _wrapped(hit.why, look, limit=None if full else MAX_WHY_LINES)
    for rejected in hit.rejected:
        reason = f" ({clean_line(rejected.reason)})" if rejected.reason else ""
        lines += _wrapped(f"rejected: {clean_line(rejected.option)}{reason}", look, limit=None)
    if hit.superseded_elsewhere:
        names = ", ".join(short(i) for i in hit.superseded_elsewhere)
        lines.append(f"    superseded elsewhere, not here: {names}")
    return lines


def _wrapped(text: str, look: Look, *, limit: int | None) -> list[str]:
    lines: list[str] = []
    for paragraph in clean(text).split("\n"):
        lines += textwrap.wrap(paragraph, look.width - 4) or [""]
    if limit is not None and len(lines) > limit:
        lines = [*lines[:limit], "..."]
    return [f"    {line}".rstrip() for line in lines]


def _footer(hit: Hit, look: Look) -> str:
    parts = [clean_line(hit.actor.name) if hit.actor else "unknown", age(hit.at, look)]
    if hit.commit:
        parts.append(f"in {short(hit.commit)}")
    elif hit.where == "pending":
        parts.append("pending (not in a commit yet)")
    elif hit.where == "private":
        parts.append("private to this clone")
    elif hit.uncommitted:
        parts.append("here, uncommitted")
    if hit.where == "elsewhere":
        branch = f"from branch {clean_line(hit.branch)}, " if hit.branch else ""
        parts.append(f"{branch}not merged")
    if hit.unreviewed:
        parts.append("unreviewed")
    if hit.via:
        parts.append(f"recorded for {clean_line(hit.via)}")
    footer = ", ".join(parts)
    if hit.commits_since is not None:
        plural = "commit" if hit.commits_since == 1 else "commits"
        footer += f"; {hit.commits_since} {plural} to this file since"
    return footer


def render_commit(hit: Hit, look: Look) -> str:
    """A commit in one line."""
    via = f"  (as {clean_line(hit.via)})" if hit.via else ""
    oid = style(short(hit.commit), "yellow", on=look.colour)
    return f"    {oid}  {age(hit.at, look):<13} {clean_line(hit.summary)}{via}"


def render_stated(hit: Hit) -> list[str]:
    """What the trailers of a commit say beyond its line; nothing where they state nothing."""
    if hit.kind != "commit" or hit.type is None:
        return []
    lines = [f"             {clean_line(line)}" for line in (hit.why or "").split("\n") if line]
    for one in hit.rejected:
        reason = f" ({clean_line(one.reason)})" if one.reason else ""
        lines.append(f"             rejected: {clean_line(one.option)}{reason}")
    return lines[:MAX_WHY_LINES]
