"""Hits as text for people."""

from __future__ import annotations

import textwrap

import msgspec

from gitmem.cli.terminal import clean, clean_line, style, two_columns
from gitmem.core.reasons import find_reason
from gitmem.core.timestamps import format_age, parse_at
from gitmem.core.wording import format_count
from gitmem.services.hits import Hit

SHORT = 7
MAX_WHY_LINES = 12
MAX_REASON_LINES = 2
MAX_CUT_CHARS = 10_000
"""Of a text of which only the beginning is shown no more is looked at: it may be megabytes."""
_AGE = 15
_BELOW = " " * (4 + SHORT + 2)


class Look(msgspec.Struct, frozen=True):
    """How to print: columns, colours, the present for ages, and where one stands."""

    width: int
    colour: bool
    now_ms: int
    is_terminal: bool = False
    branch: str | None = None
    is_detached: bool = False


def short(oid: str | None) -> str:
    return (oid or "")[:SHORT]


def age(at: str, look: Look) -> str:
    try:
        return format_age(parse_at(at), look.now_ms)
    except ValueError:
        return at


def render_decision(hit: Hit, look: Look, *, full: bool = False, scope: str = "file") -> list[str]:
    """A decision: one line if something took its place, else with its reasons. `scope` names
    what was asked about."""
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
    lines.append("    " + style(_footer(hit, look, scope), "dim", on=look.colour))
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
    if limit is not None:
        text = text[:MAX_CUT_CHARS]
    for paragraph in clean(text).split("\n"):
        lines += textwrap.wrap(paragraph, look.width - 4) or [""]
    if limit is not None and len(lines) > limit:
        lines = [*lines[:limit], "..."]
    return [f"    {line}".rstrip() for line in lines]


def _footer(hit: Hit, look: Look, scope: str) -> str:
    parts = [clean_line(hit.actor.name) if hit.actor else "unknown", age(hit.at, look)]
    is_only_for = hit.where != "here" or hit.uncommitted
    if hit.commit:
        parts.append(f"{'for' if is_only_for else 'in'} {short(hit.commit)}")
    if hit.where == "pending" and hit.project == ".":
        parts.append("pending" if look.is_detached else "pending (not in a commit yet)")
    elif hit.where == "private":
        parts.append("private to this clone")
    elif hit.uncommitted:
        parts.append("in .gitmem/, not committed yet")
    if hit.where == "elsewhere":
        parts.append(_elsewhere(hit, look))
    if hit.unreviewed:
        parts.append("unreviewed")
    if hit.via:
        parts.append(f"recorded for {clean_line(hit.via)}")
    if hit.mention:
        parts.append(f"about {clean_line(hit.mention)}")
    footer = ", ".join(parts)
    if hit.commits_since is not None:
        count = format_count(hit.commits_since, "commit") if hit.commits_since else "no commits"
        footer += f"; {count} to this {scope} since"
    return footer


def _elsewhere(hit: Hit, look: Look) -> str:
    """Where a decision comes from that no commit here holds."""
    if hit.branch is None or hit.project != ".":
        return "not merged there" if hit.project != "." else "not merged"
    if hit.branch == look.branch:
        return "from another clone, not in a commit here yet"
    return f"from branch {clean_line(hit.branch)}, not merged"


def render_commit(hit: Hit, look: Look) -> str:
    """A commit in one line; on a terminal that is too narrow for it, in several."""
    via = f"  (as {clean_line(hit.via)})" if hit.via else ""
    oid = style(short(hit.commit), "yellow", on=look.colour)
    text = clean_line(hit.summary) + via
    if look.is_terminal:
        indent = len(_BELOW) + _AGE
        text = f"\n{' ' * indent}".join(textwrap.wrap(text, max(20, look.width - indent)))
    return f"    {oid}  {age(hit.at, look):<{_AGE}}{text}"


def render_reason(hit: Hit, look: Look) -> list[str]:
    """The beginning of the reason that a commit's message gives below its subject."""
    reason = find_reason(hit.why or "")
    width = look.width - len(_BELOW)
    lines = textwrap.wrap(clean_line(reason[:MAX_CUT_CHARS]), width)
    if len(lines) > MAX_REASON_LINES:
        last = lines[MAX_REASON_LINES - 1]
        last = last if len(last) + 4 <= width else last.rpartition(" ")[0]
        lines = [*lines[: MAX_REASON_LINES - 1], f"{last} ..."]
    return [_BELOW + style(line, "dim", on=look.colour) for line in lines]


def render_stated(hit: Hit) -> list[str]:
    """What the trailers of a commit say beyond its line; nothing where they state nothing."""
    if hit.kind != "commit" or hit.type is None:
        return []
    lines = [f"{_BELOW}{clean_line(line)}" for line in (hit.why or "").split("\n") if line]
    for one in hit.rejected:
        reason = f" ({clean_line(one.reason)})" if one.reason else ""
        lines.append(f"{_BELOW}rejected: {clean_line(one.option)}{reason}")
    return lines[:MAX_WHY_LINES]
