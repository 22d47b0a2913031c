"""The contract of ObjectReader, on every implementation."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.errors import Damaged
from gitmem.git.files import Layout, discover
from gitmem.git.objects_exec import ExecObjectReader
from gitmem.git.objects_pygit2 import Pygit2ObjectReader, supports_pygit2
from gitmem.git.process import Git
from gitmem.ports.repository import Blob, ObjectReader
from tests.conftest import Repo

MISSING = "1" * 40


def layout_of(path: Path) -> Layout:
    found = discover(path, os.environ)
    assert found is not None
    return found


def open_exec(path: Path) -> ObjectReader:
    layout = layout_of(path)
    return ExecObjectReader(Git(layout.git_dir, layout.work_tree, os.environ))


def open_pygit2(path: Path) -> ObjectReader:
    layout = layout_of(path)
    assert supports_pygit2(layout)
    return Pygit2ObjectReader(layout)


IMPLEMENTATIONS: dict[str, Callable[[Path], ObjectReader]] = {
    "exec": open_exec,
    "pygit2": open_pygit2,
}


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def open_reader(request: pytest.FixtureRequest) -> Iterator[Callable[[Path], ObjectReader]]:
    opened: list[ObjectReader] = []

    def open_one(path: Path) -> ObjectReader:
        opened.append(IMPLEMENTATIONS[request.param](path))
        return opened[-1]

    yield open_one
    for reader in opened:
        reader.close()
        reader.close()


def test_names_resolve(repo: Repo, open_reader: Callable[[Path], ObjectReader]) -> None:
    first = repo.commit("one", a="1")
    repo.write("dir/é b.txt", "deep")
    second = repo.commit("two")
    repo.git("tag", "-a", "v1", "-m", "tagged", first)
    repo.git("tag", "light", first)
    reader = open_reader(repo.path)
    assert reader.find_oid("HEAD") == second
    assert reader.find_oid("refs/heads/main") == second
    assert reader.find_oid(first) == first
    assert reader.find_oid(first[:8]) == first
    assert reader.find_oid("v1") == first
    assert reader.find_oid("refs/tags/v1") == first
    assert reader.find_oid("light") == first
    assert reader.find_oid("HEAD~1") == first
    assert reader.find_oid("HEAD:dir/é b.txt") == repo.git("rev-parse", "HEAD:dir/é b.txt")
    assert reader.find_oid("HEAD:dir") == repo.git("rev-parse", "HEAD:dir")
    assert reader.find_commit("HEAD") == second
    assert reader.find_commit("v1") == first
    assert reader.find_commit("HEAD:dir") is None
    assert reader.find_commit("HEAD:dir/é b.txt") is None


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "nowhere",
        MISSING,
        MISSING[:7],
        "HEAD:nowhere",
        "refs/heads/nowhere",
        "--help",
        "-p",
        "--output=marker",
        "HEAD\nHEAD",
        "nowhere\nHEAD",
        "HEAD\0",
        "HEAD missing",
        f"{MISSING} blob 12",
        "x" * 100_000,
        "HEAD~99",
        "HEAD^{nonsense}",
        "HEAD:bad\udcff",
        "../../etc/passwd",
    ],
)
def test_what_names_nothing_is_none(
    repo: Repo, open_reader: Callable[[Path], ObjectReader], spec: str
) -> None:
    head = repo.commit("one", a="1")
    reader = open_reader(repo.path)
    assert reader.find_oid(spec) is None
    assert reader.find_commit(spec) is None
    assert reader.find_oid("HEAD") == head
    assert not (repo.path / "marker").exists()


def test_file_names_with_any_byte_are_found(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    names = [b"new\nline", b"tab\there", b"caf\xe9.py", b" lead", b'"quoted"', b"-dash"]
    for name in names:
        (Path(os.fsdecode(bytes(repo.path))) / os.fsdecode(name)).write_bytes(name)
    repo.commit("odd names")
    reader = open_reader(repo.path)
    for name in names:
        oid = reader.find_oid("HEAD:" + os.fsdecode(name))
        assert oid is not None
        assert [blob.data for blob in reader.iter_blobs([oid], 100)] == [name]
    head = reader.find_oid("HEAD")
    assert head is not None
    assert {entry.name for entry in reader.list_tree(head)} == set(names)


def test_trees_list_every_kind_of_entry(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x")
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\tf\n".encode())
    rows = [
        f"100644 blob {blob}\tplain",
        f"100755 blob {blob}\trun",
        f"120000 blob {blob}\tto",
        f"160000 commit {MISSING}\tsub",
        f"040000 tree {tree}\tdir",
    ]
    top = repo.git("mktree", "--missing", stdin="\n".join(rows).encode() + b"\n")
    reader = open_reader(repo.path)
    found = {entry.name: (entry.kind, entry.oid) for entry in reader.list_tree(top)}
    assert found == {
        b"plain": ("blob", blob),
        b"run": ("blob", blob),
        b"to": ("link", blob),
        b"sub": ("commit", MISSING),
        b"dir": ("tree", tree),
    }


def test_a_commits_tree_is_listed(repo: Repo, open_reader: Callable[[Path], ObjectReader]) -> None:
    head = repo.commit("one", a="1")
    reader = open_reader(repo.path)
    assert [entry.name for entry in reader.list_tree(head)] == [b"a"]


def test_hostile_tree_names_are_given_as_they_are(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x")
    names = [b"..", b".GIT", b"\\..\\x", b"\x1b[2J", b"a" * 4000]
    raw = b"".join(b"100644 %s\0%s" % (n, bytes.fromhex(blob)) for n in sorted(names))
    tree = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    reader = open_reader(repo.path)
    assert {entry.name for entry in reader.list_tree(tree)} == set(names)


@pytest.mark.parametrize("oid", [MISSING, "HEAD", "", "-p", "x\ny", "0" * 64])
def test_a_tree_that_is_not_there_is_damage(
    repo: Repo, open_reader: Callable[[Path], ObjectReader], oid: str
) -> None:
    head = repo.commit("one", a="1")
    reader = open_reader(repo.path)
    with pytest.raises(Damaged):
        reader.list_tree(oid)
    assert reader.list_tree(head)


def test_a_blob_is_no_tree(repo: Repo, open_reader: Callable[[Path], ObjectReader]) -> None:
    head = repo.commit("one", a="1")
    reader = open_reader(repo.path)
    oid = reader.find_oid("HEAD:a")
    assert oid is not None
    with pytest.raises(Damaged):
        reader.list_tree(oid)
    assert reader.list_tree(head)


def test_blobs_come_in_order_and_within_the_limit(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    contents = [str(n).encode() * n for n in range(130)]
    oids = [repo.git("hash-object", "-w", "--stdin", stdin=data) for data in contents[::10]]
    repo.commit("one", a="1")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    asked = [oids[12], MISSING, oids[0], tree, oids[12], oids[3], "not an id", oids[1]] * 20
    reader = open_reader(repo.path)
    got = list(reader.iter_blobs(asked, 100))
    assert got[:8] == [
        Blob(oids[12], 360, None),
        Blob(MISSING, 0, None),
        Blob(oids[0], 0, b""),
        Blob(tree, 0, None),
        Blob(oids[12], 360, None),
        Blob(oids[3], 60, b"30" * 30),
        Blob("not an id", 0, None),
        Blob(oids[1], 20, b"10" * 10),
    ]
    assert got == got[:8] * 20


def test_a_half_read_batch_leaves_the_reader_usable(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    big = repo.git("hash-object", "-w", "--stdin", stdin=b"x" * 300_000)
    small = repo.git("hash-object", "-w", "--stdin", stdin=b"y")
    reader = open_reader(repo.path)
    for blob in reader.iter_blobs([big, small] * 60, 1 << 20):
        assert blob.size_bytes == 300_000
        break
    assert [blob.data for blob in reader.iter_blobs([small], 10)] == [b"y"]


def test_objects_written_later_are_seen(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    first = repo.commit("one", a="1")
    reader = open_reader(repo.path)
    assert reader.find_oid("HEAD") == first
    second = repo.commit("two", a="2")
    assert reader.find_oid("HEAD") == second
    assert [entry.name for entry in reader.list_tree(second)] == [b"a"]
    repo.git("gc", "-q", "--prune=now")
    third = repo.commit("three", a="3")
    assert reader.find_oid("HEAD") == third
    assert reader.list_tree(first)


def test_ancestry(repo: Repo, open_reader: Callable[[Path], ObjectReader]) -> None:
    first = repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", b="1")
    repo.git("checkout", "-q", "main")
    second = repo.commit("two", a="2")
    blob = repo.git("rev-parse", "HEAD:a")
    reader = open_reader(repo.path)
    assert reader.is_ancestor(first, second)
    assert reader.is_ancestor(second, second)
    assert not reader.is_ancestor(second, first)
    assert not reader.is_ancestor(side, second)
    assert not reader.is_ancestor(MISSING, second)
    assert not reader.is_ancestor(MISSING, MISSING)
    assert not reader.is_ancestor(blob, second)
    assert not reader.is_ancestor("HEAD", "--all")


def test_the_root_is_reached_by_first_parents(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    root = repo.commit("one", a="1")
    repo.git("checkout", "-q", "--orphan", "other")
    other = repo.commit("another root", b="1")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "join", "other")
    reader = open_reader(repo.path)
    assert reader.list_roots(repo.head()) == [root]
    assert reader.list_roots(other) == [other]
    assert reader.list_roots(MISSING) == []
    assert reader.list_roots("HEAD") == []


def test_a_shallow_boundary_is_no_root(
    repo: Repo, tmp_path: Path, open_reader: Callable[[Path], ObjectReader]
) -> None:
    for number in range(4):
        repo.commit(str(number), a=str(number))
    subprocess.run(
        ["git", "clone", "-q", "--depth=2", f"file://{repo.path}", "shallow"],
        cwd=tmp_path,
        check=True,
    )
    shallow = Repo(tmp_path / "shallow")
    reader = open_reader(shallow.path)
    older, newer = shallow.git("rev-parse", "HEAD~1"), shallow.head()
    assert reader.list_roots(newer) == []
    assert reader.is_ancestor(older, newer)
    assert not reader.is_ancestor(newer, older)
    assert reader.find_oid("HEAD~2") is None


def test_an_empty_repository(repo: Repo, open_reader: Callable[[Path], ObjectReader]) -> None:
    reader = open_reader(repo.path)
    assert reader.find_oid("HEAD") is None
    assert reader.find_commit("main") is None
    assert list(reader.iter_blobs([], 10)) == []


def test_a_bare_repository(
    make_repo: Callable[..., Repo], open_reader: Callable[[Path], ObjectReader]
) -> None:
    bare = make_repo("bare.git", "--bare")
    tree = bare.git("mktree", stdin=b"")
    commit = bare.git("commit-tree", "-m", "x", tree)
    bare.git("update-ref", "refs/heads/main", commit)
    reader = open_reader(bare.path)
    assert reader.find_commit("HEAD") == commit
    assert reader.list_tree(commit) == []


def test_a_linked_work_tree_has_its_own_head(
    repo: Repo, tmp_path: Path, open_reader: Callable[[Path], ObjectReader]
) -> None:
    repo.commit("one", a="1")
    repo.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    there = linked.commit("two", a="2")
    assert open_reader(linked.path).find_oid("HEAD") == there
    assert open_reader(repo.path).find_oid("HEAD") == repo.head() != there


def test_replacements_are_not_followed(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    first = repo.commit("one", a="1")
    second = repo.commit("two", a="2", b="1")
    repo.git("replace", first, second)
    reader = open_reader(repo.path)
    assert [entry.name for entry in reader.list_tree(first)] == [b"a"]


def test_sha256_is_read_by_the_executable(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("wide", "--object-format=sha256")
    repo.write("dir/a", "1")
    head = repo.commit("one")
    assert not supports_pygit2(layout_of(repo.path))
    reader = open_exec(repo.path)
    assert reader.find_oid("HEAD") == head and len(head) == 64
    (entry,) = reader.list_tree(head)
    assert (entry.kind, entry.name, len(entry.oid)) == ("tree", b"dir", 64)
    blob = reader.find_oid("HEAD:dir/a")
    assert blob is not None
    assert [found.data for found in reader.iter_blobs([blob], 10)] == [b"1"]
    assert reader.list_roots(head) == [head]
    reader.close()


@pytest.mark.parametrize(
    "setting",
    [
        "extensions.partialClone=origin",
        "extensions.refStorage=reftable",
        "extensions.compatObjectFormat=sha256",
        "extensions.relativeWorktrees=true",
        "extensions.somethingNew=1",
        "remote.origin.promisor=true",
        "core.repositoryFormatVersion=2",
    ],
)
def test_formats_that_libgit2_may_not_read_are_left_to_git(repo: Repo, setting: str) -> None:
    assert supports_pygit2(layout_of(repo.path))
    name, _, value = setting.partition("=")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", name, value)
    assert not supports_pygit2(layout_of(repo.path))


def test_a_partial_clone_fetches_what_it_lacks(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    repo.commit("one", a="lazy")
    subprocess.run(
        ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", "p"],
        cwd=tmp_path,
        check=True,
    )
    partial = Repo(tmp_path / "p")
    assert not supports_pygit2(layout_of(partial.path))
    oid = repo.git("rev-parse", "HEAD:a")
    reader = open_exec(partial.path)
    assert [blob.data for blob in reader.iter_blobs([oid], 10)] == [b"lazy"]
    reader.close()


def test_a_promised_object_that_cannot_be_had_is_missing(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("one", a="lazy")
    subprocess.run(
        ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", "p"],
        cwd=tmp_path,
        check=True,
    )
    partial = Repo(tmp_path / "p")
    oid = repo.git("rev-parse", "HEAD:a")
    partial.git("remote", "set-url", "origin", f"file://{tmp_path}/gone")
    reader = open_exec(partial.path)
    assert [blob.data for blob in reader.iter_blobs([oid], 10)] == [None]
    assert reader.find_oid("HEAD") == repo.head()
    reader.close()


def test_a_damaged_blob_is_missing_and_hides_no_other(
    repo: Repo, open_reader: Callable[[Path], ObjectReader]
) -> None:
    texts = [hashlib.sha256(str(n).encode()).digest() * 40 for n in range(3)]
    oids = [repo.git("hash-object", "-w", "--stdin", stdin=text) for text in texts]
    loose = repo.path / ".git/objects" / oids[1][:2] / oids[1][2:]
    data = bytearray(loose.read_bytes())
    data[-1] ^= 0xFF
    loose.chmod(0o644)
    loose.write_bytes(data)
    reader = open_reader(repo.path)
    found = [blob.data for blob in reader.iter_blobs(oids, 10**6)]
    assert found == [texts[0], None, texts[2]]
    assert reader.find_oid(oids[2]) == oids[2]
    assert [blob.data for blob in reader.iter_blobs(oids[2:], 10**6)] == texts[2:]
