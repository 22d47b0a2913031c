"""The public Python interface: its names, its words, and that it works."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest

import gitmem
from gitmem.__main__ import main
from gitmem.core.ranking import Ranked, Stamp
from gitmem.errors import NoMemory, NoRepository, UsageError
from tests.conftest import Repo

SIGNATURES = {
    "why": "(target, *, limit=5, show_all=False, with_history=True, peers=False)",
    "capture": (
        "(summary, *, why=None, type='decision', paths=(), rejected=(), supersedes=(), tags=(), "
        "private=False)"
    ),
    "search": ("(text, *, limit=10, scope='all', depth='standard', as_of=None, explain=False)"),
    "recall": (
        "(question, *, limit=8, max_tokens=2000, depth='standard', gated=False, explain=False, "
        "seen=(), peers=False)"
    ),
    "answer": "(question, *, limit=8, max_tokens=2000)",
    "related": "(target, *, limit=10)",
    "changelog": "(*words, tag=None, unreleased=False)",
    "impact": "(target, *, kind=None, limit=20)",
    "pull": "(remote=None)",
    "push": "(remote=None)",
    "close": "()",
}


def bare_signature(method: Callable[..., object]) -> str:
    parameters = [
        p.replace(annotation=p.empty)
        for p in inspect.signature(method).parameters.values()
        if p.name != "self"
    ]
    return str(inspect.Signature(parameters))


def test_the_names_and_words_are_the_published_ones() -> None:
    public = {name for name in vars(gitmem.OpenMemory) if not name.startswith("_")}
    assert public == set(SIGNATURES)
    for name, words in SIGNATURES.items():
        assert bare_signature(getattr(gitmem.OpenMemory, name)) == words
    assert bare_signature(gitmem.open_memory) == (
        "(path='.', *, retriever=None, embedder=None, compactor=None, reader=None)"
    )
    assert gitmem.__all__ == ["OpenMemory", "__version__", "open_memory"]


def test_the_page_names_every_method() -> None:
    page = (Path(__file__).parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
    for name, words in SIGNATURES.items():
        assert f"`{name}{words.replace(chr(39), chr(34))}`" in page


def test_a_decision_goes_round(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    bare = make_repo("bare.git", "--bare")
    ada = make_repo("ada")
    ada.commit("Add a cache", **{"cache.py": "x = 1\n"})
    ada.git("remote", "add", "origin", str(bare.path))
    ada.git("push", "-q", "origin", "main")
    with gitmem.open_memory(ada.path) as memory, pytest.raises(NoMemory):
        memory.capture("Too early", paths=["cache.py"])
    run_init(ada)
    with gitmem.open_memory(ada.path / ".git" / "..") as memory:
        done = memory.capture(
            "Cache keyed by tenant",
            why="Two tenants shared a row.",
            paths=["cache.py:1-1"],
            rejected=[("global cache", "leaks")],
            tags=["cache"],
        )
        assert memory.why("cache.py").hits[0].id == done.id
        pushed = memory.push()
        assert (pushed.pushed, pushed.confirmed) == (1, True)
    ada.git("clone", "-q", str(bare.path), str(tmp_path / "ben"))
    with gitmem.open_memory(tmp_path / "ben") as memory:
        assert memory.pull().added == 1
        hit = memory.why("cache.py").hits[0]
        assert (hit.id, hit.why, hit.where) == (done.id, "Two tenants shared a row.", "elsewhere")
        assert [found.id for found in memory.search("tenants").hits] == [done.id]


def run_init(repo: Repo) -> None:

    assert main(["-q", "-C", str(repo.path), "init", "--yes"]) == 0


def test_retrieval_takes_parts_that_a_caller_brings(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("ada")
    oid = repo.commit("Add a cache, because the database was slow", **{"cache.py": "x = 1\n"})

    class Oracle:
        name = "oracle"

        def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
            return [Ranked(f"commit:{oid}", 1.0)]

    class Letters:
        stamp = Stamp("letters", "0" * 64, 26, "none")

        def embed(self, texts: Sequence[str], *, is_question: bool = False) -> list[bytes]:
            rows = [[float(text.lower().count(chr(97 + n))) for n in range(26)] for text in texts]
            norms = [sum(x * x for x in row) ** 0.5 or 1.0 for row in rows]
            return [
                struct.pack("<26f", *(x / n for x in r)) for r, n in zip(rows, norms, strict=True)
            ]

    with gitmem.open_memory(
        repo.path,
        retriever=Oracle(),
        embedder=Letters(),
        compactor=lambda question, text, tokens: text[: 4 * tokens],
        reader=lambda question, excerpts: f"{question} {len(excerpts)}",
    ) as memory:
        found = memory.recall("zebra", max_tokens=3, explain=True)
        assert [one.hit.commit for one in found.excerpts] == [oid]
        assert found.excerpts[0].text == "Add a cache,"
        assert found.excerpts[0].whole == f"gitmem show {oid[:12]}"
        assert found.excerpts[0].explain is not None
        voices = {vote.ranker for vote in found.excerpts[0].explain.votes}
        assert voices == {"oracle", "vectors"}
        assert memory.answer("zebra").text == "zebra 1"
        assert memory.search("zebra").hits[0].commit == oid
    with gitmem.open_memory(repo.path) as memory:
        said = memory.answer("slow database")
        assert "because the database was slow" in said.text and oid[:12] in said.text
        assert memory.recall("slow database", seen=[f"commit:{oid}"]).excerpts == ()
        with pytest.raises(UsageError, match="not a date"):
            memory.search("cache", as_of="yesterday")


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoRepository):
        gitmem.open_memory(tmp_path)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = gitmem.nonsense
