"""Sets as files: the ones shipped or made here are whole, and no line is read without bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sets.make_chains import make_chains
from gitmem.app import labelled_files
from gitmem.app.labelled_files import read_set
from gitmem.errors import UsageError

OWN = Path(__file__).parents[2] / "benchmarks" / "sets" / "own"


def test_the_set_of_this_projects_own_memory_is_whole() -> None:
    found = read_set(OWN)
    assert len(found.queries) >= 30
    assert sum(len(query.relevant) > 1 for query in found.queries) >= 5
    assert found.dangling == 0


def test_chains_are_made_the_same_each_time_with_three_lengths(tmp_path: Path) -> None:
    for name in "ab":
        make_chains(tmp_path / name, is_branching=True)
    for file in ("docs.jsonl", "queries.jsonl", "links.jsonl"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    found = read_set(tmp_path / "a")
    assert {query.hops for query in found.queries} == {1, 2, 3}
    assert all(len(query.relevant) == (query.hops or 0) + 1 for query in found.queries)


def test_a_huge_line_is_named_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_files, "MAX_LINE_BYTES", 1024 * 1024)
    (tmp_path / "docs.jsonl").write_bytes(b'{"id": 1}\n' + b"x" * (1024 * 1024 + 1))
    (tmp_path / "queries.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match=r"docs.jsonl:2: longer than 1 MiB"):
        read_set(tmp_path)


def test_the_form_of_public_benchmarks_is_found_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "title": "T", "text": "t"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "one"}\n')
    (tmp_path / "qrels").mkdir()
    with pytest.raises(UsageError, match=r"test.tsv cannot be read"):
        read_set(tmp_path)
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert read_set(tmp_path).queries[0].relevant == ("d",)
