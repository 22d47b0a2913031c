"""The report on a pull request as Markdown: what weakens the memory first, bounded in size."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.core.changelog_entries import Coverage, Entry
from gitmem.core.markdown import code_span, escape_lines, escape_markdown
from gitmem.core.pr_report import Conflict, Contradicted, PrReport, Weakened, WeakenedHow
from gitmem.core.wording import format_count

SHORT = 7
MAX_ROWS = 50
MAX_WORDS_CHARS = 600
MAX_REASON_LINES = 6
_HOW: dict[WeakenedHow, str] = {
    "identity": "The memory's identity changes, so that every record would be another project's",
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
        ("What weakens the memory", [_weakened(one) for one in report.weakened]),
        ("Conflicts once this is merged", [_conflict(one) for one in report.conflicts]),
        (
            "Decisions on these files that this neither supersedes nor mentions",
            [_contradicted(one) for one in report.contradicted],
        ),
        ("What is added", [_added(entry) for entry in report.added]),
    ]
    rows = [MAX_ROWS] * len(sections)
    while True:
        parts = [
            "### Project memory",
            _summary(report),
            *(
                _section(title, items, most)
                for (title, items), most in zip(sections, rows, strict=True)
            ),
            _coverage(report.coverage),
        ]
        text = "\n\n".join(part for part in parts if part) + "\n"
        giving = [number for number, most in enumerate(rows) if most > 1]
        if len(text) <= limit_chars or not giving:
            return text[:limit_chars]
        rows[giving[-1]] //= 2


def _section(title: str, items: Sequence[str], most: int) -> str:
    if not items:
        return ""
    shown = list(items[:most])
    if len(items) > most:
        shown.append(f"- … and {len(items) - most:,} more")
    return "\n".join([f"#### {title}", "", *shown])


def _summary(report: PrReport) -> str:
    said = [f"{format_count(report.records_added, 'record')} added"]
    if report.weakened:
        said.append(f"**{format_count(len(report.weakened), 'record')} weakened**")
    if report.conflicts:
        said.append(f"**{format_count(len(report.conflicts), 'conflict')}**")
    if report.contradicted:
        said.append(f"{format_count(len(report.contradicted), 'decision')} passed over")
    first = "This begins the project's memory. " if report.is_first else ""
    return f"{first}{', '.join(said)}."


def _weakened(one: Weakened) -> str:
    if one.how == "identity":
        return f"- ⚠️ **{_HOW[one.how]}**: {_words(one.summary)}"
    whose = f" by {_words(one.author)}" if one.author else ""
    others = " (somebody else's)" if one.is_others and one.how != "removed" else ""
    who = _words(one.by_author) if one.by_author else "A commit"
    head = f"- **{who} {_HOW[one.how]}** {_id(one.id)} “{_words(one.summary)}”{whose}{others}"
    if one.instead:
        head += f"\n  in its place, {_id(one.by)}: {_words(one.instead)}"
    elif one.reason:
        head += f"\n  {_words(one.reason)}"
    elif one.how == "removed":
        head += f"\n  its file is taken away in {_id(one.by)}"
    elif one.how in ("redacted", "retracted"):
        head += "\n  no reason is given"
    return head


def _conflict(one: Conflict) -> str:
    rows = [
        f"  - {_id(record_id)} {_words(summary)}"
        for record_id, summary in zip(one.ids, one.summaries, strict=True)
    ]
    return "\n".join([f"- both current, about {_paths(one.paths)}:", *rows])


def _contradicted(one: Contradicted) -> str:
    whose = f" ({_words(one.author)})" if one.author else ""
    return f"- {_id(one.id)} {_words(one.summary)}{whose}, about {_paths(one.paths)}"


def _added(entry: Entry) -> str:
    lines = [f"- {_id(entry.id or '')} **{_words(entry.summary)}** ({_words(entry.type)})"]
    why = [line for line in escape_lines((entry.why or "")[: 4 * MAX_WORDS_CHARS]) if line]
    lines += [f"  {line[:MAX_WORDS_CHARS]}" for line in why[:MAX_REASON_LINES]]
    if len(why) > MAX_REASON_LINES:
        lines.append("  …")
    for option in entry.rejected:
        reason = f" ({_words(option.reason)})" if option.reason else ""
        lines.append(f"  rejected: {_words(option.option)}{reason}")
    return "\n".join(lines)


def _coverage(coverage: Coverage) -> str:
    if not coverage.files:
        return ""
    return (
        f"Of {format_count(coverage.files, 'file')} changed: {coverage.decided} with a decision, "
        f"{coverage.message_only} with a commit message that says why, "
        f"{coverage.unexplained} with neither."
    )


def percent_explained(coverage: Coverage) -> int:
    """Of the files changed, how many percent have a decision or a reason; 100 of none."""
    if not coverage.files:
        return 100
    return 100 * (coverage.decided + coverage.message_only) // coverage.files


def _paths(paths: Sequence[str]) -> str:
    shown = ", ".join(code_span(path) for path in paths[:3]) or "no file"
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _words(text: str) -> str:
    cut = text if len(text) <= MAX_WORDS_CHARS else text[:MAX_WORDS_CHARS] + "…"
    return escape_markdown(cut)


def _id(oid: str) -> str:
    return code_span(oid[:SHORT]) if oid else ""
