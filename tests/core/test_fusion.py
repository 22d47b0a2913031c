"""The laws of fusion: what any rankers and links may do to an order, and what they may not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gitmem.core.fusion import DEFAULTS, Fused, fuse, reserve, walk
from gitmem.core.ranking import Neighbour, Ranked

KEYS = [f"note:{number:02d}" for number in range(40)]
Links = Mapping[str, Sequence[Neighbour]]


def ranking(*keys: str, top: float = 10.0) -> list[Ranked]:
    return [Ranked(key, top - place) for place, key in enumerate(keys)]


def asked(links: Links) -> Callable[[Sequence[str]], Links]:
    """Links both ways from those that were written."""
    both: dict[str, list[Neighbour]] = {key: list(ones) for key, ones in links.items()}
    for start, ones in links.items():
        for one in ones:
            back = msgspec.structs.replace(one, key=start, is_backward=True)
            both.setdefault(one.key, []).append(back)
    return lambda keys: {key: both.get(key, []) for key in keys}


def chain(*keys: str) -> dict[str, list[Neighbour]]:
    return {a: [Neighbour(b, "wikilink", b)] for a, b in pairwise(keys)}


def keys_of(order: Sequence[Fused]) -> list[str]:
    return [one.key for one in order]


rankings = st.lists(st.sampled_from(KEYS), max_size=30, unique=True).flatmap(
    lambda keys: st.lists(st.floats(0, 100), min_size=len(keys), max_size=len(keys)).map(
        lambda scores: [
            Ranked(key, score) for key, score in zip(keys, sorted(scores)[::-1], strict=True)
        ]
    )
)
graphs = st.dictionaries(
    st.sampled_from(KEYS),
    st.lists(st.builds(Neighbour, st.sampled_from(KEYS), st.just("wikilink")), max_size=6),
    max_size=40,
)


@given(rankings, rankings)
def test_an_empty_ranker_changes_nothing(text: list[Ranked], vectors: list[Ranked]) -> None:
    both = fuse({"text": text, "vectors": vectors})
    assert fuse({"text": text, "vectors": vectors, "other": []}) == both


@given(rankings)
def test_one_ranker_alone_keeps_its_order(text: list[Ranked]) -> None:
    order = keys_of(fuse({"text": text}))
    scores = {one.key: one.score for one in text}
    assert sorted(order) == sorted(scores)
    assert all(scores[a] >= scores[b] for a, b in pairwise(order))


@given(rankings, rankings)
def test_what_both_place_higher_stands_higher(text: list[Ranked], vectors: list[Ranked]) -> None:
    order = keys_of(fuse({"text": text, "vectors": vectors}))
    places = [{one.key: rank for rank, one in enumerate(each)} for each in (text, vectors)]
    common = [key for key in order if all(key in each for each in places)]
    for above in common:
        for below in common:
            if all(each[above] < each[below] for each in places):
                assert order.index(above) < order.index(below)


def test_a_document_that_a_ranker_names_twice_counts_once() -> None:
    twice = [*ranking("a", "b"), Ranked("a", 1.0)]
    assert fuse({"text": twice}) == fuse({"text": ranking("a", "b")})


def test_ties_stand_in_the_order_of_keys() -> None:
    order = fuse({"x": ranking("b"), "y": ranking("a")})
    assert keys_of(order) == ["a", "b"]


def test_a_ranker_that_is_sure_is_not_overruled_by_one_that_is_not() -> None:
    sure = [Ranked("a", 30.0), *(Ranked(f"x{n}", 5.0 - n / 100) for n in range(120))]
    flat = [
        Ranked(key, 0.3 - n / 10_000) for n, key in enumerate(["b", *(f"y{n}" for n in range(119))])
    ]
    assert keys_of(fuse({"text": sure, "vectors": flat}))[0] == "a"


def test_each_vote_says_which_rank_and_score() -> None:
    (first, *_) = fuse({"vectors": ranking("a", top=0.9), "text": ranking("b", "a")})
    assert first.key == "a"
    assert [(v.ranker, v.rank, v.score) for v in first.votes] == [
        ("text", 2, 9.0),
        ("vectors", 1, 0.9),
    ]
    assert not first.is_reserved


@given(rankings, graphs, st.integers(1, 12))
def test_links_lose_nothing_and_move_nothing_that_stands_above_their_places(
    text: list[Ranked], links: dict[str, list[Neighbour]], limit: int
) -> None:
    fused = fuse({"text": text})
    order = reserve(fused, asked(links), limit=limit)
    keys = keys_of(order)
    room = min(limit, DEFAULTS.room)
    assert len(keys) == len(set(keys))
    assert set(keys) >= {one.key for one in fused}
    above = min(room - min(DEFAULTS.places, room // 2), len(fused))
    assert keys[:above] == keys_of(fused)[:above]
    reserved = [place for place, one in enumerate(order) if one.is_reserved]
    assert all(place < room for place in reserved)
    assert len(reserved) <= DEFAULTS.places
    rest = [one.key for one in order if not one.is_reserved]
    assert rest == [key for key in keys_of(fused) if key in rest]


@given(rankings, graphs)
def test_a_chain_leads_from_a_seed_link_by_link(
    text: list[Ranked], links: dict[str, list[Neighbour]]
) -> None:
    fused = fuse({"text": text})
    neighbours = asked(links)
    for one in reserve(fused, neighbours):
        if one.is_reserved:
            assert one.chain[0].start in keys_of(fused)[: DEFAULTS.seeds]
            assert one.chain[-1].neighbour.key == one.key
            assert len(one.chain) <= DEFAULTS.hops
            for hop in one.chain:
                assert hop.neighbour in neighbours([hop.start])[hop.start]


def test_a_chain_of_three_hops_is_followed_to_its_end() -> None:
    fused = fuse({"text": ranking(*KEYS[:20])})
    order = reserve(fused, asked(chain(KEYS[0], "note:x", "note:y", "note:z")))
    assert {"note:x", "note:y", "note:z"} < set(keys_of(order)[:8])
    last = next(one for one in order if one.key == "note:z")
    assert [hop.start for hop in last.chain] == [KEYS[0], "note:x", "note:y"]


def test_the_places_for_links_do_not_depend_on_the_limit() -> None:
    fused = fuse({"text": ranking(*KEYS[:20])})
    links = asked(chain(KEYS[0], "note:x", "note:y"))
    assert keys_of(reserve(fused, links, limit=8)) == keys_of(reserve(fused, links, limit=10))


def test_of_few_places_none_is_reserved() -> None:
    fused = fuse({"text": ranking(*KEYS[:20])})
    assert reserve(fused, asked(chain(KEYS[0], "note:x")), limit=3) == fused


def test_a_hub_is_neither_followed_nor_shown() -> None:
    hub = [Neighbour(key, "wikilink") for key in KEYS]
    links = {KEYS[0]: [Neighbour("note:hub", "wikilink")]}

    def neighbours(keys: Sequence[str]) -> Links:
        return {key: links.get(key, []) for key in keys}

    fused = fuse({"text": ranking(*KEYS[:20])})
    assert len(hub) < DEFAULTS.degree  # so it is the empty answer alone that says what it is
    assert reserve(fused, neighbours) == fused


def test_in_a_thicket_nothing_is_reserved() -> None:
    links = {
        KEYS[0]: [Neighbour(f"note:far{n}", "wikilink") for n in range(30)],
    }
    fused = fuse({"text": ranking(*KEYS[:20])})
    assert reserve(fused, asked(links)) == fused


def test_of_many_neighbours_the_one_that_matches_gets_the_place() -> None:
    links = {KEYS[0]: [Neighbour(f"note:far{n}", "wikilink") for n in range(7)]}
    links[KEYS[0]].append(Neighbour(KEYS[12], "wikilink"))
    fused = fuse({"text": ranking(*KEYS[:20], top=25.0)})
    reserved = [one.key for one in reserve(fused, asked(links)) if one.is_reserved]
    assert reserved[:1] == [KEYS[12]]


def test_what_is_not_accepted_is_walked_through() -> None:
    fused = fuse({"text": ranking(*KEYS[:20])})
    links = asked(chain(KEYS[0], "commit:x", "note:y"))
    order = reserve(fused, links, accepts=lambda key: not key.startswith("commit"))
    assert "commit:x" not in keys_of(order)
    assert "note:y" in keys_of(order)[:8]


def test_a_walk_gives_everything_nearest_first() -> None:
    links = asked({**chain("a", "b", "c"), "x": [Neighbour("a", "supersedes")]})
    found = walk([Fused("a", 1.0)], links, DEFAULTS)
    assert keys_of(found) == ["b", "x", "c"]
    assert found[1].chain[0].neighbour.is_backward


def test_without_links_or_documents_nothing_happens() -> None:
    assert reserve([], asked({})) == []
    fused = fuse({"text": ranking(*KEYS[:5])})
    assert reserve(fused, asked({})) == fused
