"""The report on a pull request as Markdown: what weakens the memory first, bounded in size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from gitmem.core.changelog_entries import Coverage, Entry
from gitmem.core.markdown import code_span, escape_markdown
from gitmem.core.pr_report import Conflict, Contradicted, PrReport, Weakened, WeakenedHow
from gitmem.core.wording import format_count

SHORT = 7
MAX_ROWS = 50
MAX_NAME_CHARS = 80
MAX_SUMMARY_CHARS = 300
MAX_WORDS_CHARS = 600
MAX_REASON_LINES = 6
MAX_REJECTED = 5
MAX_RIVALS = 10
MAX_PATH_CHARS = 200
_Item = TypeVar("_Item")
_HOW: dict[WeakenedHow, str] = {
    "identity": "The memory's identity changes, so that its records would be nobody's",
    "redacted": "redacts",
    "removed": "removes",
    "retracted": "retracts",
    "edited": "replaces",
    "superseded": "supersedes",
}


def format_report(report: PrReport, *, limit_chars: int) -> str:
    """At most so many characters: sections give up rows, the last section first, and say how
    many are left out."""
    sections = [
        _rows("What weakens the memory", report.weakened, _weakened),
        _rows("Conflicts once this is merged", report.conflicts, _conflict),
        _rows(
            "Decisions on these files that this neither supersedes nor mentions",
            report.contradicted,
            _contradicted,
        ),
        _rows("What is added", report.added, _added),
    ]
    rows = [MAX_ROWS] * len(sections)
    while True:
        parts = [
            "### Project memory",
            _summary(report),
            *(_section(*section, most) for section, most in zip(sections, rows, strict=True)),
            _coverage(report.coverage),
        ]
        text = "\n\n".join(part for part in parts if part) + "\n"
        giving = [number for number, most in enumerate(rows) if most]
        if len(text) <= limit_chars or not giving:
            return text[:limit_chars]
        rows[giving[-1]] //= 2


def _rows(
    title: str, items: Sequence[_Item], show: Callable[[_Item], str]
) -> tuple[str, list[str], int]:
    """A section's title, the rows that can be shown of it, and how many there are."""
    return title, [show(one) for one in items[:MAX_ROWS]], len(items)


def _section(title: str, rows: Sequence[str], total: int, most: int) -> str:
    if not total:
        return ""
    shown = list(rows[:most])
    if total > len(shown):
        more = f"and {total - len(shown):,} more" if shown else f"{total:,} that do not fit here"
        shown.append(f"- … {more}")
    return "\n".join([f"#### {title}", "", *shown])


def _summary(report: PrReport) -> str:
    said = [f"{format_count(report.records_added, 'record')} added"]
    weakened = sum(one.how != "identity" for one in report.weakened)
    if weakened:
        said.append(f"**{format_count(weakened, 'record')} weakened**")
    if report.conflicts:
        said.append(f"**{format_count(len(report.conflicts), 'conflict')}**")
    if report.contradicted:
        said.append(f"{format_count(len(report.contradicted), 'decision')} passed over")
    first = "This begins the project's memory. " if report.is_first else ""
    return f"{first}{', '.join(said)}."


def _weakened(one: Weakened) -> str:
    if one.how == "identity":
        return f"- ⚠️ **{_HOW[one.how]}**: {_words(one.summary)}"
    whose = f" by {_name(one.author)}" if one.author else ""
    others = " (somebody else's)" if one.is_others else ""
    who = _name(one.by_author) if one.by_author else "A commit"
    head = f"- **{who} {_HOW[one.how]}** {_id(one.id)} “{_summary_of(one.summary)}”{whose}{others}"
    if one.instead:
        head += f"\n  in its place, {_id(one.by)}: {_summary_of(one.instead)}"
    elif one.reason:
        head += f"\n  {_words(one.reason)}"
    elif one.how == "removed":
        head += f"\n  its file is taken away or written over in {_id(one.by)}"
    elif one.how in ("redacted", "retracted"):
        head += "\n  no reason is given"
    return head


def _conflict(one: Conflict) -> str:
    pairs = list(zip(one.ids, one.summaries, strict=True))
    rows = [
        f"  - {_id(record_id)} {_summary_of(summary)}" for record_id, summary in pairs[:MAX_RIVALS]
    ]
    if len(pairs) > MAX_RIVALS:
        rows.append(f"  - … and {len(pairs) - MAX_RIVALS:,} more")
    current = "both" if len(pairs) == 2 else f"all {len(pairs):,}"
    return "\n".join([f"- {current} current, about {_paths(one.paths)}:", *rows])


def _contradicted(one: Contradicted) -> str:
    whose = f" ({_name(one.author)})" if one.author else ""
    return f"- {_id(one.id)} {_summary_of(one.summary)}{whose}, about {_paths(one.paths)}"


def _added(entry: Entry) -> str:
    lines = [f"- {_id(entry.id or '')} **{_summary_of(entry.summary)}** ({_name(entry.type)})"]
    why = [line for line in (entry.why or "")[: 4 * MAX_WORDS_CHARS].split("\n") if line.strip()]
    lines += [f"  {_words(line)}" for line in why[:MAX_REASON_LINES]]
    if len(why) > MAX_REASON_LINES:
        lines.append("  …")
    for option in entry.rejected[:MAX_REJECTED]:
        reason = f" ({_summary_of(option.reason)})" if option.reason else ""
        lines.append(f"  rejected: {_summary_of(option.option)}{reason}")
    if len(entry.rejected) > MAX_REJECTED:
        lines.append(f"  rejected: … and {len(entry.rejected) - MAX_REJECTED:,} more")
    return "\n".join(lines)


def _coverage(coverage: Coverage) -> str:
    if not coverage.files:
        return ""
    return (
        f"Of {format_count(coverage.files, 'file')} changed: {coverage.decided:,} with a decision, "
        f"{coverage.message_only:,} with a commit message that says why, "
        f"{coverage.unexplained:,} with neither."
    )


def percent_explained(coverage: Coverage) -> int:
    """Of the files changed, how many percent have a decision or a reason; 100 of none."""
    if not coverage.files:
        return 100
    return 100 * (coverage.decided + coverage.message_only) // coverage.files


def _paths(paths: Sequence[str]) -> str:
    shown = ", ".join(code_span(_cut(path, MAX_PATH_CHARS)) for path in paths[:3]) or "no file"
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _name(text: str) -> str:
    return escape_markdown(_cut(text, MAX_NAME_CHARS))


def _summary_of(text: str) -> str:
    return escape_markdown(_cut(text, MAX_SUMMARY_CHARS))


def _words(text: str) -> str:
    return escape_markdown(_cut(text, MAX_WORDS_CHARS))


def _cut(text: str, most_chars: int) -> str:
    return text if len(text) <= most_chars else text[:most_chars] + "…"


def _id(oid: str) -> str:
    return code_span(oid[:SHORT]) if oid else ""
