"""Changelogs as Markdown: Keep a Changelog, by type, and release notes of a git host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gitmem.core.changelog_entries import Cancelled, Changelog, Coverage, Entry, PeerEntry, Web
from gitmem.core.changelog_text import end_sentence, escape_words, format_words, split_request
from gitmem.core.commit_types import GROUPS
from gitmem.core.reasons import find_reason
from gitmem.core.unsafe_text import clean_line
from gitmem.core.web_links import link_commit, link_request
from gitmem.core.wording import format_count

SHORT = 7
MAX_SUMMARY_CHARS = 200
MAX_WHY_CHARS = 600
MAX_REJECTED = 5
MAX_COMMITS = 3
MAX_CANCELLED = 50
MAX_FROM_PEERS = 50
GITHUB_CHARS = 120_000
"""A release's body may have 125,000 characters."""

_STATES = {"superseded": "replaced since", "conflict": "in conflict with another"}
_TYPE_TITLES = {
    "security": "Security",
    "feature": "Features",
    "bugfix": "Fixes",
    "perf": "Performance",
    "decision": "Decisions",
    "removed": "Removals",
    "deprecated": "Deprecations",
    "revert": "Reverts",
    "refactor": "Refactoring",
    "docs": "Documentation",
    "test": "Tests",
    "chore": "Chores",
    "investigation": "Investigations",
    "note": "Notes",
    "change": "Other changes",
}


def format_keepachangelog(changelog: Changelog) -> str:
    """One version's section, by Keep a Changelog 1.1.0: `## [title] - date` and its groups."""
    title = escape_words(clean_line(changelog.title))
    link = f"({changelog.compare_url})" if changelog.compare_url else ""
    date = f" - {changelog.date}" if changelog.date else ""
    return _join([f"## [{title}]{link}{date}", *_groups(changelog, _by_group(changelog.entries))])


def format_by_type(changelog: Changelog) -> str:
    """Grouped by what decisions and commits call themselves."""
    title = escape_words(clean_line(changelog.title))
    date = f" ({changelog.date})" if changelog.date else ""
    return _join([f"## {title}{date}", *_groups(changelog, _by_type(changelog.entries))])


