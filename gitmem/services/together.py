"""Which files change together with one: counted over the newest commits that touched it."""

from __future__ import annotations

from collections import Counter

import msgspec

from gitmem.services.workspace import Workspace

EXAMINED_COMMITS = 300
MASS_FILES = 30
"""A commit that touches more files says nothing of any two of them: a reformatting, a merge
squashed, a licence year."""
LEAST = 2


class Together(msgspec.Struct, frozen=True):
    """A file that changed in `commits` of the `of` commits to the asked one."""

    path: str
    commits: int
    of: int


def list_together(workspace: Workspace, path: str, *, limit: int) -> list[Together]:
    """The files that changed most often with a file or folder, under any name it had; twice at
    least. Of a file that was renamed along with it the later name counts. Ties in the order of
    paths."""
    worktree = workspace.place.worktree
    spans = workspace.commits.list_names(path, worktree)
    names = {span.path for span in spans}
    known = workspace.commits.list_commits(
        spans, worktree, limit=EXAMINED_COMMITS, with_reason=False
    )
    commits = workspace.history.get_commits([one.oid for one in known if not one.is_merge])
    counts: Counter[str] = Counter()
    counted = 0
    renamed: dict[str, str] = {}
    # Newest first, so that the names of what is older are known already.
    for commit in commits:
        touched = {renamed.get(touch.path, touch.path) for touch in commit.touches}
        renamed |= {
            touch.old_path: renamed.get(touch.path, touch.path)
            for touch in commit.touches
            if touch.status == "R" and touch.old_path is not None
        }
        if len(touched) > MASS_FILES:
            continue
        counted += 1
        counts.update(
            one
            for one in touched
            if one not in names
            and not one.startswith(".gitmem/")
            and not (path.endswith("/") and one.startswith(path))
        )
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [Together(one, count, counted) for one, count in often if count >= LEAST][:limit]
