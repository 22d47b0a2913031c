"""From rankings and links to an order: pure, and judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gitmem.core.ranking import Neighbour, Passage, Ranked
from gitmem.services.retrieve import RetrieveSettings, rerank_with, retrieve


class Listed:
    """A ranker that has one answer."""

    def __init__(self, name: str, *keys: str) -> None:
        self.name = name
        self._keys = keys

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        return [Ranked(key, 10.0 - at) for at, key in enumerate(self._keys)][:limit]


class Chain:
    """Each document links to the next letter."""

    def list_neighbours(
        self, keys: Sequence[str], *, most: int
    ) -> Mapping[str, Sequence[Neighbour]]:
        return {key: [Neighbour(f"record:{chr(ord(key[-1]) + 1)}", "wikilink")] for key in keys}


LETTERS = [f"record:{letter}" for letter in "abcdefghij"]


def test_two_rankers_agree_on_the_first() -> None:
    rankers = [Listed("text", *LETTERS[:4]), Listed("vectors", LETTERS[0], LETTERS[3])]
    order = retrieve("q", rankers, None, RetrieveSettings())
    assert order[0].key == "record:a"
    assert {vote.ranker for vote in order[0].votes} == {"text", "vectors"}


def test_what_the_judge_leaves_out_is_not_there_and_what_it_lowers_comes_later() -> None:
    factors = {"record:a": 0.1, "record:b": 1.0, "record:c": 1.0}

    def judge(keys: Sequence[str]) -> Mapping[str, float]:
        return {key: factors[key] for key in keys if key in factors}

    order = retrieve("q", [Listed("text", *LETTERS)], None, RetrieveSettings(), judge=judge)
    assert [one.key for one in order] == ["record:b", "record:c", "record:a"]


def test_links_get_places_at_the_end_and_never_the_top() -> None:
    ranker = Listed("text", "record:p", *(f"record:{n}" for n in range(9)))
    plain = retrieve("q", [ranker], None, RetrieveSettings(limit=8))
    linked = retrieve("q", [ranker], Chain(), RetrieveSettings(limit=8))
    assert [one.key for one in linked[:4]] == [one.key for one in plain[:4]]
    reserved = [one for one in linked[:8] if one.is_reserved]
    assert reserved and all(one.chain[0].neighbour.link == "wikilink" for one in reserved)
    assert {one.key for one in plain} <= {one.key for one in linked}


def test_a_model_that_reads_orders_the_best_again() -> None:
    class Backwards:
        def rerank(self, question: str, passages: Sequence[Passage]) -> list[Ranked]:
            return [Ranked(one.key, float(at)) for at, one in enumerate(passages)][::-1]

    def get_passages(keys: Sequence[str]) -> list[Passage]:
        return [Passage(key, "text") for key in keys if key != "record:c"]

    reorder = rerank_with(Backwards(), "q", get_passages)
    order = retrieve("q", [Listed("text", *LETTERS[:3])], None, RetrieveSettings(), reorder=reorder)
    assert [one.key for one in order] == ["record:b", "record:a", "record:c"]
