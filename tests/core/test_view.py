"""Where a record stands, and whether a question sees it."""

from __future__ import annotations

import pytest

from gitmem.core.view import Places


@pytest.mark.parametrize("place", ["head", "work", "spooled", "private"])
def test_the_view_of_a_tracked_memory(place: str) -> None:
    assert Places(**{place: True}).is_in_view(detached=False)


@pytest.mark.parametrize(
    "place", ["spooled_elsewhere", "default", "branched", "own", "fetched", "added"]
)
def test_all_else_is_outside_the_view_of_a_tracked_memory(place: str) -> None:
    places = Places(**{place: True})
    assert not places.is_in_view(detached=False)
    assert places.is_in_view(detached=True)


@pytest.mark.parametrize("place", ["added", "branched", "default"])
def test_what_a_commit_has_is_not_pending_though_the_spool_has_it_still(place: str) -> None:
    places = Places(**{"spooled": True, place: True})
    assert not places.is_pending
    assert not places.is_in_view(detached=False)
    assert places.is_in_view(detached=True)


@pytest.mark.parametrize("place", ["spooled", "spooled_elsewhere", "private", "own"])
def test_what_this_clone_captured_is_ours(place: str) -> None:
    assert Places(**{place: True}).is_ours


@pytest.mark.parametrize("place", ["head", "work", "default", "fetched"])
def test_what_came_by_git_is_not_known_to_be_ours(place: str) -> None:
    assert not Places(**{place: True}).is_ours


def test_a_segment_in_the_work_tree_alone_is_uncommitted() -> None:
    assert Places(work=True).is_uncommitted
    assert not Places(work=True, head=True).is_uncommitted
    assert not Places(spooled=True).is_uncommitted


def test_what_an_ancestor_added_and_the_view_lacks_is_reverted() -> None:
    assert Places(added=True, default=True).is_reverted(detached=False)
    assert not Places(added=True, head=True).is_reverted(detached=False)
    assert not Places(default=True).is_reverted(detached=False)
    assert not Places(added=True).is_reverted(detached=True)


@pytest.mark.parametrize(
    ("places", "tracked", "detached"),
    [
        (Places(head=True, spooled=True, default=True), "here", "here"),
        (Places(work=True), "here", "here"),
        (Places(spooled=True, private=True), "pending", "pending"),
        (Places(private=True, default=True), "private", "private"),
        (Places(default=True, fetched=True), "default", "here"),
        (Places(fetched=True), "elsewhere", "here"),
        (Places(spooled_elsewhere=True), "elsewhere", "here"),
        (Places(), "elsewhere", "here"),
    ],
)
def test_the_best_place_is_shown(places: Places, tracked: str, detached: str) -> None:
    assert places.where(detached=False) == tracked
    assert places.where(detached=True) == detached
