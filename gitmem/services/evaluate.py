"""Measuring retrieval on a labelled set: each arm, with the very code that answers questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.excerpts import count_tokens
from gitmem.core.labelled_set import Id, LabelledSet, Query
from gitmem.core.measures import all_at, ndcg_at, recall_at, reciprocal_rank_at
from gitmem.core.ranking import Ranked
from gitmem.errors import GitmemError
from gitmem.services.retrieve import RetrieveSettings, retrieve
from gitmem.services.workspace import Notice

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Links, Ranker

LIMIT = 10
"""Places of an answer: figures look no further."""
HOPS_LIMIT = 8
"""Places in which all evidence is looked for, by hops: as many as `recall` shows."""
RUN_DEPTH = 100
KINDS = ("note",)


class Arm(msgspec.Struct, frozen=True):
    """A way to answer: the rankers it asks, and whether it follows links."""

    rankers: tuple[str, ...]
    has_links: bool = False


ARMS: Mapping[str, Arm] = {
    "text": Arm(("text",)),
    "vectors": Arm(("vectors",)),
    "fused": Arm(("text", "vectors")),
    "linked": Arm(("text", "vectors"), has_links=True),
}
IN_USE = "linked"
"""What `recall` does; where there are no vectors, it does so without them."""


class Corpus(msgspec.Struct, frozen=True):
    """A labelled set, indexed. `documents` maps the keys of rankers to the set's ids; a long
    document has several. `missing` says why there is no ranker by vectors."""

    labelled: LabelledSet
    rankers: Mapping[str, Ranker]
    links: Links
    documents: Mapping[str, str]
    missing: GitmemError | None = None


class HopFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Of the queries whose evidence is so many hops away."""

    queries: int
    all_8: float = msgspec.field(name="all@8")
    recall_10: float = msgspec.field(name="recall@10")


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Means over the queries. `tokens` is an estimate for the first ten documents, whole;
    `hops` groups queries by the hops that the set states, else by how many documents are
    relevant less one."""

    recall_5: float = msgspec.field(name="recall@5")
    recall_10: float = msgspec.field(name="recall@10")
    mrr: float
    ndcg_10: float = msgspec.field(name="ndcg@10")
    all_8: float = msgspec.field(name="all@8")
    all_10: float = msgspec.field(name="all@10")
    tokens: float
    ms_per_query: float
    hops: Mapping[str, HopFigures]


class Run(msgspec.Struct, frozen=True):
    """What one query got, for scoring elsewhere."""

    query: str
    ranked: tuple[Id, ...]


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """`in_use` names the arm that `recall` uses; `run` is that arm's, in the order of the
    queries, empty where it was not asked for. `all_tokens` is what pasting everything would
    cost."""

    in_use: str
    documents: int
    queries: int
    links: int
    all_tokens: int
    arms: Mapping[str, Figures]
    run: tuple[Run, ...] = ()
    notices: tuple[Notice, ...] = ()


def evaluate(
    corpus: Corpus,
    arms: Sequence[str],
    *,
    clock: Callable[[], float],
    report: Callable[[str, int, int], None],
) -> Evaluated:
    """Figures of these arms. `clock` gives seconds. Without vectors the arms that are nothing
    without them are left out; raises what is missing where none is left."""
    labelled, missing = corpus.labelled, corpus.missing
    tokens = {
        name: count_tokens(f"{one.title}\n{one.text}") for name, one in labelled.documents.items()
    }
    measured = [
        arm for arm in arms if arm == IN_USE or corpus.rankers.keys() >= {*ARMS[arm].rankers}
    ]
    if missing is not None and not measured:
        raise missing
    answers: dict[str, list[Sequence[str]]] = {arm: [] for arm in measured}
    seconds = dict.fromkeys(measured, 0.0)
    for done, query in enumerate(labelled.queries):
        report("measuring", done, len(labelled.queries))
        rankers = {name: _Once(one, clock) for name, one in corpus.rankers.items()}
        for arm in measured:
            chosen = [rankers[name] for name in ARMS[arm].rankers if name in rankers]
            links = corpus.links if ARMS[arm].has_links else None
            began, waited = clock(), sum(one.waited for one in chosen)
            answers[arm].append(_answer(corpus, chosen, links, query))
            waited = sum(one.waited for one in chosen) - waited
            seconds[arm] += clock() - began - waited + sum(one.seconds for one in chosen)
    run: list[Run] = []
    if IN_USE in measured:
        pairs = zip(labelled.queries, answers[IN_USE], strict=True)
        run = [_build_run(labelled, query, ranked) for query, ranked in pairs]
    figures = {
        arm: _measure(labelled.queries, answers[arm], tokens, seconds[arm]) for arm in measured
    }
    return Evaluated(
        in_use=IN_USE,
        documents=len(labelled.documents),
        queries=len(labelled.queries),
        links=len(labelled.links),
        all_tokens=sum(tokens.values()),
        arms=figures,
        run=tuple(run),
        notices=_describe_missing(corpus),
    )


class _Once:
    """A ranker that is asked once and answers every arm. `seconds` is what its answer took,
    `waited` how long was waited for it in fact."""

    def __init__(self, ranker: Ranker, clock: Callable[[], float]) -> None:
        self.name = ranker.name
        self.seconds = self.waited = 0.0
        self._ranker = ranker
        self._clock = clock
        self._known: dict[tuple[str, int], list[Ranked]] = {}

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        if (question, limit) not in self._known:
            began = self._clock()
            self._known[question, limit] = self._ranker.rank(question, kinds=kinds, limit=limit)
            self.seconds = self._clock() - began
            self.waited += self.seconds
        return self._known[question, limit]


def _answer(
    corpus: Corpus, rankers: Sequence[Ranker], links: Links | None, query: Query
) -> list[str]:
    """The set's ids, best first, each once: of a document's parts the best counts."""
    settings = RetrieveSettings(LIMIT, KINDS)
    order = retrieve(query.query, rankers, links, settings)
    return list(dict.fromkeys(corpus.documents[one.key] for one in order))


def _measure(
    queries: Sequence[Query],
    answers: Sequence[Sequence[str]],
    tokens: Mapping[str, int],
    seconds: float,
) -> Figures:
    pairs = [
        ([str(one) for one in query.relevant], ranked)
        for query, ranked in zip(queries, answers, strict=True)
    ]
    fed = [sum(tokens[one] for one in ranked[:LIMIT]) for ranked in answers]
    return Figures(
        recall_5=_mean([recall_at(*pair, 5) for pair in pairs]),
        recall_10=_mean([recall_at(*pair, LIMIT) for pair in pairs]),
        mrr=_mean([reciprocal_rank_at(*pair, LIMIT) for pair in pairs]),
        ndcg_10=_mean([ndcg_at(*pair, LIMIT) for pair in pairs]),
        all_8=_mean([all_at(*pair, HOPS_LIMIT) for pair in pairs]),
        all_10=_mean([all_at(*pair, LIMIT) for pair in pairs]),
        tokens=_mean(fed),
        ms_per_query=round(1000 * seconds / len(queries), 2),
        hops=_measure_hops(queries, pairs),
    )


def _measure_hops(
    queries: Sequence[Query], pairs: Sequence[tuple[Sequence[str], Sequence[str]]]
) -> dict[str, HopFigures]:
    groups: dict[int, list[tuple[Sequence[str], Sequence[str]]]] = {}
    for query, pair in zip(queries, pairs, strict=True):
        hops = query.hops if query.hops is not None else len(set(pair[0])) - 1
        groups.setdefault(hops, []).append(pair)
    return {
        str(hops): HopFigures(
            queries=len(group),
            all_8=_mean([all_at(*pair, HOPS_LIMIT) for pair in group]),
            recall_10=_mean([recall_at(*pair, LIMIT) for pair in group]),
        )
        for hops, group in sorted(groups.items())
    }


def _build_run(labelled: LabelledSet, query: Query, ranked: Sequence[str]) -> Run:
    ids = tuple(labelled.documents[one].id for one in ranked[:RUN_DEPTH])
    return Run(query.query, ids)


def _describe_missing(corpus: Corpus) -> tuple[Notice, ...]:
    notices = []
    if corpus.missing is not None:
        notices.append(
            Notice(corpus.missing.code, f"measured without vectors: {corpus.missing.message}")
        )
    if corpus.labelled.dangling:
        notices.append(
            Notice(
                "links-dangling",
                f"links to documents that are not in the set: {corpus.labelled.dangling}",
            )
        )
    return tuple(notices)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)
