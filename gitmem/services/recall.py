"""What a memory has to say to a question: excerpts with their standing, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.excerpts import count_tokens, cut_text, find_roots, share_budget
from gitmem.core.fusion import Fused, Hop, Vote
from gitmem.core.prompts import is_skipped
from gitmem.services.asking import Depth, Question
from gitmem.services.documents import format_text, name_whole
from gitmem.services.hits import Hit
from gitmem.services.retrieve import KINDS
from gitmem.services.standing import describe_standing
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Ranker

Compact = Callable[[str, str, int], str]
"""(question, text, tokens) → the text within so many tokens."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why an excerpt stands where it stands.

    `votes` are the rankers' ranks and scores; `chain` the links that reached it, the first
    from the seed; `score` is the fused one times `factor`, which is what standing and age make
    of it; `similarity` and `coverage` (per mille) are what the gate looks at; `reason` says it
    in words.
    """

    place: int
    score: float
    factor: float = 1.0
    votes: tuple[Vote, ...] = ()
    chain: tuple[Hop, ...] = ()
    similarity: int | None = None
    coverage: int | None = None
    tokens: int = 0
    reason: str = ""


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """One thing found, as it is shown. `standing` is a parenthesis such as `(decision · 3 d
    ago · superseded)`; `tokens` is the estimate for `text`; `whole` says how to get all of
    it where the text is cut, else is empty."""

    key: str
    hit: Hit
    text: str
    tokens: int
    standing: str
    score: float
    whole: str = ""
    explain: Explanation | None = None


class RecallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`limit` excerpts of at most `max_tokens` in all; a decision of `half_life_days` counts
    half (0: age does not matter). `as_of` is a time in milliseconds: answer from what was
    known then. `is_gated`: nothing at all where nothing is similar enough; `min_similarity`
    (per mille) replaces the measured gate. `with_everything`: also what was retracted or
    reverted, commits that give no reason, and those whose decision is shown. `compact`
    shortens a text in place of `cut_text`; `rankers` are asked beside the usual ones, or in
    place of one with the same name."""

    limit: int = 8
    max_tokens: int = 2000
    half_life_days: int = 0
    kinds: tuple[str, ...] = KINDS
    depth: Depth = "standard"
    as_of: int | None = None
    is_gated: bool = False
    min_similarity: int | None = None
    with_explain: bool = False
    with_everything: bool = False
    compact: Compact | None = None
    rankers: tuple[Ranker, ...] = ()


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """Excerpts, best first, and an estimate of their tokens in all (UTF-8 bytes / 4)."""

    excerpts: tuple[Excerpt, ...] = ()
    tokens: int = 0
    notices: tuple[Notice, ...] = ()


def recall(
    workspace: Workspace, question: str, options: RecallOptions, seen: Collection[str] = ()
) -> Recalled:
    """Excerpts for a question; nothing found is an answer. `seen` are keys of excerpts that
    were shown already and are not shown again."""
    asked = Question(
        workspace,
        question,
        kinds=options.kinds,
        depth=options.depth,
        as_of=options.as_of,
        half_life_days=options.half_life_days,
        with_everything=options.with_everything,
        rankers=options.rankers,
    )
    order = asked.retrieve(options.limit, seen)
    shown = _choose(asked, order, options)
    return build_answer(asked, shown, options)


def choose_depth(question: str, depth: Depth) -> Depth:
    """How far a question of a command line is worth looking: for a word or two, and for what
    is a command to an agent, as far as words and links go, which needs no model."""
    return "quick" if depth == "standard" and is_skipped(question) else depth


def _choose(asked: Question, order: Sequence[Fused], options: RecallOptions) -> list[Fused]:
    """The first of the order that may be shown: each text once, what passes the gate."""
    passes: Callable[[Fused], bool] = asked.accept_all
    if options.is_gated:
        passes = asked.find_gate(order, options.min_similarity)
    elif options.with_everything:
        passes = asked.find_floor(options.min_similarity)
    chosen: list[Fused] = []
    texts: set[str] = set()
    told: set[str | None] = set()
    for one in order:
        if len(chosen) >= options.limit:
            break
        if not passes(one):
            continue
        hit = asked.hits[one.key]
        text = format_text(hit)
        is_told = hit.kind == "commit" and hit.commit in told and not options.with_everything
        if text in texts or is_told:
            continue
        texts.add(text)
        told.add(hit.commit if hit.kind == "decision" else None)
        chosen.append(one)
    return chosen


def build_answer(asked: Question, shown: Sequence[Fused], options: RecallOptions) -> Recalled:
    """The excerpts of what was chosen, within the budget."""
    whole = [format_text(asked.hits[one.key]) for one in shown]
    shares = share_budget([count_tokens(text) for text in whole], options.max_tokens)
    roots = find_roots(asked.text)
    compact = options.compact or (lambda _, text, most: cut_text(text, roots, max_tokens=most))
    coverage: Mapping[str, int] = {}
    if options.with_explain:
        coverage = asked.measure_coverage([one.key for one in shown])
    excerpts: list[Excerpt] = []
    for one, full, share in zip(shown, whole, shares, strict=True):
        text = full if count_tokens(full) <= share else compact(asked.text, full, share)
        hit, tokens = asked.hits[one.key], count_tokens(text)
        if not text:
            continue
        explain = None
        if options.with_explain:
            explain = _explain(asked, one, len(excerpts) + 1, coverage.get(one.key), tokens)
        excerpts.append(
            Excerpt(
                key=one.key,
                hit=hit,
                text=text,
                tokens=tokens,
                standing=describe_standing(hit, asked.now_ms),
                score=round(one.score, 6),
                whole="" if text == full else name_whole(hit),
                explain=explain,
            )
        )
    return Recalled(
        excerpts=tuple(excerpts),
        tokens=sum(one.tokens for one in excerpts),
        notices=tuple(asked.notices),
    )


def _explain(
    asked: Question, one: Fused, place: int, coverage: int | None, tokens: int
) -> Explanation:
    similarity = next((v.score for v in one.votes if v.ranker == "vectors"), None)
    factor = asked.factors.get(one.key, 1.0)
    return Explanation(
        place=place,
        score=round(one.score, 6),
        factor=round(factor, 6),
        votes=tuple(Vote(v.ranker, v.rank, round(v.score, 6)) for v in one.votes),
        chain=one.chain,
        similarity=None if similarity is None else round(1000 * similarity),
        coverage=coverage,
        tokens=tokens,
        reason=_give_reason(asked.hits[one.key], one, factor),
    )


def _give_reason(hit: Hit, one: Fused, factor: float) -> str:
    if one.is_reserved:
        count = len(one.chain)
        hops = "a link" if count == 1 else f"{count} links"
        return f"in a place reserved for links: {hops} away from {one.chain[0].start}"
    said = " and ".join(f"{vote.ranker} rank {vote.rank}" for vote in one.votes)
    reason = f"by its score: {said}"
    if factor < 0.995:
        causes = [hit.state] if hit.state in ("superseded", "retracted", "reverted") else []
        reason += f", times {factor:.2f} for {' and '.join(causes or ['its age'])}"
    return reason
