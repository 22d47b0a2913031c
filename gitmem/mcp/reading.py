"""The tools that ask the memory: recall, why, show, search, status."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gitmem.core.sealing import Item, seal, seal_line
from gitmem.core.timestamps import format_at
from gitmem.mcp.opening import Ground
from gitmem.mcp.sealed import answer, next_cursor, parse_cursor, warn
from gitmem.mcp.values import Answer, State
from gitmem.services.browse import show
from gitmem.services.injection import ID_DIGITS
from gitmem.services.recall import RecallOptions, recall
from gitmem.services.search import search
from gitmem.services.status import get_status
from gitmem.services.why import explain

MAX_EXCERPTS = 20
MAX_TOKENS = 2200
MAX_WORDS_CHARS = 20_000

Limit = Annotated[int, Field(ge=1, le=MAX_EXCERPTS, description="At most so many at once.")]
Cursor = Annotated[
    str | None, Field(max_length=20, description="From the last answer, for what follows it.")
]
Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS_CHARS)]


class Reading:
    """The tools; one method each. Their docstrings are what the model reads."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def recall(self, question: Words, limit: Limit = 5, cursor: Cursor = None) -> Answer:
        """What this project's memory says to a question or task, in plain words: decisions and
        their reasons, commit messages that give one, notes. Ask before changing something whose
        reasons you do not know."""
        start = parse_cursor(cursor)
        with self._ground.open() as opened:
            workspace = opened.workspace
            options = RecallOptions(
                limit=start + limit + 1,
                max_tokens=MAX_TOKENS * (start + limit + 1) // limit,
                half_life_days=opened.settings.recall.half_life_days,
            )
            found = recall(workspace, question, options)
            page = found.excerpts[start : start + limit]
            return answer(
                [one.hit for one in page],
                texts=[one.text.removeprefix(one.hit.summary).lstrip("\n") for one in page],
                subject="a question",
                now_ms=workspace.clock.now_ms(),
                cursor=next_cursor(
                    start, len(page), has_more=len(found.excerpts) > start + len(page)
                ),
                notices=found.notices,
            )

    def why(
        self,
        target: Annotated[
            str,
            Field(
                min_length=1,
                max_length=4096,
                description="FILE, FILE:LINE, a folder, a commit, or a record's id.",
            ),
        ],
        limit: Limit = 5,
        cursor: Cursor = None,
    ) -> Answer:
        """Why a file, line, folder or commit is as it is: what was decided, what was rejected,
        and which commits give a reason. Decisions come first."""
        start = parse_cursor(cursor)
        with self._ground.open() as opened:
            workspace = opened.workspace
            found = explain(workspace, target, limit=start + limit)
            decisions = [hit for hit in found.hits if hit.kind != "commit"]
            commits = [hit for hit in found.hits if hit.kind == "commit"]
            page = [*decisions[start:], *commits[start:]]
            more = bool(found.more_decisions) or (
                found.more_commits > 0 and len(commits) == start + limit
            )
            return answer(
                page,
                subject=f"why {target}",
                now_ms=workspace.clock.now_ms(),
                cursor=next_cursor(start, limit, has_more=more and bool(page)),
                notices=found.notices,
            )

    def show(
        self,
        id: Annotated[
            str,
            Field(
                min_length=4,
                max_length=64,
                description="A record's or commit's id; its beginning will do.",
            ),
        ],
    ) -> Answer:
        """One record or commit, whole."""
        with self._ground.open() as opened:
            hit, notices = show(opened.workspace, id)
            now_ms = opened.workspace.clock.now_ms()
            return answer([hit], subject="one record", now_ms=now_ms, notices=notices)

    def search(
        self,
        words: Words,
        scope: Annotated[
            Literal["all", "articles", "decisions", "notes"], Field(description="Where to look.")
        ] = "all",
        limit: Limit = 10,
        cursor: Cursor = None,
    ) -> Answer:
        """Find decisions, commits and notes that say these words or mean them; what was
        withdrawn too, labelled."""
        start = parse_cursor(cursor)
        with self._ground.open() as opened:
            workspace = opened.workspace
            found = search(workspace, words, limit=start + limit + 1, scope=scope)
            page = found.excerpts[start : start + limit]
            return answer(
                [one.hit for one in page],
                texts=[one.text.removeprefix(one.hit.summary).lstrip("\n") for one in page],
                subject="a search",
                now_ms=workspace.clock.now_ms(),
                cursor=next_cursor(
                    start, len(page), has_more=len(found.excerpts) > start + len(page)
                ),
                notices=found.notices,
            )

    def status(self) -> State:
        """What the memory holds, what is pending, and what has not been shared."""
        with self._ground.open() as opened:
            workspace = opened.workspace
            found = get_status(workspace, opened.project.name if opened.project else "")
            rows = [
                Item(title=row.summary, id=row.id[:ID_DIGITS], standing="in no commit yet")
                for row in found.pending_records
            ]
            return State(
                records=found.records,
                pending=found.pending,
                unpushed=found.unpushed,
                private=found.private,
                quarantined=found.quarantined,
                branch=seal_line(found.branch) if found.branch else None,
                detached=found.detached,
                text=seal(
                    rows,
                    asked_at=format_at(workspace.clock.now_ms()),
                    subject="what is pending",
                    left_out=max(0, found.pending - len(rows)),
                ),
                warnings=warn(found.notices),
            )
