"""The tools that tell of change: changelog and impact."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gitmem.core.changelog_entries import Changelog, Entry
from gitmem.core.sealing import Item, seal
from gitmem.core.timestamps import format_at
from gitmem.mcp.opening import Ground
from gitmem.mcp.reading import Cursor, Limit
from gitmem.mcp.sealed import NOTHING, answer, next_cursor, parse_cursor, warn
from gitmem.mcp.values import Answer, Named
from gitmem.services.changelog import ChangelogRequest, build_changelog
from gitmem.services.impact import Impact, find_impact


class Reporting:
    """The tools; one method each. Their docstrings are what the model reads."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def changelog(
        self,
        range: Annotated[
            str,
            Field(
                max_length=1000,
                description="A range of commits such as v1.0..HEAD; empty: since the last tag.",
            ),
        ] = "",
        limit: Limit = 10,
        cursor: Cursor = None,
    ) -> Answer:
        """What a range of commits changed, and why: decisions first, then commit messages that
        give a reason. How much of the range is explained is said at the end."""
        start = parse_cursor(cursor)
        with self._ground.open() as opened:
            workspace, settings = opened.workspace, opened.settings
            request = ChangelogRequest(
                words=tuple(range.split()),
                ignored_paths=settings.changelog_ignored_paths,
                ignored_types=settings.changelog_ignored_types,
            )
            found = build_changelog(workspace, request)
            changelog = found.changelog
            page = changelog.entries[start : start + limit]
            left = len(changelog.entries) - start - len(page)
            text = seal(
                [_item(entry) for entry in page],
                asked_at=format_at(workspace.clock.now_ms()),
                subject=f"changes in {changelog.range}",
                left_out=left,
            )
            return Answer(
                text=f"{text or NOTHING}\n{_coverage(changelog)}",
                items=[_name(entry) for entry in page],
                cursor=next_cursor(start, len(page), has_more=left > 0),
                warnings=warn(found.notices),
            )

    def impact(
        self,
        target: Annotated[
            str,
            Field(min_length=1, max_length=4096, description="FILE, or a decision's id."),
        ],
    ) -> Answer:
        """What depends on a file or decision: the decisions that govern it, what builds on
        them, and which files change together with it."""
        with self._ground.open() as opened:
            workspace = opened.workspace
            found = find_impact(workspace, target)
            hits = [*found.hits, *found.superseded_by, *(one.hit for one in found.dependents)]
            return answer(
                list({hit.id or hit.commit: hit for hit in hits}.values()),
                more=_list_together(found),
                subject=f"what depends on {target}",
                now_ms=workspace.clock.now_ms(),
                notices=found.notices,
            )


def _list_together(found: Impact) -> list[Item]:
    rows = [f"{one.path}: in {one.commits} of {one.of} commits" for one in found.together]
    return (
        [Item(kind="files", title="change together with it", body="\n".join(rows))] if rows else []
    )


def _item(entry: Entry) -> Item:
    rejected = [f"rejected: {one.option} ({one.reason})" for one in entry.rejected]
    return Item(
        title=entry.summary,
        body="\n".join([entry.why or "", *rejected]).strip(),
        kind=entry.type,
        id=(entry.id or entry.commit or "")[:12],
        standing=f"{entry.state}, matched by {entry.matched}",
        author=entry.author,
        at=entry.at,
        paths=entry.paths,
    )


def _name(entry: Entry) -> Named:
    return Named(
        id=entry.id or entry.commit or "",
        kind="decision" if entry.id else "commit",
        state=entry.state,
    )


def _coverage(changelog: Changelog) -> str:
    one = changelog.coverage
    return (
        f"files {one.files}: {one.decided} with a decision, {one.message_only} with a message "
        f"that says why, {one.unexplained} with neither"
    )
