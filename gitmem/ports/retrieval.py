"""What retrieval asks of the outside world: rankers, links, passages and vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from gitmem.core.ranking import Neighbour, Passage, Ranked, Stamp


class Ranker(Protocol):
    """Orders documents by a question. Any text is a safe question."""

    @property
    def name(self) -> str:
        """`text`, `vectors`, …: how answers name it."""
        ...

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        """The best documents of these kinds, best first; ties in the order of keys. The same
        memory and question give the same answer on every machine."""
        ...


class TextRanker(Ranker, Protocol):
    """The full-text ranker, which knows its words."""

    def measure_coverage(self, question: str, keys: Sequence[str]) -> Mapping[str, int]:
        """Of each document how much of the question it has, per mille: words weigh as much as
        they are rare, and a word that no document has counts, too."""
        ...


class Reranker(Protocol):
    """Orders passages that are at hand: one BM25 over a pool, or a cross-encoder."""

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Ranked]:
        """All of them, best first."""
        ...


class Links(Protocol):
    """Who is linked to whom, by links that somebody wrote."""

    def list_neighbours(
        self, keys: Sequence[str], *, most: int
    ) -> Mapping[str, Sequence[Neighbour]]:
        """For each key its neighbours, both ways, in a fixed order. A document with more than
        `most` of them is a hub: its neighbours are left out, since they tell nothing."""
        ...


class Embedder(Protocol):
    """Text → vectors. Nothing is downloaded; what is missing is a typed error at once."""

    @property
    def stamp(self) -> Stamp: ...

    def embed(self, texts: Sequence[str], *, is_question: bool = False) -> list[bytes]:
        """One vector a text: `stamp.dimension` little-endian float32 of length 1."""
        ...


class VectorIndex(Protocol):
    """The vectors of one memory under one stamp, and the embedder that makes them.

    Every method raises PartMissing where the optional part or the model is not here, and
    Damaged where the model file is not what it should be; the caller then answers without.
    """

    @property
    def name(self) -> str: ...

    @property
    def stamp(self) -> Stamp: ...

    @property
    def gate(self) -> int | None:
        """The similarity, per mille, below which a prompt and a document have nothing to do
        with each other; None where it was never measured for this stamp."""
        ...

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        """A Ranker by exact cosine similarity; scores are cosines."""
        ...

    def list_missing(self, keys: Iterable[str]) -> list[str]:
        """Those keys that have no vector yet, in the order given."""
        ...

    def add(self, passages: Iterable[Passage], report: Callable[[int], None]) -> int:
        """Embed and keep, durably and in batches: interrupted, what was reported stays. The
        number added."""
        ...

    def forget(self, keys: Iterable[str]) -> None:
        """Drop vectors (of redacted records, of notes that are gone)."""
        ...

    def count(self) -> int: ...
