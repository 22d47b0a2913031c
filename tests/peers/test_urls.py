"""Peers by URL: only their memory moves, once, and no code of theirs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.peers.conftest import Town
from tests.support.commandline import Clone
from tests.support.servers import Server, serve_http_basic, serve_http_open, serve_silence

CACHE = ("billing", "Cache keyed by tenant")


def read_kept(town: Town) -> bytes:
    """All bytes of all objects that were fetched."""
    (mirror,) = town.kept.glob("*/mirror.git")
    listed = town.shop.git(
        f"--git-dir={mirror}", "cat-file", "--batch-all-objects", "--batch-check"
    )
    rows = [row.split() for row in listed.splitlines()]
    oids = "\n".join(row[0] for row in rows).encode()
    out = town.shop.git(f"--git-dir={mirror}", "cat-file", "--batch", stdin=oids)
    return out.encode("utf-8", "surrogateescape")


def count_calls(town: Town, tmp_path: Path, *words: str) -> list[str]:
    """The verbs of all calls of git that `peers WORDS` makes to a server."""
    log = tmp_path / "calls"
    script = tmp_path / "bin" / "git"
    script.parent.mkdir(exist_ok=True)
    real = town.shop.git("--exec-path") + "/git"
    script.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
    script.chmod(0o755)
    log.write_text("")
    town.peers(*words, env={"PATH": f"{script.parent}:{os.environ['PATH']}"}).ok()
    return re.findall(r" (ls-remote|fetch) ", log.read_text())


def test_only_the_memory_is_fetched_and_it_answers(town: Town, server: Server) -> None:
    done = town.peers("add", server.url("billing.git")).ok()
    assert "6 records" in done.out
    assert CACHE in town.hits("src/app.py")
    kept = read_kept(town)
    assert b"Cache keyed by tenant" in kept
    assert b"code of billing" not in kept and b"secret_code.txt" not in kept
    (row,) = town.list()
    assert row["remote_key"] == "127.0.0.1/billing"


def test_reviewed_and_unreviewed_are_told_apart_without_the_branch(
    town: Town, server: Server
) -> None:
    town.peers("add", server.url("billing.git")).ok()
    rows = {hit["summary"]: hit for hit in town.why("src/app.py", "--all")["data"]["hits"]}
    assert not rows[CACHE[1]]["unreviewed"] and rows[CACHE[1]]["where"] == "here"
    assert rows["Drop the cache"]["unreviewed"]


def test_nothing_new_costs_one_list_of_refs_and_new_records_come(
    town: Town, server: Server, tmp_path: Path
) -> None:
    town.peers("add", server.url("billing.git")).ok()
    assert count_calls(town, tmp_path, "pull") == ["ls-remote"]
    town.billing.decide("Cache for an hour", "src/app.py")
    town.billing.git("push", "-q", "origin", "main")
    town.billing.gitmem("push").ok()
    assert ("billing", "Cache for an hour") not in town.hits("src/app.py")
    assert count_calls(town, tmp_path, "pull", "billing") == ["ls-remote", "fetch"]
    assert ("billing", "Cache for an hour") in town.hits("src/app.py")


def test_a_question_reaches_no_network(town: Town, server: Server, tmp_path: Path) -> None:
    town.peers("add", server.url("billing.git")).ok()
    mark = tmp_path / "asked"
    for name in ("git", "ssh"):
        script = tmp_path / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f'#!/bin/sh\necho "$@" >> {mark}\nexit 1\n')
        script.chmod(0o755)
    town.why("src/app.py")
    answer = town.shop.gitmem("why", "src/app.py", env={"PATH": str(tmp_path / "bin")}).ok()
    assert CACHE[1] in answer.out
    said = mark.read_text() if mark.exists() else ""
    assert "ls-remote" not in said and "fetch" not in said


def test_a_writers_ref_that_is_gone_there_is_gone_here(town: Town, server: Server) -> None:
    other = type(town.billing)(town.root / "other", "Bob")
    town.billing.git("clone", "-q", str(town.bare), str(other.path))
    other.gitmem("capture", "-m", "Bob was here", "src/app.py").ok()
    other.gitmem("push").ok()
    town.peers("add", server.url("billing.git")).ok()
    assert ("billing", "Bob was here") in town.hits("src/app.py", "--all")
    writer = (other.home / "writer").read_text().strip()
    town.billing.git("push", "-q", "origin", f":refs/gitmem/w/{writer}")
    town.peers("pull").ok()
    assert ("billing", "Bob was here") not in town.hits("src/app.py", "--all")


def clone_as(town: Town, name: str) -> Clone:
    """Somebody else's clone of billing."""
    other = type(town.billing)(town.root / name, name)
    town.billing.git("clone", "-q", str(town.bare), str(other.path))
    return other


def revert_last(clone: Clone) -> None:
    clone.git("revert", "--no-edit", "HEAD")
    clone.git("push", "-q", "origin", "HEAD:main")


