"""What is linked, with peers' decisions that speak of it: after one's own, within the limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gitmem.core.paths import fold_path
from gitmem.services.federate import RESERVED_FROM
from gitmem.services.federate_links import Spoken, list_speaking
from gitmem.services.federate_recall import cut_pool
from gitmem.services.hits import Hit
from gitmem.services.our_names import OurNames
from gitmem.services.recall import Excerpt
from gitmem.services.related import EXCERPT_TOKENS, Related
from gitmem.services.targets import resolve_target
from gitmem.services.workspace import Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation


def span_related(
    workspace: Workspace,
    text: str,
    found: Related,
    federation: Federation,
    names: OurNames,
    *,
    limit: int,
    peer_timeout_ms: int,
) -> Related:
    """The answer about TEXT with what peers say of it: links to a file, ids of a record or
    commit; of a file also what just names this project, last. Raises what `resolve_target`
    raises."""
    said = list_speaking(
        workspace,
        federation,
        names,
        _find_spoken(workspace, text),
        peer_timeout_ms=peer_timeout_ms,
    )
    notices = (*found.notices, *said.notices)
    standing = [hit for hit in said.hits if hit.state in ("current", "conflict")]
    fallen = [hit for hit in said.hits if hit.state not in ("current", "conflict")]
    others = [hit for hit in said.others if hit.state in ("current", "conflict")]
    own: list[Excerpt | Hit] = list(found.excerpts)
    is_near = found.is_near and not said.hits
    if found.is_near and said.hits:
        own = []  # something is linked after all
    if standing and len(own) >= limit >= RESERVED_FROM:
        own = own[: limit - 1]
    order: list[Excerpt | Hit] = [*own, *standing, *fallen, *others][:limit]
    shown = cut_pool(workspace, text, order, limit * EXCERPT_TOKENS)
    return msgspec.structs.replace(found, excerpts=tuple(shown), is_near=is_near, notices=notices)


def _find_spoken(workspace: Workspace, text: str) -> Spoken:
    target = resolve_target(workspace, text)
    if target.kind == "record":
        return Spoken(oids=(target.id,))
    if target.kind == "commit":
        return Spoken(oids=(target.oid,))
    spans = workspace.commits.list_names(target.name, workspace.place.worktree)
    paths = dict.fromkeys(fold_path(name) for name in (target.name, *(s.path for s in spans)))
    return Spoken(paths=tuple(paths), with_names=True)
