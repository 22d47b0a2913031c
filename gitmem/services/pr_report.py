"""`pr-report`: what a pull request does to the memory, from its two ends, as data only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

import msgspec

from gitmem.core.changelog_entries import Changelog
from gitmem.core.paths import fold_path
from gitmem.core.pr_report import Conflict, Contradicted, PrReport
from gitmem.core.records import Decision
from gitmem.services.catch_up import catch_up
from gitmem.services.changelog import UNREAD, ChangelogRequest, explain_range
from gitmem.services.hits import Hit, find_hits, iter_hits
from gitmem.services.pr_weakened import (
    list_added,
    list_targets,
    list_weakened,
    names_another_project,
    takes_identity_away,
)
from gitmem.services.ranges import Contents, read_range
from gitmem.services.release_range import find_release
from gitmem.services.revision_view import list_ids_at, view_at
from gitmem.services.workspace import Notice, Workspace

MAX_PATHS = 20_000
MAX_DECISIONS = 100_000
PATHS_PASSED = "{} files changed; whether decisions are passed over was asked for the first {}"
_PATHS_AT_ONCE = 100
_MENTION = re.compile(r"(?<![0-9a-f])[0-9a-f]{7,64}(?![0-9a-f])")


class PrRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`base` and `head` are revisions; `text` is what the request itself says. What is ignored
    comes from the base, for the head must not decide how it is looked at."""

    base: str
    head: str
    text: str = ""
    ignored_paths: tuple[str, ...] = ()
    ignored_types: tuple[str, ...] = ()


class PrAnswer(msgspec.Struct, frozen=True):
    report: PrReport
    notices: tuple[Notice, ...] = ()


def build_report(workspace: Workspace, request: PrRequest) -> PrAnswer:
    """The report on a pull request. Raises what `find_release` and `read_range` raise: a
    history that is cut off is an error and never an empty report."""
    catch_up(workspace, with_history=False)
    words = (f"{request.base}..{request.head}",)
    release = find_release(workspace, words, tag=None, is_unreleased=False)
    base = _commit(workspace, request.base)
    head = _commit(workspace, request.head)
    contents = read_range(workspace, release.range)
    wanted = ChangelogRequest(
        words=words, ignored_paths=request.ignored_paths, ignored_types=request.ignored_types
    )
    changelog = explain_range(workspace, contents, release, wanted)
    report = PrReport(base=base, head=head, coverage=changelog.coverage)
    notices: tuple[Notice, ...] = ()
    if contents.unread:
        notices = (Notice("records-unread", UNREAD.format(contents.unread)),)
    if workspace.memory is None:
        return PrAnswer(report, notices)
    foreign = names_another_project(workspace, base, head)
    if foreign is not None:
        return PrAnswer(msgspec.structs.replace(report, weakened=(foreign,)), notices)
    reading = _Reading(workspace, base, head, contents, request.text)
    report = reading.fill(report, changelog)
    if len(reading.touched) > MAX_PATHS:
        text = PATHS_PASSED.format(len(reading.touched), MAX_PATHS)
        notices = (*notices, Notice("paths-passed", text))
    return PrAnswer(report, notices)


def _commit(workspace: Workspace, revision: str) -> str:
    """`find_release` has looked at it already."""
    return workspace.sources.objects.find_commit(revision) or revision


class _Reading:
    """One pull request, between the view of its base and that of the merge."""

    def __init__(
        self, workspace: Workspace, base: str, head: str, contents: Contents, text: str
    ) -> None:
        self._workspace = workspace
        self._base = base
        self._head = head
        self._contents = contents
        self._added = list_added(contents)
        self._text = text

    def fill(self, report: PrReport, changelog: Changelog) -> PrReport:
        with view_at(self._workspace, self._base) as at_base:
            is_first = not list_ids_at(at_base)
            weakened = list_weakened(at_base, self._contents)
            lost = takes_identity_away(self._workspace, self._contents, self._head)
            contradicted = self._list_contradicted(at_base)
        with view_at(self._workspace, self._base, self._head) as merged:
            conflicts = self._list_conflicts(merged)
        decided = {record.id for record in self._added if isinstance(record, Decision)}
        return msgspec.structs.replace(
            report,
            records_added=len(self._added),
            weakened=(lost, *weakened) if lost else weakened,
            conflicts=conflicts,
            contradicted=contradicted,
            added=tuple(entry for entry in changelog.entries if entry.id in decided),
            is_first=is_first and bool(self._added),
        )

    def _list_conflicts(self, merged: Workspace) -> tuple[Conflict, ...]:
        ids = [record.id for record in self._added if isinstance(record, Decision)]
        groups: dict[tuple[str, ...], Conflict] = {}
        for hit in iter_hits(merged, ids):
            if hit.state != "conflict" or hit.id is None:
                continue
            rivals = find_hits(merged, (hit.id, *hit.conflicts_with))
            rivals.sort(key=lambda one: (one.seq, one.id or ""))
            group = tuple(one.id for one in rivals if one.id)
            groups.setdefault(
                group,
                Conflict(
                    ids=group,
                    summaries=tuple(one.summary for one in rivals),
                    paths=tuple(sorted({ref.path for one in rivals for ref in one.paths})),
                ),
            )
        return tuple(groups[group] for group in sorted(groups))

    def _list_contradicted(self, at_base: Workspace) -> tuple[Contradicted, ...]:
        touched = self.touched
        paths = sorted(touched)[:MAX_PATHS]
        about: dict[str, None] = {}
        for start in range(0, len(paths), _PATHS_AT_ONCE):
            some = paths[start : start + _PATHS_AT_ONCE]
            about |= dict.fromkeys(at_base.records.list_by_paths(some, limit=MAX_DECISIONS)[0])
        hits = iter_hits(at_base, self._leave_out_meant(about))
        found = [_contradicted(hit, touched) for hit in hits if _stands(hit)]
        return tuple(sorted(found, key=lambda one: (one.paths, one.id)))

    def _leave_out_meant(self, ids: Iterable[str]) -> list[str]:
        """Those that no record withdraws or replaces, and no text names."""
        answered = {target for record in self._added for target in list_targets(record)}
        named = self._list_mentions()
        lengths = sorted({len(name) for name in named})
        return [
            one
            for one in ids
            if one not in answered and not any(one[:length] in named for length in lengths)
        ]

    @cached_property
    def touched(self) -> dict[str, str]:
        """Folded path → path, of every file that the range changed, old names too."""
        return {
            fold_path(path): path
            for commit in self._contents.commits
            for touch in commit.touches
            for path in (touch.path, touch.old_path)
            if path
        }

    def _list_mentions(self) -> set[str]:
        """What looks like the beginning of an id, in the request, its messages and decisions."""
        texts = [self._text, *(commit.message for commit in self._contents.commits)]
        for record in self._added:
            if isinstance(record, Decision):
                texts += [record.summary, record.why or ""]
        return {name for text in texts for name in _MENTION.findall(text.lower())}


def _stands(hit: Hit) -> bool:
    return hit.kind == "decision" and hit.where == "here" and hit.state in ("current", "conflict")


def _contradicted(hit: Hit, touched: dict[str, str]) -> Contradicted:
    meant = [ref for ref in hit.paths if fold_path(ref.path) in touched]
    lines = [low for ref in meant[:1] for low, _ in ref.lines or ()]
    return Contradicted(
        id=hit.id or "",
        summary=hit.summary,
        author=hit.actor.name if hit.actor else "",
        paths=tuple(sorted(touched[fold_path(ref.path)] for ref in meant)),
        line=min(lines, default=1),
    )
