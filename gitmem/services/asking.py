"""One question to one memory: its rankers, what may be shown, and what is similar enough."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from gitmem.core.fusion import DEFAULTS, Fused
from gitmem.core.ranking import Ranked
from gitmem.core.words import list_words, make_storable
from gitmem.errors import Damaged, PartMissing
from gitmem.services.catch_up import catch_up
from gitmem.services.documents import load_hits
from gitmem.services.embedding import try_rank_vectors
from gitmem.services.hits import Hit
from gitmem.services.note_index import refresh_notes
from gitmem.services.retrieve import RetrieveSettings, rerank_with, retrieve
from gitmem.services.standing import WITHDRAWN, weigh
from gitmem.services.workspace import Notice, Workspace

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Ranker

Depth = Literal["quick", "standard", "deep"]
LEAST_COVERAGE = 400
"""Per mille of a question that a document must have in words (`TextRanker.measure_coverage`)
to be about it, where no vectors say so. Measured: docs/retrieval.md."""
SURE_COVERAGE = 700
"""And to be about it whatever the vectors say, which know no names."""
GATED = 16
"""Of so many of the best documents the gate asks how much of the question they have."""
DEPTH_IN_THE_PAST = 1000
"""Rankers know no time: of what they find much is left out when the past is asked."""


class Question:
    """A question, asked once. `hits` and `factors` grow with what is looked at."""

    def __init__(
        self,
        workspace: Workspace,
        text: str,
        *,
        kinds: Sequence[str],
        depth: Depth,
        as_of: int | None = None,
        half_life_days: int = 0,
        with_everything: bool = False,
        rankers: Sequence[Ranker] = (),
    ) -> None:
        self._workspace = workspace
        self.text = make_storable(text)
        self._kinds = tuple(kinds)
        self._depth = depth
        self._as_of = as_of
        self._half_life_days = half_life_days
        self._with_everything = with_everything
        self._rankers = rankers
        now_ms = workspace.clock.now_ms()
        self.now_ms = now_ms if as_of is None else min(as_of, now_ms)
        self.hits: dict[str, Hit] = {}
        self.factors: dict[str, float] = {}
        self._looked_at: set[str] = set()
        self.notices: list[Notice] = [*catch_up(workspace).notices]
        if "note" in kinds:
            self.notices += refresh_notes(workspace)

    def retrieve(self, limit: int, seen: Collection[str] = ()) -> list[Fused]:
        """All that may be shown, best first; what was seen already left out."""
        workspace = self._workspace
        rankers: list[Ranker] = [workspace.text]
        if self._depth != "quick":
            rankers.append(_Vectors(workspace, self.notices))
        rankers = list({one.name: one for one in (*rankers, *self._rankers)}.values())
        skipped = set(seen)

        def judge(keys: Sequence[str]) -> Mapping[str, float]:
            return self.judge([key for key in keys if key not in skipped])

        depth = DEFAULTS.depth if self._as_of is None else DEPTH_IN_THE_PAST
        settings = RetrieveSettings(
            limit, self._kinds, msgspec.structs.replace(DEFAULTS, depth=depth)
        )
        reorder = self._rank_again if self._depth == "deep" else None
        return retrieve(self.text, rankers, workspace.links, settings, judge=judge, reorder=reorder)

    def _rank_again(self, order: list[Fused]) -> list[Fused]:
        workspace = self._workspace
        reorder = rerank_with(workspace.reranker, self.text, workspace.documents.get_passages)
        try:
            return reorder(order)
        except PartMissing as error:
            said = f"not ranked again: {error.message} ({error.hint})"
            self.notices.append(Notice("no-reranker", said))
            return order

    def judge(self, keys: Sequence[str]) -> Mapping[str, float]:
        """What their scores are multiplied with, of those that may be shown."""
        unknown = [key for key in keys if key not in self._looked_at]
        self._looked_at.update(unknown)
        loaded = load_hits(
            self._workspace, unknown, as_of=self._as_of, with_reason=not self._with_everything
        )
        for key, hit in loaded.items():
            if self._may_show(hit):
                self.hits[key] = hit
                self.factors[key] = weigh(hit, self.now_ms, self._half_life_days)
        return {key: self.factors[key] for key in keys if key in self.factors}

    def _may_show(self, hit: Hit) -> bool:
        if hit.state == "redacted" or hit.kind == "tombstone":
            return False
        return self._with_everything or hit.state not in WITHDRAWN

    def measure_coverage(self, keys: Sequence[str]) -> Mapping[str, int]:
        """How much of the question each document has, per mille."""
        return self._workspace.text.measure_coverage(self.text, keys)

    def accept_all(self, one: Fused) -> bool:
        """The gate that is always open."""
        return True

    def find_floor(self, min_similarity: int | None) -> Callable[[Fused], bool]:
        """What a search may show: all that has a word of it, or is linked; what only vectors
        found, which find something for any text, where it is similar enough."""
        gate = min_similarity if min_similarity is not None else self._get_measured_gate()

        def passes(one: Fused) -> bool:
            return bool(one.chain) or any(
                vote.ranker != "vectors" or gate is None or vote.score * 1000 >= gate
                for vote in one.votes
            )

        return passes

    def find_gate(
        self, order: Sequence[Fused], min_similarity: int | None
    ) -> Callable[[Fused], bool]:
        """What has to do with the question: similar enough by vectors, or with enough of its
        words. A linked document stands and falls with the one that links to it."""
        gate = min_similarity if min_similarity is not None else self._get_measured_gate()
        has_vectors = gate is not None and any(
            vote.ranker == "vectors" for one in order for vote in one.votes
        )
        least = SURE_COVERAGE if has_vectors else LEAST_COVERAGE
        coverage = self.measure_coverage([one.key for one in order[:GATED]])
        passing = {key for key, share in coverage.items() if share >= least}
        if gate is not None:
            for one in order:
                if any(v.ranker == "vectors" and v.score * 1000 >= gate for v in one.votes):
                    passing.add(one.key)
        return lambda one: (one.chain[0].start if one.chain else one.key) in passing

    def _get_measured_gate(self) -> int | None:
        try:
            return self._workspace.vectors.gate
        except (PartMissing, Damaged):
            return None


class _Vectors:
    """The vectors as a ranker that says what it lacks, and then finds nothing."""

    name = "vectors"

    def __init__(self, workspace: Workspace, notices: list[Notice]) -> None:
        self._workspace = workspace
        self._notices = notices

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        if not list_words(question):
            return []  # no text means anything, and some document is near to every vector
        ranked, notices = try_rank_vectors(self._workspace, question, kinds, limit)
        self._notices += notices
        return ranked
