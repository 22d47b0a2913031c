"""What of a memory may come before an agent unasked, and what is said with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gitmem.core.sealing import Item, seal_name
from gitmem.services.hits import Hit

ID_DIGITS = 12
OWN_PROJECT = "."
_WITHDRAWN = ("retracted", "redacted", "reverted")


def list_injectable(hits: Iterable[Hit], peers: Collection[str] = ()) -> list[Hit]:
    """The hits that a hook may show: this project's, and those of peers that were added for
    it; none that nobody reviewed, none that was withdrawn."""
    return [hit for hit in hits if is_injectable(hit, peers)]


def is_injectable(hit: Hit, peers: Collection[str] = ()) -> bool:
    """Whether a hook may show it. `peers` are the aliases added with `--inject`."""
    is_known = hit.project == OWN_PROJECT or hit.project in peers
    return is_known and not hit.unreviewed and hit.state not in _WITHDRAWN


def build_item(hit: Hit, *, body: str | None = None) -> Item:
    """A hit as it is sealed. `body` stands in for its reason and what was rejected."""
    identity = hit.id or hit.commit or ""
    return Item(
        kind=(hit.type if hit.kind == "decision" else None) or hit.kind,
        id=identity[:ID_DIGITS],
        title=hit.summary,
        body=_format_body(hit) if body is None else body,
        standing=describe(hit),
        project=hit.project,
        author=_format_author(hit),
        at=hit.at[:10],
        paths=tuple(ref.path for ref in hit.paths),
    )


def describe(hit: Hit) -> str:
    """How it stands, in a few words."""
    if hit.kind in ("commit", "note"):
        return ""
    said = [_format_state(hit)]
    if hit.where == "elsewhere":
        branch = f"from branch {seal_name(hit.branch)}, " if hit.branch else ""
        said.append(f"{branch}not merged here")
    elif hit.where == "default":
        said.append("on the default branch, not merged here")
    elif hit.where in ("pending", "private"):
        said.append("in no commit yet" if hit.where == "pending" else "private")
    if hit.superseded_elsewhere:
        said.append(f"superseded elsewhere by {_format_ids(hit.superseded_elsewhere)}")
    if hit.unreviewed:
        said.append("unreviewed")
    return ", ".join(said)


def _format_state(hit: Hit) -> str:
    if hit.state == "superseded" and hit.superseded_by:
        return f"superseded by {_format_ids(hit.superseded_by)}"
    if hit.state == "conflict" and hit.conflicts_with:
        return f"in conflict with {_format_ids(hit.conflicts_with)}"
    return hit.state


def _format_ids(ids: Collection[str]) -> str:
    return " and ".join(one[:ID_DIGITS] for one in list(ids)[:3])


def _format_author(hit: Hit) -> str:
    if hit.actor is None:
        return ""
    return f"{hit.actor.name} with {hit.actor.agent}" if hit.actor.agent else hit.actor.name


def _format_body(hit: Hit) -> str:
    lines = [hit.why] if hit.why else []
    for one in hit.rejected:
        lines.append(f"rejected: {one.option}" + (f" ({one.reason})" if one.reason else ""))
    return "\n".join(lines)
