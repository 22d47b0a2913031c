"""Nearly the same: what a fresh decision repeats of those on its files, from their words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitmem.core.paths import fold_path
from gitmem.core.records import Decision, Line, Record
from gitmem.services.hits import Hit, find_hits
from gitmem.services.workspace import Notice, Workspace

MOST_PATHS = 8
MOST_DECISIONS = 64
"""Of each file so many of the newest decisions are compared with."""
ALIKE = 0.75
"""The Dice coefficient of two summaries' runs of three characters from which on they say nearly
the same: a few words changed, added or left out. Runs of characters need no dictionary and no
spaces, so this holds for every language."""
_FILLER_TEXT = (
    "a an and are as at be by for from has have in is it its now of on our so that the their"
    " them this to was we will with"
)
_FILLERS = frozenset(_FILLER_TEXT.split())
_TURNING = frozenset(["cannot", "don", "never", "no", "none", "not", "only", "t", "without"])
"""Words that turn the sense around, as numbers do: decisions that differ in them differ."""
_RUN = 3


def find_alike(workspace: Workspace, line: Line) -> tuple[Notice, ...]:
    """Notices that name a decision on the same files which says nearly the same: one that
    stands, and one that was replaced or withdrawn. What the new one replaces is not meant, and
    who names that knows what came before. Any trouble is none: the decision is kept already."""
    try:
        return _find(workspace, line.record)
    except Exception:  # a hint must not make a failure of what has succeeded
        return ()


def _find(workspace: Workspace, record: Record) -> tuple[Notice, ...]:
    if not isinstance(record, Decision):
        return ()
    ids = set(_iter_ids(workspace, record)) - {record.id, *record.supersedes}
    asked = _Words(record.summary)
    alike: dict[str, float] = {}
    for held in workspace.records.get_held(ids, workspace.place.worktree):
        if isinstance(held.record, Decision) and held.record.key != record.key:
            share = asked.compare(_Words(held.record.summary))
            if share >= ALIKE:
                alike[held.record.id] = share
    hits = sorted(
        find_hits(workspace, alike), key=lambda hit: (-alike[hit.id or ""], -hit.seq, hit.id)
    )
    found = [_find_standing(hits), None if record.supersedes else _find_left(hits)]
    return tuple(notice for notice in found if notice)


def _iter_ids(workspace: Workspace, record: Decision) -> Iterator[str]:
    for ref in record.paths[:MOST_PATHS]:
        ids, _ = workspace.records.list_by_paths([fold_path(ref.path)], limit=MOST_DECISIONS)
        yield from ids


def _find_standing(hits: Sequence[Hit]) -> Notice | None:
    for hit in hits:
        if hit.state in ("current", "conflict"):
            name = (hit.id or "")[:7]
            return Notice(
                "nearly-the-same",
                f"{name} says nearly the same: {hit.summary}"
                f" (to put this in its place: gitmem capture --amend --supersedes {name})",
            )
    return None


def _find_left(hits: Sequence[Hit]) -> Notice | None:
    for hit in hits:
        if hit.state == "superseded":
            newer = ", ".join(one[:7] for one in hit.superseded_by)
            return Notice(
                "repeats-superseded",
                f"this repeats {(hit.id or '')[:7]}, in whose place {newer} was put",
            )
        if hit.state == "retracted":
            return Notice(
                "repeats-retracted",
                f"this repeats {(hit.id or '')[:7]}, which was {hit.reason or 'retracted'}",
            )
    return None


class _Words:
    """A summary as it is compared: without case, punctuation and fillers."""

    def __init__(self, summary: str) -> None:
        words = re.findall(r"\w+", summary.casefold())
        self._telling = {one for one in words if one in _TURNING or any(map(str.isdigit, one))}
        text = " ".join(word for word in words if word not in _FILLERS)
        self._runs = {text[at : at + _RUN] for at in range(max(1, len(text) - _RUN + 1))}

    def compare(self, other: _Words) -> float:
        """From 0 to 1, which is the same words."""
        if self._telling != other._telling:
            return 0.0
        return 2 * len(self._runs & other._runs) / (len(self._runs) + len(other._runs))
