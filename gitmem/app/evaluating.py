"""Wiring of evaluation: a labelled set as notes of a vault, in a cache that ends with it."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gitmem.app.adapters import load
from gitmem.cache.building import open_memory_cache
from gitmem.cache.full_text import CacheFullText
from gitmem.cache.links import CacheLinks
from gitmem.cache.notes import CacheNotes
from gitmem.config import Settings
from gitmem.core.chunking import build_chunks
from gitmem.core.labelled_set import Document, LabelledSet
from gitmem.core.notes import Link, Note
from gitmem.core.ranking import Passage, format_key
from gitmem.errors import CannotWrite, Contended, Damaged, GitmemError, PartMissing, RemoteError
from gitmem.services.evaluate import Corpus

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Ranker, VectorIndex

VAULT = "set"
FOLDER = "eval"
_MISSING = (PartMissing, Damaged, Contended, RemoteError)


@contextlib.contextmanager
def open_corpus(
    labelled: LabelledSet,
    settings: Settings,
    environ: Mapping[str, str],
    report: Callable[[str, int, int], None],
) -> Iterator[tuple[Corpus, VectorIndex | None]]:
    """Index a set as `recall` indexes notes. Vectors are kept in the user's cache folder, by
    content, so that a set is embedded once; None where there are none."""
    notes = build_notes(labelled)
    cache = open_memory_cache()
    try:
        CacheNotes(cache.db).replace_notes(VAULT, notes, ())
        documents = {
            format_key("note", chunk.id): name
            for name, note in zip(labelled.documents, notes, strict=True)
            for chunk in note.chunks
        }
        rankers: dict[str, Ranker] = {"text": CacheFullText(cache.db)}
        passages = load("cache-documents")(cache.db).get_passages(list(documents))
        with _open_vectors(passages, settings, environ, report) as (vectors, missing):
            if vectors is not None:
                rankers["vectors"] = vectors
            yield Corpus(labelled, rankers, CacheLinks(cache.db), documents, missing), vectors
    finally:
        cache.close()


def build_notes(labelled: LabelledSet) -> list[Note]:
    """Every document as a page; its links stand in its first chunk."""
    names = {name: f"{number:08d}" for number, name in enumerate(labelled.documents)}
    links: dict[str, list[Link]] = {}
    for start, end in dict.fromkeys(labelled.links):
        links.setdefault(start, []).append(Link(names[end], line=1, chunk=0))
    return [
        _build_note(f"{names[name]}.md", document, links.get(name, []))
        for name, document in labelled.documents.items()
    ]


def _build_note(path: str, document: Document, links: list[Link]) -> Note:
    """The title stands above each chunk: a text that begins with it says it twice."""
    title, text = document.title.strip(), document.text
    first, _, rest = text.partition("\n")
    body = rest if title and first.strip() == title else text
    chunks = build_chunks(VAULT, path, body if body.strip() else title, 1)
    return Note(
        VAULT, path, "", title, links=tuple(links), chunks=tuple(chunk for _, chunk in chunks)
    )


@contextlib.contextmanager
def _open_vectors(
    passages: list[Passage],
    settings: Settings,
    environ: Mapping[str, str],
    report: Callable[[str, int, int], None],
) -> Iterator[tuple[VectorIndex | None, GitmemError | None]]:
    with tempfile.TemporaryDirectory(prefix="gitmem-eval-") as scratch:
        homes = [Path(scratch)]
        if settings.cache_home is not None:
            homes.insert(0, settings.cache_home / FOLDER / _digest(passages))
        for home in homes:
            try:
                vectors = _embed(load("open-vectors")(home, settings, environ), passages, report)
            except CannotWrite as error:
                missing: GitmemError = error
                continue
            except _MISSING as error:
                missing = error
                break
            yield vectors, None
            return
        yield None, missing


def _embed(
    vectors: VectorIndex, passages: list[Passage], report: Callable[[str, int, int], None]
) -> VectorIndex:
    vectors.check()
    lacking = set(vectors.list_missing([one.key for one in passages]))
    # Of about one length a batch: the model pads all to the longest.
    coming = sorted((one for one in passages if one.key in lacking), key=lambda one: len(one.text))
    vectors.add(coming, lambda done: report("embedding", done, len(coming)))
    return vectors


def _digest(passages: list[Passage]) -> str:
    digest = hashlib.sha256()
    for one in passages:
        digest.update(f"{one.key}\0{one.text}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]
