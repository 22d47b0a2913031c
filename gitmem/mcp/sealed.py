"""From hits to sealed answers: the one way by which a memory's text leaves through a tool."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.core.sealing import Item, seal, seal_line
from gitmem.core.timestamps import format_at
from gitmem.mcp.values import Answer, Named
from gitmem.services.documents import format_text
from gitmem.services.hits import Hit
from gitmem.services.workspace import Notice

MAX_WARNING_CHARS = 400
MAX_CURSOR = 100_000
NOTHING = "Nothing is recorded that answers this."


def answer(
    hits: Sequence[Hit],
    *,
    subject: str,
    now_ms: int,
    cursor: str | None = None,
    notices: Sequence[Notice] = (),
    texts: Sequence[str] | None = None,
    more: Sequence[Item] = (),
) -> Answer:
    """Hits as one answer. `texts` are excerpts to show in place of all that they say; `more` is
    told after them."""
    bodies = texts if texts is not None else [_body(hit) for hit in hits]
    items = [_item(hit, body) for hit, body in zip(hits, bodies, strict=True)]
    text = seal([*items, *more], asked_at=format_at(now_ms), subject=subject)
    return Answer(
        text=text or NOTHING,
        items=[_name(hit) for hit in hits],
        cursor=cursor,
        warnings=warn(notices),
    )


def warn(notices: Sequence[Notice]) -> list[str]:
    """`code: message` of each."""
    return [seal_line(f"{one.code}: {one.message}", MAX_WARNING_CHARS) for one in notices]


def parse_cursor(cursor: str | None) -> int:
    """How many were shown already; raises ValueError for what no answer gave."""
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or int(cursor) > MAX_CURSOR:
        raise ValueError("the cursor is not one that an answer gave")
    return int(cursor)


def next_cursor(start: int, shown: int, *, has_more: bool) -> str | None:
    return str(start + shown) if has_more and shown else None


def _body(hit: Hit) -> str:
    whole = format_text(hit)
    return whole.removeprefix(hit.summary).lstrip("\n")


def _item(hit: Hit, body: str) -> Item:
    return Item(
        title=hit.summary,
        body=body,
        kind=hit.type or hit.kind,
        id=(hit.id or hit.commit or "")[:12],
        standing=_standing(hit),
        project=hit.project,
        author=hit.actor.name if hit.actor else "",
        at=hit.at,
        paths=tuple(ref.path for ref in hit.paths),
    )


def _standing(hit: Hit) -> str:
    said: list[str] = [hit.state] if hit.kind not in ("commit", "note") else []
    if hit.superseded_by:
        said = [f"superseded by {hit.superseded_by[0][:7]}"]
    if hit.where == "elsewhere":
        said.append("on a branch that is not merged")
    elif hit.where in ("pending", "private"):
        said.append(hit.where)
    if hit.unreviewed:
        said.append("unreviewed")
    return ", ".join(said)


def _name(hit: Hit) -> Named:
    identity = hit.commit if hit.kind == "commit" else hit.id
    return Named(
        id=identity or "",
        kind=hit.kind,
        state=hit.state,
        project=seal_line(hit.project, 60),
        unreviewed=hit.unreviewed,
    )
