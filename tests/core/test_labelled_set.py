"""Labelled sets as they are read: what is taken, and the one clear error for what is not."""

from __future__ import annotations

import pytest

from gitmem.core.labelled_set import parse_beir, parse_set
from gitmem.errors import UsageError

DOCS = b'{"id": 1, "title": "A", "text": "a"}\n{"id": "x y/\xc3\xa9", "title": "B", "text": "b"}\n'
QUERIES = b'{"query": "q", "relevant": [1, "x y/\xc3\xa9"], "category": "c", "hops": 2}\n'
LINKS = b'{"from": 1, "to": "x y/\xc3\xa9"}\n{"from": 1, "to": "gone"}\n'


def lines(data: bytes) -> list[tuple[int, bytes]]:
    return list(enumerate(data.splitlines(keepends=True), 1))


def test_ids_are_numbers_or_any_text() -> None:
    found = parse_set(lines(DOCS), lines(QUERIES), lines(LINKS))
    assert [one.id for one in found.documents.values()] == [1, "x y/é"]
    assert found.queries[0].relevant == (1, "x y/é")
    assert found.queries[0].hops == 2


def test_a_link_to_no_document_is_counted_and_left_out() -> None:
    found = parse_set(lines(DOCS), lines(QUERIES), lines(LINKS))
    assert found.links == (("1", "x y/é"),)
    assert found.dangling == 1


@pytest.mark.parametrize(
    ("docs", "queries", "said"),
    [
        (b"", QUERIES, "queries.jsonl:1: there is no document 1"),
        (b"", b"", "the set has no documents"),
        (DOCS, b"\n\n", "the set has no queries"),
        (DOCS + b"not json\n", QUERIES, r"docs.jsonl:3: "),
        (DOCS + b"[1, 2]\n", QUERIES, r"docs.jsonl:3: "),
        (DOCS + b'{"id": true}\n', QUERIES, r"docs.jsonl:3: "),
        (DOCS + b'{"id": "\xff"}\n', QUERIES, r"docs.jsonl:3: "),
        (DOCS + b"[" * 5000 + b"\n", QUERIES, r"docs.jsonl:3: "),
        (DOCS + b'{"id": "1"}\n', QUERIES, "docs.jsonl:3: a second document with the id '1'"),
        (DOCS, QUERIES + b'{"query": "q", "relevant": [7]}\n', "queries.jsonl:2: .* document 7"),
        (DOCS, b'{"query": "q", "relevant": []}\n', "queries.jsonl:1: no document is relevant"),
        (DOCS, b'{"query": " ", "relevant": [1]}\n', "queries.jsonl:1: the query is empty"),
        (DOCS, b'{"relevant": [1]}\n', "queries.jsonl:1: .*query"),
    ],
)
def test_what_cannot_be_measured_with_is_named_by_file_and_line(
    docs: bytes, queries: bytes, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        parse_set(lines(docs), lines(queries), [])


CORPUS = b'{"_id": "d1", "title": "T", "text": "t"}\n{"_id": "d2", "text": "u"}\n'
ASKED = b'{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "nobody judged"}\n'
JUDGED = b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n"


def test_the_form_of_public_benchmarks_is_read() -> None:
    found = parse_beir(lines(CORPUS), lines(ASKED), lines(JUDGED))
    assert list(found.documents) == ["d1", "d2"]
    assert [(one.query, one.relevant) for one in found.queries] == [("one", ("d1",))]


@pytest.mark.parametrize("line", [b"q1\td1\n", b"q1\td1\tmuch\n", b"q1\tnone\t1\n"])
def test_a_judgement_that_says_nothing_is_named_by_its_line(line: bytes) -> None:
    with pytest.raises(UsageError, match="qrels:4"):
        parse_beir(lines(CORPUS), lines(ASKED), lines(JUDGED + line))
