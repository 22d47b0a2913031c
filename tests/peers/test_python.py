"""The Python interface asks other projects where it is told to, and nobody as a rule."""

from __future__ import annotations

import gitmem
from tests.peers.conftest import Town

CACHE = "Cache keyed by tenant"


def test_why_asks_peers_when_told_to(asked: Town) -> None:
    with gitmem.open_memory(asked.shop.path) as memory:
        assert {hit.project for hit in memory.why("src/app.py").hits} == {"."}
        hits = memory.why("src/app.py", peers=True).hits
        assert ("billing", CACHE) in {(hit.project, hit.summary) for hit in hits}


def test_recall_asks_peers_when_told_to_and_leaves_out_what_was_seen(asked: Town) -> None:
    question = "how is the cache keyed by tenant"
    with gitmem.open_memory(asked.shop.path) as memory:
        assert all(one.hit.project == "." for one in memory.recall(question).excerpts)
        found = memory.recall(question, peers=True)
        first = found.excerpts[0]
        assert (first.hit.project, first.hit.summary) == ("billing", CACHE)
        assert found.tokens == sum(one.tokens for one in found.excerpts)
        again = memory.recall(question, peers=True, seen=[first.key])
        assert first.key not in [one.key for one in again.excerpts]


def test_without_a_registry_nobody_is_there_to_be_asked(town: Town) -> None:
    with gitmem.open_memory(town.shop.path) as memory:
        assert {hit.project for hit in memory.why("src/app.py", peers=True).hits} == {"."}
        assert memory.recall("sessions in cookies", peers=True).excerpts
