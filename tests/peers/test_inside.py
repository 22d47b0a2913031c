"""Standing in a peer to read it, and the memory outside any repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peers.conftest import Town


def test_a_peer_answers_as_if_one_stood_in_it(asked: Town) -> None:
    inside = asked.shop.gitmem("--in", "billing", "--json", "why", "src/app.py").ok().data["hits"]
    there = asked.billing.gitmem("--json", "why", "src/app.py").ok().data["hits"]
    shown = [(hit["project"], hit["summary"], hit["commit"], hit["state"]) for hit in inside]
    assert shown == [(h["project"], h["summary"], h["commit"], h["state"]) for h in there]
    assert "Sessions in cookies" not in asked.shop.gitmem("--in", "billing", "log").ok().out


def test_it_is_the_default_branch_that_one_stands_on(asked: Town) -> None:
    asked.billing.git("checkout", "-q", "feat/x")
    rows = asked.shop.gitmem("--in", "billing", "--json", "log").ok().data["hits"]
    dropped = next(row for row in rows if row["summary"] == "Drop the cache")
    assert (dropped["where"], dropped["unreviewed"]) == ("elsewhere", True)
    status = asked.shop.gitmem("--in", "billing", "--json", "status").ok().data
    assert (status["branch"], status["records"], status["pending"]) == ("main", 6, 0)


@pytest.mark.parametrize(
    "words",
    [
        ["capture", "-m", "x"],
        ["push"],
        ["pull"],
        ["redact", "abcd"],
        ["maintain"],
        ["init", "--yes"],
        ["uninstall", "--yes"],
        ["hooks", "install"],
        ["peers", "pull"],
    ],
    ids=lambda words: words[0],
)
def test_what_writes_is_refused(asked: Town, words: list[str]) -> None:
    done = asked.shop.gitmem("--in", "billing", *words).ends(2)
    assert "only read" in done.err


def test_an_alias_that_is_none_is_refused(asked: Town) -> None:
    asked.shop.gitmem("--in", "nobody", "log").ends(4)


def test_a_memory_of_ones_own_is_written_from_anywhere_and_answers_everywhere(
    town: Town, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    run = town.shop.gitmem
    assert "init --user" in run("--in", "user", "log", cwd=outside).ends(3).err
    run("init", "--user", "--dry-run", cwd=outside).ok()
    assert not (town.home / ".local").exists()
    run("init", "--user", cwd=outside).ok()
    run("init", "--user", cwd=outside).ok()
    run("--in", "user", "capture", "-m", "Review acme-shop on Mondays", cwd=outside).ok()
    assert "Review acme-shop" in run("--in", "user", "log", cwd=outside).ok().out
    assert ("user", "Review acme-shop on Mondays") in town.hits("src/plain.py")
    assert [row["alias"] for row in town.list()] == ["user"]


def test_what_is_private_in_ones_own_memory_stays_there(town: Town) -> None:
    town.shop.gitmem("init", "--user").ok()
    town.shop.gitmem("--in", "user", "capture", "-m", "Of acme-shop, private", "--local").ok()
    assert all(project != "user" for project, _ in town.hits("src/plain.py"))


def test_a_detached_memory_is_a_peer_whole(town: Town) -> None:
    quiet = type(town.billing)(town.root / "quiet")
    quiet.path.mkdir()
    quiet.git("init", "-q", "-b", "main")
    quiet.commit("Begin", {"src/app.py": "x\n"})
    quiet.gitmem("init", "--detached", "--yes").ok()
    quiet.capture("Kept beside the tree", "src/app.py")
    town.peers("add", str(quiet.path)).ok()
    assert ("quiet", "Kept beside the tree") in town.hits("src/app.py")
    quiet.capture("And one more", "src/app.py")
    assert ("quiet", "And one more") in town.hits("src/app.py")
