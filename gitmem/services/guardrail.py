"""Before a file is edited: the decisions that stand about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gitmem.core.paths import fold_path
from gitmem.services.hits import Hit, find_hits
from gitmem.services.injection import list_injectable
from gitmem.services.workspace import Workspace

MAX_SHOWN = 2
EXAMINED = 64
"""Of a file's decisions so many of the newest are looked at."""
MAX_DEPTH = 32


def find_guards(
    workspace: Workspace,
    path: str,
    *,
    excluded_types: Collection[str],
    peers: Collection[str] = (),
) -> tuple[list[Hit], int]:
    """The decisions to show before `path` (relative to the root, as records spell it) is
    edited, and how many more stand. Those that are current come first, those about the file
    itself before those about a folder of it; a superseded one is shown where there is room
    and what replaced it is not shown. The cache is in step when this is called."""
    spans = workspace.commits.list_names(path, workspace.place.worktree)
    names = list(dict.fromkeys([fold_path(path), *(fold_path(span.path) for span in spans)]))
    ids, _ = workspace.records.list_by_paths([*names, *_folders_above(path)], limit=EXAMINED)
    hits = [
        hit
        for hit in list_injectable(find_hits(workspace, ids), peers)
        if hit.kind == "decision" and hit.type not in excluded_types
    ]
    own = set(names)
    standing = [hit for hit in hits if hit.state in ("current", "conflict")]
    standing.sort(key=lambda hit: (hit.where == "elsewhere", not _names(hit, own)))
    shown = standing[:MAX_SHOWN]
    replaced = [hit for hit in hits if hit.state == "superseded"]
    known = {hit.id for hit in standing}
    for hit in replaced:
        if len(shown) < MAX_SHOWN and known.isdisjoint(hit.superseded_by):
            shown.append(hit)
    return shown, max(0, len(standing) - MAX_SHOWN)


def _names(hit: Hit, own: Collection[str]) -> bool:
    return any(fold_path(ref.path) in own for ref in hit.paths)


def _folders_above(path: str) -> Sequence[str]:
    """The folders a file is in, each by itself: what is decided of them holds for it."""
    parts = fold_path(path).split("/")[:-1][:MAX_DEPTH]
    return ["/".join(parts[:depth]) + "/." for depth in range(1, len(parts) + 1)]
