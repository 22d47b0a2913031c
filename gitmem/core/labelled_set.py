"""A labelled set: documents, the links between them, and queries with what answers each.

The format is one JSON object a line, in `docs.jsonl`, `queries.jsonl` and `links.jsonl`; the
form of the BEIR benchmarks (`corpus.jsonl`, `queries.jsonl`, tables of judgements) is read,
too. docs/evaluation.md describes both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from gitmem.errors import UsageError

Id = int | str
Lines = Iterable[tuple[int, bytes]]
"""The lines of a file with their numbers from 1."""
T = TypeVar("T")


class Document(msgspec.Struct, frozen=True):
    """`id` is a number or any text, and names the same document either way."""

    id: Id
    title: str = ""
    text: str = ""


class Query(msgspec.Struct, frozen=True):
    """A question, the ids of the documents that answer it together, and, where they are found
    one by another, over how many links (`hops`)."""

    query: str
    relevant: tuple[Id, ...]
    category: str = ""
    hops: int | None = None


class DirectedLink(msgspec.Struct, frozen=True):
    """A link that the author of `start` wrote."""

    start: Id = msgspec.field(name="from")
    end: Id = msgspec.field(name="to")


class LabelledSet(msgspec.Struct, frozen=True):
    """A set that can be measured with: neither documents nor queries are empty. Ids are the
    text of what was read. `dangling` is how many links were left out, since they lead to no
    document."""

    documents: Mapping[str, Document]
    queries: tuple[Query, ...]
    links: tuple[tuple[str, str], ...]
    dangling: int = 0


class _BeirDocument(msgspec.Struct):
    id: str = msgspec.field(name="_id")
    title: str = ""
    text: str = ""


class _BeirQuery(msgspec.Struct):
    id: str = msgspec.field(name="_id")
    text: str


def parse_set(docs: Lines, queries: Lines, links: Lines) -> LabelledSet:
    """Raises UsageError, naming file and line, for what cannot be measured with."""
    documents = _index("docs.jsonl", _parse("docs.jsonl", docs, Document))
    asked: list[Query] = []
    for number, query in _parse("queries.jsonl", queries, Query):
        where = f"queries.jsonl:{number}"
        if not query.query.strip():
            raise UsageError(f"{where}: the query is empty")
        if not query.relevant:
            raise UsageError(f"{where}: no document is relevant, so nothing can be measured")
        for one in query.relevant:
            _check(one, documents, where)
        asked.append(query)
    said = [(str(one.start), str(one.end)) for _, one in _parse("links.jsonl", links, DirectedLink)]
    edges = [one for one in said if one[0] in documents and one[1] in documents]
    return _build(documents, asked, edges, dangling=len(said) - len(edges))


def parse_beir(corpus: Lines, queries: Lines, judgements: Lines) -> LabelledSet:
    """The same from the form of BEIR; queries that nobody judged are left out."""
    documents = _index(
        "corpus.jsonl",
        (
            (number, Document(one.id, one.title, one.text))
            for number, one in _parse("corpus.jsonl", corpus, _BeirDocument)
        ),
    )
    relevant: dict[str, list[Id]] = {}
    for number, line in judgements:
        fields = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
        where = f"qrels:{number}"
        if number == 1 and fields[-1:] == ["score"]:
            continue
        if len(fields) != 3 or not fields[2].lstrip("-").isdecimal():
            raise UsageError(f"{where}: not query, document and score between tabs")
        if int(fields[2]) > 0:
            _check(fields[1], documents, where)
            relevant.setdefault(fields[0], []).append(fields[1])
    asked = [
        Query(one.text, tuple(relevant[one.id]))
        for _, one in _parse("queries.jsonl", queries, _BeirQuery)
        if one.id in relevant
    ]
    return _build(documents, asked, [])


def _build(
    documents: Mapping[str, Document],
    queries: list[Query],
    links: list[tuple[str, str]],
    *,
    dangling: int = 0,
) -> LabelledSet:
    if not documents:
        raise UsageError("the set has no documents, so nothing can be measured")
    if not queries:
        raise UsageError("the set has no queries, so nothing can be measured")
    return LabelledSet(documents, tuple(queries), tuple(links), dangling)


def _index(file: str, documents: Iterable[tuple[int, Document]]) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for number, one in documents:
        if str(one.id) in found:
            raise UsageError(f"{file}:{number}: a second document with the id {one.id!r}")
        found[str(one.id)] = one
    return found


def _check(one: Id, documents: Mapping[str, Document], where: str) -> None:
    if str(one) not in documents:
        raise UsageError(f"{where}: there is no document {one!r}")


def _parse(file: str, lines: Lines, kind: type[T]) -> Iterator[tuple[int, T]]:
    decode: Callable[[bytes], T] = msgspec.json.Decoder(kind).decode
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield number, decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{file}:{number}: {error}") from None
