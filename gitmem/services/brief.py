"""What an agent is told when a session begins: what stands here, was done lately, is pending."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from gitmem.core.history import PathSpan
from gitmem.core.sealing import Item
from gitmem.services.hits import Hit, commit_hit, find_hits
from gitmem.services.injection import build_item, list_injectable
from gitmem.services.workspace import Workspace

MAX_DECISIONS = 8
MAX_PENDING = 4
MAX_COMMITS = 4
MAX_BODY_CHARS = 280
EXAMINED = 48
"""So many of the newest decisions are looked at for those that stand in this branch."""


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """The items in order, what they are about, and how many decisions there are besides."""

    items: tuple[Item, ...]
    subject: str
    more: int = 0


def build_brief(workspace: Workspace, name: str, peers: Collection[str] = ()) -> Brief:
    """The brief of this work tree's branch: what is pending, the newest decisions that stand
    in it, this branch's own first, and the newest commits that give a reason. The cache is in
    step when this is called; `name` is the project's."""
    ids, total = workspace.records.list_recent(limit=EXAMINED, kind="decision")
    hits = [hit for hit in list_injectable(find_hits(workspace, ids), peers) if _stands(hit)]
    pending = [hit for hit in hits if hit.where == "pending"][:MAX_PENDING]
    branch = workspace.place.branch
    rest = [hit for hit in hits if hit not in pending]
    rest.sort(key=lambda hit: hit.branch != branch)
    decisions = rest[:MAX_DECISIONS]
    commits = _list_commits(workspace, {hit.commit for hit in decisions})
    shown = [*pending, *decisions, *commits]
    where = f"branch {branch}" if branch else "a detached HEAD"
    return Brief(
        items=tuple(build_item(hit, body=_begin(hit.why)) for hit in shown),
        subject=f"{where} of {name}" if name else where,
        more=max(0, total - len(pending) - len(decisions)),
    )


def _stands(hit: Hit) -> bool:
    return hit.state in ("current", "conflict") and hit.where in ("here", "pending", "private")


def _list_commits(workspace: Workspace, told: Collection[str | None]) -> list[Hit]:
    """What history says of late, as far as its index goes; nothing is read for it."""
    found = workspace.commits.list_commits(
        [PathSpan("")],
        workspace.place.worktree,
        limit=MAX_COMMITS + len(told),
        with_reason=True,
    )
    return [commit_hit(one) for one in found if one.oid not in told][:MAX_COMMITS]


def _begin(why: str | None) -> str:
    """The beginning of a reason, in whole words."""
    text = (why or "").split("\n\n")[0]
    if len(text) <= MAX_BODY_CHARS:
        return text
    return text[:MAX_BODY_CHARS].rpartition(" ")[0] + " ..."
