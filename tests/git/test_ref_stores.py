"""The contract of RefStore, on every implementation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import Contended, Damaged, GitmemError
from gitmem.git.files import discover
from gitmem.git.process import Git
from gitmem.git.refs_dulwich import DulwichRefStore
from gitmem.git.refs_exec import ExecRefStore
from gitmem.git.refs_files import FileRefStore
from gitmem.ports.repository import RefStore, TreeChange
from tests.conftest import Repo

OWN = "refs/gitmem/w/0123456789abcdef"
AT = 1_767_322_985


def open_exec(path: Path) -> RefStore:
    layout = discover(path, os.environ)
    assert layout is not None
    return ExecRefStore(Git(layout.git_dir, layout.work_tree, os.environ))


def open_dulwich(path: Path) -> RefStore:
    return DulwichRefStore(path / ".git")


def open_files(path: Path) -> RefStore:
    layout = discover(path, os.environ)
    assert layout is not None
    return FileRefStore(layout, open_exec(path))


IMPLEMENTATIONS: dict[str, Callable[[Path], RefStore]] = {
    "exec": open_exec,
    "files": open_files,
    "dulwich": open_dulwich,
}


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def open_store(request: pytest.FixtureRequest) -> Callable[[Path], RefStore]:
    return IMPLEMENTATIONS[request.param]


@pytest.fixture(params=["sha1", "sha256"])
def any_repo(request: pytest.FixtureRequest, make_repo: Callable[..., Repo]) -> Repo:
    return make_repo("any", f"--object-format={request.param}")


def files_of(repo: Repo, commit: str) -> list[str]:
    return repo.git("ls-tree", "-r", "--name-only", commit).split("\n")


def test_a_first_commit_is_written_whole(
    any_repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    store = open_store(any_repo.path)
    changes = [
        TreeChange("records/2026-01/a.ndjson", b"one\n"),
        TreeChange("records/2026-02/b.ndjson", b"x" * 100_000),
        TreeChange("project.toml", b"format = 1\n"),
    ]
    oid = store.write_commit(changes, parent=None, message="records [skip ci]", at_seconds=AT)
    assert any_repo.git("fsck", "--strict", "--no-dangling", oid) == ""
    assert files_of(any_repo, oid) == [
        "project.toml",
        "records/2026-01/a.ndjson",
        "records/2026-02/b.ndjson",
    ]
    assert any_repo.git("cat-file", "-s", f"{oid}:records/2026-02/b.ndjson") == "100000"
    raw = any_repo.git("cat-file", "commit", oid).split("\n")
    assert raw[1:] == [
        f"author gitmem <gitmem@localhost> {AT} +0000",
        f"committer gitmem <gitmem@localhost> {AT} +0000",
        "",
        "records [skip ci]",
    ]
    assert store.list_refs("refs/") == {}


def test_a_commit_changes_only_what_it_says(
    any_repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    for name in ("keep", "a/deep/keep", "a/deep/gone", "a/lone/gone", "a.b", "a0"):
        any_repo.write(name, name)
    parent = any_repo.commit("parent")
    grafted = any_repo.git("rev-parse", "HEAD:a/deep")
    store = open_store(any_repo.path)
    changes = [
        TreeChange("a/deep/new", b"new"),
        TreeChange("a/deep/gone"),
        TreeChange("a/lone/gone"),
        TreeChange("never/was/there"),
        TreeChange("default/records", tree=grafted),
        TreeChange("keep", b"changed"),
    ]
    oid = store.write_commit(changes, parent=parent, message="m", at_seconds=AT)
    assert any_repo.git("fsck", "--strict", "--no-dangling", oid) == ""
    assert files_of(any_repo, oid) == [
        "a.b",
        "a/deep/keep",
        "a/deep/new",
        "a0",
        "default/records/gone",
        "default/records/keep",
        "keep",
    ]
    assert any_repo.git("cat-file", "blob", f"{oid}:keep") == "changed"
    assert any_repo.git("rev-parse", f"{oid}^") == parent
    assert any_repo.git("rev-parse", f"{oid}:default/records") == grafted


def test_the_same_changes_give_the_same_commit(
    repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    changes = [TreeChange("x/b", b"2"), TreeChange("a", b"1")]
    one = open_store(repo.path).write_commit(changes, parent=None, message="m", at_seconds=AT)
    two = open_store(repo.path).write_commit(changes[::-1], parent=None, message="m", at_seconds=AT)
    assert one == two


@pytest.mark.parametrize("path", ["../x", "/abs", "a/../../x", "a//b", "", ".", "a\nb", "dir/"])
def test_paths_that_lead_astray_are_refused(
    repo: Repo, open_store: Callable[[Path], RefStore], path: str
) -> None:
    with pytest.raises(GitmemError):
        open_store(repo.path).write_commit(
            [TreeChange(path, b"x")], parent=None, message="m", at_seconds=AT
        )


def test_a_parent_that_is_not_here_is_damage(
    repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    with pytest.raises(Damaged):
        open_store(repo.path).write_commit(
            [TreeChange("a", b"x")], parent="1" * 40, message="m", at_seconds=AT
        )


def test_a_ref_is_made_moved_and_deleted(
    any_repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    one, two = any_repo.commit("one"), any_repo.commit("two")
    store = open_store(any_repo.path)
    assert store.find_ref(OWN) is None
    store.update_ref(OWN, one, None)
    assert store.find_ref(OWN) == one
    store.update_ref(OWN, two, one)
    assert store.find_ref(OWN) == two
    store.delete_ref(OWN, two)
    assert store.find_ref(OWN) is None
    assert any_repo.git("for-each-ref", "refs/gitmem") == ""


def test_a_ref_that_moved_is_contended(repo: Repo, open_store: Callable[[Path], RefStore]) -> None:
    one, two = repo.commit("one"), repo.commit("two")
    store = open_store(repo.path)
    with pytest.raises(Contended):
        store.update_ref(OWN, two, one)
    with pytest.raises(Contended):
        store.delete_ref(OWN, one)
    store.update_ref(OWN, one, None)
    with pytest.raises(Contended):
        store.update_ref(OWN, two, None)
    with pytest.raises(Contended):
        store.update_ref(OWN, one, two)
    with pytest.raises(Contended):
        store.delete_ref(OWN, two)
    repo.git("pack-refs", "--all")
    with pytest.raises(Contended):
        store.update_ref(OWN, two, None)
    assert store.find_ref(OWN) == one


def test_a_ref_that_another_process_holds_is_contended(
    repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    one = repo.commit("one")
    store = open_store(repo.path)
    store.update_ref(OWN, one, None)
    (repo.path / ".git" / f"{OWN}.lock").touch()
    with pytest.raises(Contended):
        store.update_ref(OWN, repo.commit("two"), one)


@pytest.mark.parametrize(
    "name", ["-d", "main", "refs/../x", "refs/heads/a\nb", "", "refs/heads/.x"]
)
def test_names_that_are_no_refs(
    repo: Repo, open_store: Callable[[Path], RefStore], name: str
) -> None:
    one = repo.commit("one")
    store = open_store(repo.path)
    assert store.find_ref(name) is None
    assert store.find_symbolic(name) is None
    with pytest.raises(GitmemError):
        store.update_ref(name, one, None)
    assert store.list_refs("refs/") == {"refs/heads/main": one}


def test_refs_are_listed_by_prefix(repo: Repo, open_store: Callable[[Path], RefStore]) -> None:
    one = repo.commit("one")
    names = [OWN, "refs/gitmem-remotes/origin/0123456789abcdef", "refs/heads/feat/x"]
    for name in names:
        repo.git("update-ref", name, one)
    repo.git("tag", "-a", "v1", "-m", "t")
    repo.git("pack-refs", "--all")
    repo.git("update-ref", "refs/heads/loose", one)
    store = open_store(repo.path)
    assert store.list_refs() == {}
    assert store.list_refs("refs/gitmem/w/") == {OWN: one}
    assert set(store.list_refs("refs/gitmem-remotes/", "refs/heads/")) == {
        names[1],
        names[2],
        "refs/heads/main",
        "refs/heads/loose",
    }
    assert store.list_refs("refs/tags/") == {"refs/tags/v1": repo.git("rev-parse", "refs/tags/v1")}
    assert store.find_ref("refs/tags/v1") != one
    assert store.list_refs("refs/nothing/") == {}


def test_symbolic_refs_are_followed_and_named(
    repo: Repo, open_store: Callable[[Path], RefStore]
) -> None:
    one = repo.commit("one")
    repo.git("update-ref", "refs/remotes/origin/main", one)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    store = open_store(repo.path)
    assert store.find_symbolic("refs/remotes/origin/HEAD") == "refs/remotes/origin/main"
    assert store.find_symbolic("refs/heads/main") is None
    assert store.find_symbolic("refs/remotes/none/HEAD") is None
    assert store.find_ref("refs/remotes/origin/HEAD") == one
    assert store.find_ref("HEAD") == one
    repo.git("checkout", "-q", "--detach")
    assert store.find_symbolic("HEAD") is None


def test_nothing_fires_and_no_name_is_needed(
    repo: Repo, isolated: Path, open_store: Callable[[Path], RefStore]
) -> None:
    one = repo.commit("one")
    marker = repo.path / "marker"
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{marker}'\n")
        (hooks / name).chmod(0o755)
    (isolated / ".gitconfig").write_text(
        "[user]\n\tuseConfigOnly = true\n[core]\n\tlogAllRefUpdates = always\n"
        "[commit]\n\tgpgSign = true\n"
    )
    store = open_store(repo.path)
    oid = store.write_commit([TreeChange("a", b"1")], parent=one, message="m", at_seconds=AT)
    store.update_ref(OWN, oid, None)
    store.update_ref(OWN, one, oid)
    store.delete_ref(OWN, one)
    assert not marker.exists()
    assert "gpgsig" not in repo.git("cat-file", "commit", oid)
    assert repo.git("status", "--porcelain") == ""
