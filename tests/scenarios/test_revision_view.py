"""The view of a commit that is not checked out: what it says, and that it leaves no trace."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.app.opening import open_repository
from gitmem.services.catch_up import catch_up
from gitmem.services.hits import find_hits
from gitmem.services.revision_view import list_ids_at, view_at
from tests.support.commandline import Clone


def _open(path: Path):  # type: ignore[no-untyped-def]
    return open_repository(path, os.environ)


def test_each_commit_has_its_own_view(ada: Clone) -> None:
    kept = ada.decide("Kept", "a.py")
    before = ada.git("rev-parse", "HEAD")
    ada.gitmem("supersede", kept[:8], "-m", "Instead").ok()
    ada.gitmem("capture", "--flush").ok()
    ada.git("commit", "-q", "-m", "Revise")
    after = ada.git("rev-parse", "HEAD")
    ada.gitmem("capture", "-m", "Private", "--local", "a.py").ok()
    opened = _open(ada.path)
    try:
        workspace = opened.workspace
        catch_up(workspace)
        with view_at(workspace, before) as shown:
            assert list_ids_at(shown) == {kept}
            assert find_hits(shown, [kept])[0].state == "current"
        with view_at(workspace, after) as shown:
            assert len(list_ids_at(shown)) == 2
            assert find_hits(shown, [kept])[0].state == "superseded"
        assert not [p for p in workspace.facts.get_place_keys() if p.startswith("head:@")]
        assert find_hits(workspace, [kept])[0].state == "superseded"
    finally:
        opened.close()


def test_a_commit_that_no_branch_has_any_more_can_be_viewed(ada: Clone) -> None:
    ada.git("switch", "-q", "-c", "side")
    record_id = ada.decide("On the side", "a.py")
    side = ada.git("rev-parse", "HEAD")
    ada.git("switch", "-q", "main")
    ada.git("branch", "-q", "-D", "side")
    ada.gitmem("cache", "rebuild").ok()
    opened = _open(ada.path)
    try:
        with view_at(opened.workspace, side) as shown:
            assert list_ids_at(shown) == {record_id}
            assert find_hits(shown, [record_id])[0].where == "here"
    finally:
        opened.close()