def format_github(changelog: Changelog) -> str:
    """The body of a release: no title of its own, bounded, with the comparison at its end."""
    entries = list(changelog.entries)
    end = f"**Full changelog**: {changelog.compare_url}" if changelog.compare_url else ""
    while True:
        left_out = len(changelog.entries) - len(entries)
        note = f"… and {left_out:,} more" if left_out else ""
        groups = _groups(changelog, _by_group(entries))
        text = _join(["## What changed", *groups, note, end])
        if len(text) <= GITHUB_CHARS or not entries:
            return text
        del entries[len(entries) // 2 :]


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _by_group(entries: Sequence[Entry]) -> list[tuple[str, list[Entry]]]:
    return _collect(entries, lambda entry: entry.group, GROUPS)


def _by_type(entries: Sequence[Entry]) -> list[tuple[str, list[Entry]]]:
    def title(entry: Entry) -> str:
        return _TYPE_TITLES.get(entry.type) or escape_words(clean_line(entry.type)).capitalize()

    return _collect(entries, title, tuple(_TYPE_TITLES.values()))


def _collect(
    entries: Sequence[Entry], name: Callable[[Entry], str], order: Sequence[str]
) -> list[tuple[str, list[Entry]]]:
    groups: dict[str, list[Entry]] = {known: [] for known in order}
    for entry in entries:
        if not entry.is_apart:
            groups.setdefault(name(entry), []).append(entry)
    apart = [entry for entry in entries if entry.is_apart]
    return [*groups.items(), ("Decided besides, about no file", apart)]


def _groups(changelog: Changelog, groups: Sequence[tuple[str, list[Entry]]]) -> list[str]:
    parts = []
    for title, entries in groups:
        if entries:
            parts += [f"### {title}", "\n".join(_entry(one, changelog.web) for one in entries)]
    if changelog.cancelled:
        rows = [_cancelled(one, changelog.web) for one in changelog.cancelled[:MAX_CANCELLED]]
        more = len(changelog.cancelled) - len(rows)
        rows += [f"- … and {more} more"] if more else []
        parts += ["### Done and taken back", "\n".join(rows)]
    if not parts:
        count = format_count(changelog.commits, "commit")
        parts.append(f"No reason is given in {count}." if changelog.commits else "Nothing yet.")
    return [*parts, *_from_peers(changelog), format_coverage(changelog.coverage)]


def _from_peers(changelog: Changelog) -> list[str]:
    """What other projects say, apart from the range's own entries."""
    if not changelog.peers:
        return []
    rows = [_peer_entry(one, changelog.web) for one in changelog.peers[:MAX_FROM_PEERS]]
    more = len(changelog.peers) - len(rows)
    rows += [f"- … and {more} more"] if more else []
    return ["### From other projects", "\n".join(rows)]


def _peer_entry(one: PeerEntry, web: Web | None) -> str:
    said = end_sentence(format_words(one.summary, most_chars=MAX_SUMMARY_CHARS))
    words = format_words(one.why or "", most_chars=MAX_WHY_CHARS)
    about = _commit(one.commit, web) if one.commit else format_words(one.path or "", most_chars=400)
    project = escape_words(clean_line(one.project))
    why = f" {end_sentence(words)}" if words else ""
    return f"- {project}: **{said}**{why}\n  (about {about}, decision `{one.id[:SHORT]}` there)"


def _entry(entry: Entry, web: Web | None) -> str:
    summary, request = split_request(entry.summary)
    said = format_words(summary, most_chars=MAX_SUMMARY_CHARS)
    breaking = "Breaking: " if entry.is_breaking else ""
    # Of a message the first paragraph that says something; of a decision all of its reason.
    why = find_reason(entry.why or "") if entry.matched == "message" else entry.why or ""
    words = format_words(why, most_chars=MAX_WHY_CHARS)
    if words.endswith(":"):
        # What it announces is a list or code, and is not shown.
        words = words.rstrip(":") + " …"
    lines = [f"- **{breaking}{end_sentence(said)}**" + (f" {end_sentence(words)}" if words else "")]
    if entry.rejected:
        options = [_rejected(one.option, one.reason) for one in entry.rejected[:MAX_REJECTED]]
        lines.append(f"  Rejected: {end_sentence('; '.join(options))}")
    marks = _marks(entry, request, web)
    lines.append(f"  ({', '.join(marks)})" if marks else "")
    return "\n".join(line for line in lines if line)


def _rejected(option: str, reason: str) -> str:
    said = format_words(option, most_chars=MAX_SUMMARY_CHARS)
    why = format_words(reason, most_chars=MAX_SUMMARY_CHARS)
    return f"{said} ({why})" if why else said


def _marks(entry: Entry, request: str | None, web: Web | None) -> list[str]:
    marks = []
    if request is not None:
        marks.append(f"[#{request}]({link_request(web, request)})" if web else f"#{request}")
    marks += [_commit(oid, web) for oid in entry.commits[:MAX_COMMITS]]
    if len(entry.commits) > MAX_COMMITS:
        marks.append(f"{len(entry.commits) - MAX_COMMITS} more commits")
    if entry.id is not None:
        marks.append(f"decision `{entry.id[:SHORT]}`")
    if entry.state in _STATES:
        marks.append(_STATES[entry.state])
    if entry.replaces:
        marks.append("replaces " + " and ".join(f"`{one[:SHORT]}`" for one in entry.replaces[:5]))
    return marks


def _commit(oid: str, web: Web | None) -> str:
    name = f"`{oid[:SHORT]}`"
    return f"[{name}]({link_commit(web, oid)})" if web else name


def _cancelled(one: Cancelled, web: Web | None) -> str:
    said = format_words(one.summary, most_chars=MAX_SUMMARY_CHARS)
    what = f"decision `{one.id[:SHORT]}`" if one.id else _commit(one.commit or "", web)
    reason = format_words(one.reason or "", most_chars=MAX_SUMMARY_CHARS)
    because = f": {reason}" if reason else ""
    return f"- {said} ({what}, taken back by `{one.by[:SHORT]}`{because})"


def format_coverage(coverage: Coverage) -> str:
    """How much of the range is explained, in two sentences; nothing where no file changed."""
    if not coverage.files and not coverage.ignored:
        return ""
    ignored = f", {coverage.ignored:,} that need none" if coverage.ignored else ""
    return (
        f"_{format_count(coverage.files, 'file')} changed: {coverage.decided:,} with a decision, "
        f"{coverage.message_only:,} with only a commit message that says why, "
        f"{coverage.unexplained:,} with neither{ignored}. Entries: "
        f"{coverage.by_containment:,} by containment, {coverage.by_path:,} by path, "
        f"{coverage.by_message:,} by message._"
    )
