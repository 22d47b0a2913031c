"""From hits to sealed answers: the one way by which a memory's text leaves through a tool."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.core.sealing import Item, seal, seal_line
from gitmem.core.timestamps import format_at
from gitmem.mcp.values import Answer, Named
from gitmem.services.hits import Hit
from gitmem.services.injection import build_item
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
    bodies = texts if texts is not None else [None] * len(hits)
    items = [build_item(hit, body=body) for hit, body in zip(hits, bodies, strict=True)]
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


def _name(hit: Hit) -> Named:
    identity = hit.commit if hit.kind == "commit" else hit.id
    return Named(
        id=identity or "",
        kind=seal_line(hit.kind, 20),
        state=hit.state,
        project=seal_line(hit.project, 60),
        where=hit.where,
        unreviewed=hit.unreviewed,
    )
