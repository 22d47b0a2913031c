"""`gitmem eval` on small sets: its figures, its run file, its errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitmem.cli.main import run

DOCS: list[dict[str, Any]] = [
    {"id": 1, "title": "Cache", "text": "Keyed by tenant."},
    {"id": "two words/é\t", "title": "Retry", "text": "Five times, with jitter."},
    {"id": 3, "title": "Queue", "text": "Bounded, and it drops the oldest."},
    *({"id": f"x{n}", "title": f"Other {n}", "text": "Nothing of interest."} for n in range(12)),
]
QUERIES: list[dict[str, Any]] = [
    {"query": "tenant cache", "relevant": [1]},
    {"query": "retry jitter", "relevant": ["two words/é\t", 3]},
]
LINKS = [{"from": "two words/é\t", "to": 3}]
NO_MODEL = ("GITMEM_EMBEDDING_FOLDER", "/nowhere/at/all")

Eval = Callable[..., tuple[int, Any, str]]


def write_set(
    folder: Path, docs: list[Any] = DOCS, queries: list[Any] = QUERIES, links: list[Any] = LINKS
) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in (("docs", docs), ("queries", queries), ("links", links)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


@pytest.fixture
def evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Eval:
    """Run `gitmem eval … --json` without a model and outside any repository: exit code, JSON,
    and what was said on stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(*NO_MODEL)

    def call(*words: str) -> tuple[int, Any, str]:
        capfd.readouterr()
        code = run(["eval", *words, "--json"])
        out, err = capfd.readouterr()
        return code, json.loads(out), err

    return call


def test_without_a_model_words_and_links_are_measured_and_it_says_so(
    tmp_path: Path, evaluate: Eval
) -> None:
    code, answer, _ = evaluate(str(write_set(tmp_path / "set")))
    assert code == 0
    data = answer["data"]
    assert data["in_use"] == "linked"
    assert list(data["arms"]) == ["text", "linked"]
    assert [one["code"] for one in answer["warnings"]] == ["model-missing"]
    text, linked = data["arms"]["text"], data["arms"]["linked"]
    assert text["recall@10"] == pytest.approx(0.75)
    assert text["all@10"] == 0.5
    assert linked["recall@10"] == linked["all@10"] == linked["all@8"] == 1.0
    assert linked["mrr"] == 1.0
    assert linked["hops"] == {
        "0": {"queries": 1, "all@8": 1.0, "recall@10": 1.0},
        "1": {"queries": 1, "all@8": 1.0, "recall@10": 1.0},
    }
    assert data["all_tokens"] > linked["tokens"] > 0
    assert {"recall@5", "ndcg@10", "ms_per_query"} <= set(linked)


def test_the_run_is_at_least_ten_deep_in_the_order_of_the_queries_with_ids_as_they_were(
    tmp_path: Path, evaluate: Eval
) -> None:
    many = [{"id": n, "title": f"Page {n}", "text": "the same word"} for n in range(30)]
    asked = [{"query": "same word", "relevant": [0]}, {"query": "page", "relevant": [1]}]
    folder = write_set(tmp_path / "set", many, asked, [])
    code, _, _ = evaluate(str(folder), "--arm", "text", "--run", "run.jsonl")
    assert code == 0
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [row["query"] for row in rows] == ["same word", "page"]
    for row in rows:
        assert len(row["ranked"]) == len(set(row["ranked"])) >= 10
        assert all(isinstance(one, int) for one in row["ranked"])


def test_figures_are_the_same_again_but_for_time(tmp_path: Path, evaluate: Eval) -> None:
    folder = str(write_set(tmp_path / "set"))
    answers = []
    for _ in range(2):
        data = evaluate(folder, "--run", "run.jsonl")[1]["data"]
        for figures in data["arms"].values():
            del figures["ms_per_query"]
        answers.append((data, (tmp_path / "run.jsonl").read_bytes()))
    assert answers[0] == answers[1]


