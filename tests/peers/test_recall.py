"""recall and search across peers: one pool, one order, one budget, each record once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.peers.conftest import Town

CACHE = ("billing", "Cache keyed by tenant")


def excerpts(town: Town, *words: str, **more: Any) -> list[tuple[str, str]]:
    rows = town.shop.gitmem("--json", "recall", *words, **more).ok().data["excerpts"]
    return [(row["hit"]["project"], row["hit"]["summary"]) for row in rows]


def found(town: Town, *words: str) -> list[tuple[str, str]]:
    rows = town.shop.gitmem("--json", "search", *words).ok().data["hits"]
    return [(row["project"], row["summary"]) for row in rows]


def test_what_peers_say_stands_among_what_was_found_here_by_how_well_it_fits(asked: Town) -> None:
    asked.shop.decide("Cache images for a day", "src/images.py")
    order = excerpts(asked, "how", "is", "the", "cache", "keyed", "by", "tenant")
    assert order[0] == CACHE
    assert (".", "Cache images for a day") in order
    text = asked.shop.gitmem("recall", "cache", "tenant").ok().out
    assert "[billing]" in text


def test_what_a_peer_withdrew_or_never_merged_is_not_recalled(asked: Town) -> None:
    assert ("billing", "Use WAL") not in excerpts(asked, "use", "WAL")
    assert ("billing", "Use one writer process") in excerpts(asked, "one", "writer", "process")


def test_limits_and_budget_hold_for_the_pool(asked: Town) -> None:
    for number in range(4):
        asked.shop.decide(f"Cache number {number}", f"src/cache{number}.py")
    done = asked.shop.gitmem(
        "--json", "recall", "cache", "tenant", "--top-k", "2", "--max-tokens", "40"
    ).ok()
    assert len(done.data["excerpts"]) <= 2
    assert done.data["tokens"] <= 40
    assert done.data["tokens"] == sum(row["tokens"] for row in done.data["excerpts"])


def test_flags_choose_who_is_asked(asked: Town) -> None:
    assert CACHE in found(asked, "cache")
    assert {project for project, _ in found(asked, "cache", "--no-peers")} <= {"."}
    asked.peers("add", str(asked.bare), "--alias", "other").ok()
    assert {project for project, _ in found(asked, "tenant", "--peer", "other")} == {"other"}
    ids = [row["id"] for row in asked.shop.gitmem("--json", "search", "cache").data["hits"]]
    assert len(ids) == len(set(ids))


def test_a_peer_that_is_gone_is_named(asked: Town, tmp_path: Path) -> None:
    asked.billing.path.rename(tmp_path / "moved")
    done = asked.shop.gitmem("--json", "recall", "cookies").ok()
    assert "peer-silent" in {warning["code"] for warning in done.json["warnings"]}
    assert done.data["excerpts"]
