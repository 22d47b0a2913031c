"""What retrieval asks of the outside world: rankers, links, passages and vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
        they are rare, a word that no document has counts, too, and a question of few words
        is never covered whole."""
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


class VectorUpkeep(Protocol):
    """What looks after vectors, beside asking for them; none of it loads a model."""

    def check(self) -> None:
        """Raises PartMissing or Damaged where nothing can be embedded, as far as a look at
        what is installed tells."""
        ...

    def iter_keys(self, kind: str) -> Iterator[str]:
        """The documents of a kind that have a vector."""
        ...

    def clear(self, *, only_other_stamps: bool) -> int:
        """Delete the vectors of every other stamp, or of all; how many stamps there were."""
        ...

    def set_gate(self, per_mille: int, how: str) -> None:
        """Keep the measured gate with the stamp; `how` says on what it was measured."""
        ...


class VectorExchange(Protocol):
    """Vectors that go to other clones, and come from them."""

    def read_vectors(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Key → vector (as an Embedder gives it), of those that have one."""
        ...

    def keep_vectors(self, vectors: Iterable[tuple[str, bytes]]) -> int:
        """Keep (key, vector) pairs that were made elsewhere under the same stamp, durably; the
        number added. Raises CannotWrite, Contended."""
        ...

    def prepare(self, question: str) -> None:
        """Embed a question ahead, for all indexes that share this one's model."""
        ...

    def is_like_ours(self, passages: Sequence[Passage], vectors: Sequence[bytes]) -> bool:
        """Whether the model here makes the like of these vectors of these texts, as far as
        eight bits a number and another processor let it. Loads the model."""
        ...


class VectorIndex(VectorUpkeep, VectorExchange, Protocol):
    """The vectors of one memory under one stamp, and the embedder that makes them.

    What embeds raises PartMissing where the optional part or the model is not here, and
    Damaged where the model file is not what it should be; the caller then answers without.
    The rest works without them, `forget` above all.
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
        """Drop vectors (of redacted records, of notes that are gone) under every stamp: their
        bytes are gone afterwards. Raises CannotWrite, Contended."""
        ...

    def count(self) -> int: ...
