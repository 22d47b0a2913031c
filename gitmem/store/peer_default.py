"""What a peer's writers say of its default branch, where that branch itself is not fetched.

Each writer's ref carries the branch's folder as it last saw it, and of which commit. Which of two
commits is the later one cannot be told without the code; but a writer's own chain of commits tells
what it saw before: whoever still says that is behind.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.ports.repository import ObjectReader

MAX_PAST = 100
"""So far a writer's chain is looked back upon."""
MAX_LOOKS = 5_000
"""So many of all their commits are looked at."""


def list_default_trees(objects: ObjectReader, tips: Iterable[str]) -> list[str]:
    """The records trees of the default branch that writers at these commits stand by, sorted:
    those that another one moved on from are left out. Where two each moved on from what the
    other says, and where no chain tells, all of them count."""
    trees: dict[str, str] = {}
    seen_at: dict[str, str] = {}
    for tip in sorted(set(tips)):
        tree = objects.find_oid(f"{tip}:default/records")
        if tree is not None:
            trees[tip] = tree
            seen_at[tip] = objects.find_oid(f"{tip}:default/commit") or ""
    if len(set(seen_at.values())) < 2:
        return sorted(set(trees.values()))
    past: dict[str, set[str]] = {}
    left = MAX_LOOKS
    for tip, at in seen_at.items():
        found, looked = _list_past(objects, tip, min(left, MAX_PAST))
        past.setdefault(at, set()).update(found - {at})
        left -= looked
    behind = {
        older
        for newer, before in past.items()
        for older in before
        if newer and newer not in past.get(older, ())
    }
    return sorted({tree for tip, tree in trees.items() if seen_at[tip] not in behind})


def _list_past(objects: ObjectReader, tip: str, most: int) -> tuple[set[str], int]:
    """What a writer said before of the default branch's commit, and how many of its commits
    were looked at."""
    found: set[str] = set()
    commit: str | None = tip
    for looked in range(most):
        commit = objects.find_commit(f"{commit}~1")
        if commit is None:
            return found, looked
        said = objects.find_oid(f"{commit}:default/commit")
        if said is not None:
            found.add(said)
    return found, most