@pytest.mark.parametrize("order", ["seen", "unseen"])
def test_a_writer_that_is_behind_does_not_keep_what_the_branch_took_back(
    town: Town, server: Server, order: str
) -> None:
    """Bob saw a decision on the default branch that was reverted since, and never pushed again.
    Where Ada's chain shows that she saw it, too, he is behind; otherwise nobody can tell."""
    billing = town.billing
    billing.decide("Taken back soon", "src/brief.py")
    billing.git("push", "-q", "origin", "main")
    if order == "seen":
        billing.gitmem("push").ok()
    bob = clone_as(town, "bob")
    bob.gitmem("capture", "-m", "Bob was here", "src/app.py").ok()
    bob.gitmem("push").ok()
    revert_last(billing)
    billing.gitmem("capture", "-m", "Ada goes on", "src/app.py").ok()
    billing.gitmem("push").ok()
    town.peers("add", server.url("billing.git")).ok()
    rows = {hit["summary"]: hit for hit in town.why("src/brief.py", "--all")["data"]["hits"]}
    said = rows.get("Taken back soon")
    if order == "seen":
        assert said is None or said["unreviewed"]
    else:
        assert said is not None and not said["unreviewed"]
    town.peers("add", server.url("billing.git"), "--with-code").ok()
    rows = {hit["summary"]: hit for hit in town.why("src/brief.py", "--all")["data"]["hits"]}
    told = rows.get("Taken back soon")
    assert told is None or told["unreviewed"]


def drop_writers(town: Town) -> None:
    refs = town.shop.git(
        f"--git-dir={town.bare}", "for-each-ref", "--format=%(refname)", "refs/gitmem"
    )
    for ref in refs.split():
        town.shop.git(f"--git-dir={town.bare}", "update-ref", "-d", ref)


def test_without_writers_the_folder_of_the_default_branch_is_fetched_alone(
    town: Town, server: Server, tmp_path: Path
) -> None:
    drop_writers(town)
    town.shop.git(f"--git-dir={town.bare}", "config", "uploadpack.allowFilter", "true")
    done = town.peers("add", server.url("billing.git")).ok()
    assert "from the folder on its default branch" in done.out
    assert CACHE in town.hits("src/app.py")
    kept = read_kept(town)
    assert b"code of billing" not in kept
    assert count_calls(town, tmp_path, "pull") == ["ls-remote"]
    town.billing.decide("Cache for an hour", "src/app.py")
    town.billing.git("push", "-q", "origin", "main")
    town.peers("pull").ok()
    assert ("billing", "Cache for an hour") in town.hits("src/app.py")
    assert town.shop.gitmem("--in", "billing", "why", "src/app.py").ok().out


def test_without_writers_and_filters_it_says_so_and_takes_the_code_only_if_told(
    town: Town, server: Server
) -> None:
    drop_writers(town)
    done = town.peers("add", server.url("billing.git"), "--json").ends(5)
    assert "--with-code" in done.error["hint"]
    assert town.list() == []
    town.peers("add", server.url("billing.git"), "--with-code").ok()
    assert CACHE in town.hits("src/app.py")
    assert b"code of billing" in read_kept(town)


def test_each_failure_is_told_apart(town: Town, server: Server) -> None:
    town.peers("add", server.url("billing.git")).ok()
    town.peers("add", str(town.billing.path), "--alias", "near").ok()
    file = town.home / ".config" / "gitmem" / "peers.toml"
    file.write_text(file.read_text() + '\n[peers.gone]\naddress = "git://127.0.0.1:1/x"\n')
    done = town.peers("pull", "--all", "--json")
    assert done.code == 5
    rows = {row["alias"]: row for row in done.json["data"]["peers"]}
    assert rows["billing"]["error"] is None and rows["near"]["error"] is None
    assert rows["gone"]["error"]["code"] == "remote-unreachable"
    done = town.peers("pull", "gone", "--json").ends(5)
    assert done.error["code"] == "remote-unreachable"


def test_a_server_that_never_answers_ends_the_pull_in_time(town: Town) -> None:
    with serve_silence() as port:
        done = town.peers(
            "add", f"git://127.0.0.1:{port}/x.git", env={"GITMEM_SYNC_TIMEOUT_SECONDS": "1"}
        )
    assert done.code == 5
    assert not list(town.kept.glob("*/mirror.git"))


def test_a_password_in_an_address_is_used_once_and_kept_nowhere(town: Town, tmp_path: Path) -> None:
    with serve_http_basic(town.root, tmp_path / "server-home") as server:
        done = town.peers("add", server.url("billing.git"), "--alias", "private").ok()
        assert CACHE[1] in town.shop.gitmem("why", "src/app.py").out
        listed = town.peers("list").out + town.peers("list", "--json").out
        refused = town.peers("pull", "--json").ends(5)
    for path in town.home.rglob("*"):
        if path.is_file():
            assert server.secret.encode() not in path.read_bytes(), path
    assert server.secret not in done.all + listed + refused.all
    assert refused.json["data"]["peers"][0]["error"]["code"] == "auth-refused"


@pytest.mark.parametrize("serve", [serve_http_open])
def test_http_works_without_git_too(
    town: Town, tmp_path: Path, serve: Callable[..., object]
) -> None:
    with serve(town.root, tmp_path / "server-home") as running:  # type: ignore[attr-defined]
        done = town.peers(
            "add", running.url("billing.git"), env={"GITMEM_SYNC_TRANSPORT": "dulwich"}
        ).ok()
    assert "6 records" in done.out
    assert CACHE in town.hits("src/app.py")


def test_addresses_of_one_repository_have_one_identity(town: Town, server: Server) -> None:
    town.peers("add", server.url("billing.git")).ok()
    town.peers("add", server.url("billing.git") + "/", "--alias", "again").ok()
    rows = town.list()
    assert {row["remote_key"] for row in rows} == {"127.0.0.1/billing"}
    assert rows[0]["same_as"] == ["billing"] and rows[1]["same_as"] == ["again"]