def test_the_order_of_the_files_does_not_change_the_figures(tmp_path: Path, evaluate: Eval) -> None:
    there = evaluate(str(write_set(tmp_path / "a")))[1]["data"]["arms"]["linked"]
    back = write_set(tmp_path / "b", DOCS[::-1], QUERIES[::-1], LINKS[::-1])
    here = evaluate(str(back))[1]["data"]["arms"]["linked"]
    assert here | {"ms_per_query": 0} == there | {"ms_per_query": 0}


def test_an_arm_that_needs_a_model_alone_is_an_error_that_names_it(
    tmp_path: Path, evaluate: Eval
) -> None:
    code, answer, _ = evaluate(str(write_set(tmp_path / "set")), "--arm", "vectors")
    assert code == 9
    assert answer["error"]["code"] == "model-missing"


def test_in_use_is_a_name_for_what_recall_does(tmp_path: Path, evaluate: Eval) -> None:
    code, answer, _ = evaluate(str(write_set(tmp_path / "set")), "--arm", "in_use")
    assert code == 0
    assert list(answer["data"]["arms"]) == [answer["data"]["in_use"]]


@pytest.mark.parametrize("empty", ["docs", "queries"])
def test_an_empty_set_is_an_error_and_not_perfect(
    tmp_path: Path, evaluate: Eval, empty: str
) -> None:
    folder = write_set(tmp_path / "set")
    (folder / f"{empty}.jsonl").write_bytes(b"\n")
    code, answer, err = evaluate(str(folder))
    assert code == 2
    assert answer["error"]["code"] == "usage"
    assert err == ""


def test_what_is_missing_is_named(tmp_path: Path, evaluate: Eval) -> None:
    code, answer, _ = evaluate("nowhere")
    assert code == 2
    assert "there is no such folder" in answer["error"]["message"]
    (tmp_path / "bare").mkdir()
    code, answer, _ = evaluate("bare")
    assert code == 2
    assert "docs.jsonl cannot be read: no such file" in answer["error"]["message"]


def test_a_set_without_links_is_whole(tmp_path: Path, evaluate: Eval) -> None:
    folder = write_set(tmp_path / "set")
    (folder / "links.jsonl").unlink()
    code, answer, _ = evaluate(str(folder))
    assert code == 0
    arms = answer["data"]["arms"]
    assert arms["linked"]["recall@10"] == arms["text"]["recall@10"]


def test_documents_without_any_text_are_not_found_and_harm_nothing(
    tmp_path: Path, evaluate: Eval
) -> None:
    blank = [{"id": "blank"}, {"id": "white", "title": " ", "text": " \n\t"}]
    folder = write_set(tmp_path / "set", [*blank, *DOCS], QUERIES, [{"from": 1, "to": "blank"}])
    code, answer, _ = evaluate(str(folder))
    assert code == 0
    assert answer["data"]["arms"]["text"]["mrr"] == 1.0


def test_a_long_document_counts_once(tmp_path: Path, evaluate: Eval) -> None:
    long = {"id": "long", "title": "Tenant", "text": "tenant cache. " * 2000}
    folder = write_set(tmp_path / "set", [long, *DOCS])
    evaluate(str(folder), "--run", "run.jsonl")
    first = json.loads((tmp_path / "run.jsonl").read_text().splitlines()[0])
    assert first["ranked"].count("long") == 1


@pytest.mark.parametrize("words", [["a", "b"], ["gate", "a", "b"], ["gate", "a", "--arm", "text"]])
def test_other_words_are_a_usage_error(evaluate: Eval, words: list[str]) -> None:
    code, answer, _ = evaluate(*words)
    assert code == 2
    assert answer["error"]["code"] == "usage"


def test_a_gate_needs_a_model(tmp_path: Path, evaluate: Eval) -> None:
    code, answer, _ = evaluate("gate", str(write_set(tmp_path / "set")))
    assert code == 9
    assert answer["error"]["code"] == "model-missing"


def test_the_table_is_for_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(*NO_MODEL)
    assert run(["eval", str(write_set(tmp_path / "set"))]) == 0
    out, err = capfd.readouterr()
    assert "15 documents, 1 link, 2 queries" in out
    assert "linked *" in out
    assert "measured without vectors" in err
