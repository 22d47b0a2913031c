"""What is read from git's own files, against what git itself says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.git.files import (
    Layout,
    discover,
    estimate_objects,
    find_ref,
    fingerprint_refs,
    is_owned_by_us,
    is_partial_clone,
    object_format,
    read_head,
)
from tests.conftest import Repo

MISSING = "1" * 40


def found(path: Path, **environ: str) -> Layout:
    layout = discover(path, {**os.environ, **environ})
    assert layout is not None
    return layout


def git_says(path: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--path-format=absolute", *words],
        cwd=path,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def agrees_with_git(path: Path) -> Layout:
    layout = found(path)
    assert str(layout.git_dir) == git_says(path, "--absolute-git-dir")
    assert str(layout.common_dir) == git_says(path, "--git-common-dir")
    top = git_says(path, "--show-toplevel")
    assert layout.work_tree == (Path(top) if top else None)
    return layout


def test_from_the_top_and_from_below(repo: Repo) -> None:
    repo.write("deep/er/file", "x")
    assert agrees_with_git(repo.path).worktree_name == "main"
    agrees_with_git(repo.path / "deep" / "er")
    assert agrees_with_git(repo.path / ".git").work_tree is None


def test_through_a_symbolic_link(repo: Repo, tmp_path: Path) -> None:
    repo.write("deep/file", "x")
    (tmp_path / "link").symlink_to(repo.path / "deep")
    assert agrees_with_git(tmp_path / "link").work_tree == repo.path.resolve()


def test_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    repo.commit("one", a="1")
    repo.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "lin ked"))
    linked = Repo(tmp_path / "lin ked")
    linked.write("deep/file", "x")
    layout = agrees_with_git(linked.path / "deep")
    assert layout.worktree_name == "lin-ked"
    assert layout.common_dir == repo.path.resolve() / ".git"
    oid = linked.commit("two")
    head = read_head(layout)
    assert head is not None
    assert (head.oid, head.branch) == (oid, "feature")
    main = read_head(found(repo.path))
    assert main is not None and main.branch == "main"


def test_a_linked_work_tree_of_a_bare_repository(
    repo: Repo, make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    oid = repo.commit("one", a="1")
    bare = make_repo("bare.git", "--bare")
    repo.git("push", "-q", str(bare.path), "main")
    assert agrees_with_git(bare.path).work_tree is None
    bare.git("worktree", "add", "-q", str(tmp_path / "w"), "main")
    layout = agrees_with_git(tmp_path / "w")
    assert layout.worktree_name == "w"
    head = read_head(layout)
    assert head is not None and head.oid == oid


def test_a_submodule_is_its_own_repository(repo: Repo, make_repo: Callable[..., Repo]) -> None:
    oid = repo.commit("one", a="1")
    above = make_repo("above")
    above.git("submodule", "--quiet", "add", f"file://{repo.path}", "deep/sub")
    layout = agrees_with_git(above.path / "deep" / "sub")
    assert layout.worktree_name == "main"
    head = read_head(layout)
    assert head is not None and head.oid == oid
    assert agrees_with_git(above.path / "deep").work_tree == above.path.resolve()


def test_a_separate_git_dir(make_repo: Callable[..., Repo], tmp_path: Path) -> None:
    repo = make_repo("apart", f"--separate-git-dir={tmp_path / 'store'}")
    assert agrees_with_git(repo.path).git_dir == (tmp_path / "store").resolve()


def test_core_worktree_places_the_work_tree(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "else where").mkdir()
    repo.git("config", "core.worktree", "../../else where")
    layout = found(repo.path)
    assert layout.work_tree == (tmp_path / "else where").resolve()


def test_no_repository(tmp_path: Path) -> None:
    assert discover(tmp_path, os.environ) is None
    assert discover(tmp_path / "does" / "not" / "exist", os.environ) is None
    assert discover(f"{tmp_path}/nul\0byte", os.environ) is None


def test_a_removed_git_folder_hides_nothing_above(repo: Repo) -> None:
    (repo.path / "inner" / ".git").mkdir(parents=True)
    agrees_with_git(repo.path / "inner")


@pytest.mark.parametrize(
    "content",
    [b"", b"gitdir:", b"gitdir: ../nowhere\n", b"\xff\xfe\x00", b"x" * 100_000, b"gitdir: \0\n"],
)
def test_a_broken_git_file_is_no_repository(repo: Repo, content: bytes) -> None:
    inner = repo.path / "inner"
    inner.mkdir()
    (inner / ".git").write_bytes(content)
    assert discover(inner, os.environ) is None
    assert git_says(inner, "--absolute-git-dir") == ""


def test_git_files_that_name_each_other(repo: Repo) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (repo.path / name).mkdir()
        (repo.path / name / ".git").write_text(f"gitdir: ../{other}/.git\n")
    assert discover(repo.path / "a", os.environ) is None
    (repo.path / "c").mkdir()
    (repo.path / "c" / ".git").symlink_to(".git")
    found(repo.path / "c")


def test_the_environment_names_the_repository(
    repo: Repo, make_repo: Callable[..., Repo], tmp_path: Path
) -> None:
    other = make_repo("other")
    store = str(other.path / ".git")
    layout = found(repo.path, GIT_DIR=store)
    assert (layout.git_dir, layout.work_tree) == (other.path / ".git", repo.path)
    assert layout.is_explicit
    layout = found(repo.path, GIT_DIR=store, GIT_WORK_TREE=str(other.path))
    assert layout.work_tree == other.path
    layout = found(repo.path, GIT_DIR="../other/.git", GIT_WORK_TREE="../other")
    assert (layout.git_dir, layout.work_tree) == (other.path / ".git", other.path)
    assert discover(repo.path, {**os.environ, "GIT_DIR": str(tmp_path)}) is None
    assert found(repo.path, GIT_WORK_TREE=str(tmp_path)).work_tree == tmp_path


def test_a_hook_in_a_linked_work_tree(repo: Repo, tmp_path: Path) -> None:
    """git sets GIT_DIR for hooks, and starts them at the top of the work tree."""
    repo.commit("one", a="1")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    store = repo.path / ".git" / "worktrees" / "linked"
    layout = found(tmp_path / "linked", GIT_DIR=str(store))
    assert layout.worktree_name == "linked"
    assert layout.common_dir == repo.path / ".git"
    assert layout.work_tree == tmp_path / "linked"


def test_ceilings(repo: Repo) -> None:
    below = repo.path / "deep" / "er"
    below.mkdir(parents=True)
    for ceiling, is_found in (
        (str(repo.path), False),
        (str(repo.path / "deep"), False),
        (str(below), True),
        (str(repo.path.parent), True),
        (f"/nowhere{os.pathsep}{repo.path}", False),
        ("deep", True),
    ):
        environ = {**os.environ, "GIT_CEILING_DIRECTORIES": ceiling}
        done = subprocess.run(
            ["git", "rev-parse", "--git-dir"], cwd=below, env=environ, capture_output=True
        )
        assert (discover(below, environ) is not None) == is_found == (done.returncode == 0)


def test_heads(repo: Repo) -> None:
    layout = found(repo.path)
    head = read_head(layout)
    assert head is not None and (head.oid, head.branch) == (None, "main")
    oid = repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "feat/x")
    head = read_head(layout)
    assert head is not None and (head.oid, head.branch) == (oid, "feat/x")
    repo.git("pack-refs", "--all")
    assert read_head(layout) == head
    repo.git("checkout", "-q", "--detach")
    head = read_head(layout)
    assert head is not None and (head.oid, head.branch) == (oid, None)


def test_another_ref_storage_is_left_to_git(repo: Repo) -> None:
    repo.commit("one", a="1")
    (repo.path / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert read_head(found(repo.path)) is None
    (repo.path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert read_head(found(repo.path)) is not None
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.refStorage", "reftable")
    layout = found(repo.path)
    assert read_head(layout) is None
    assert find_ref(layout, "refs/heads/main") is None


def test_refs_loose_packed_and_symbolic(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    for name in ("refs/heads/a/b", "refs/gitmem/w/0123456789abcdef", "refs/remotes/origin/main"):
        repo.git("update-ref", name, one)
    repo.git("pack-refs", "--all")
    two = repo.commit("two", a="2")
    repo.git("update-ref", "refs/heads/a/b", two)
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    layout = found(repo.path)
    assert find_ref(layout, "refs/heads/a/b") == two
    assert find_ref(layout, "refs/gitmem/w/0123456789abcdef") == one
    assert find_ref(layout, "refs/remotes/origin/HEAD") == one
    assert find_ref(layout, "HEAD") == two
    for name in ("refs/heads/a", "refs/heads/none", "heads/main", "main", "refs/heads/ma", ""):
        assert find_ref(layout, name) is None


def test_a_linked_work_tree_shares_refs_but_its_own(repo: Repo, tmp_path: Path) -> None:
    one = repo.commit("one", a="1")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "w"))
    linked = Repo(tmp_path / "w")
    linked.git("update-ref", "refs/worktree/mine", one)
    assert find_ref(found(linked.path), "refs/worktree/mine") == one
    assert find_ref(found(linked.path), "refs/heads/main") == one
    assert find_ref(found(repo.path), "refs/worktree/mine") is None


@pytest.mark.parametrize(
    "name",
    [
        "refs/../../secret",
        "refs/heads/../../../secret",
        "/secret",
        "refs//x",
        "HEAD\0",
        "refs/heads/x.lock",
        "refs/./heads",
        "refs/heads/",
        "refs",
    ],
)
def test_ref_names_do_not_lead_out(repo: Repo, name: str) -> None:
    (repo.path / "secret").write_text(MISSING)
    (repo.path / ".git" / "secret").write_text(MISSING)
    assert find_ref(found(repo.path), name) is None


def test_hostile_ref_files(repo: Repo) -> None:
    heads = repo.path / ".git" / "refs" / "heads"
    layout = found(repo.path)
    (heads / "huge").write_bytes(b"a" * 10_000_000)
    (heads / "binary").write_bytes(bytes(range(256)))
    (heads / "short").write_text("abc123\n")
    (heads / "empty").write_text("")
    (heads / "loop").write_text("ref: refs/heads/loop\n")
    (heads / "ping").write_text("ref: refs/heads/pong\n")
    (heads / "pong").write_text("ref: refs/heads/ping\n")
    (heads / "out").write_text("ref: refs/../../secret\n")
    (heads / "link").symlink_to("link")
    os.mkfifo(heads / "pipe")
    (repo.path / "secret").write_text(MISSING)
    for name in ("huge", "binary", "short", "empty", "loop", "ping", "out", "link", "pipe"):
        assert find_ref(layout, f"refs/heads/{name}") is None
    (repo.path / ".git" / "packed-refs").write_bytes(b"\xff refs/heads/p\nzz refs/heads/q\n")
    assert find_ref(layout, "refs/heads/p") is None
    assert find_ref(layout, "refs/heads/q") is None
    fingerprint_refs(layout)


@pytest.mark.parametrize("content", [b"", b"\x00" * 4096, b"x" * 10_000, b"ref: ", b"ref: HEAD\n"])
def test_a_broken_head_is_no_repository(repo: Repo, content: bytes) -> None:
    (repo.path / ".git" / "HEAD").write_bytes(content)
    assert discover(repo.path, os.environ) is None
    assert git_says(repo.path, "--absolute-git-dir") == ""


def test_the_fingerprint_changes_with_every_ref_that_matters(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    two = repo.commit("two", a="2")
    layout = found(repo.path)
    own, fetched = "refs/gitmem/w/0123456789abcdef", "refs/gitmem-remotes/origin/0123456789abcdef"
    steps: list[tuple[str, ...]] = [
        ("update-ref", "refs/heads/other", one),
        ("update-ref", "refs/heads/other", two),
        ("update-ref", "-d", "refs/heads/other"),
        ("update-ref", own, one),
        ("update-ref", own, two),
        ("update-ref", fetched, one),
        ("update-ref", fetched, two),
        ("update-ref", "refs/heads/gitmem-w/0123456789abcdef", one),
        ("update-ref", "refs/remotes/origin/main", one),
        ("update-ref", "refs/remotes/origin/main", two),
        ("update-ref", "refs/remotes/origin/release/1", one),
        ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/1"),
        ("update-ref", "refs/remotes/origin/release/1", two),
        ("pack-refs", "--all"),
        ("update-ref", "-d", own),
        ("config", "x.y", "z"),
        ("checkout", "-q", "-b", "deep/er/branch"),
        ("commit", "-q", "--allow-empty", "-m", "three"),
        ("checkout", "-q", "--detach"),
        ("commit", "-q", "--allow-empty", "-m", "four"),
    ]
    before = fingerprint_refs(layout)
    assert fingerprint_refs(layout) == before
    for step in steps:
        repo.git(*step)
        after = fingerprint_refs(layout)
        assert after.text != before.text, step
        before = after
    newest = (repo.path / ".git" / "config").stat().st_mtime_ns
    assert before.newest_mtime_ns >= newest
    (repo.path / ".git" / "shallow").write_text(one + "\n")
    assert fingerprint_refs(layout).text != before.text


def test_the_fingerprint_of_an_empty_repository(repo: Repo) -> None:
    assert fingerprint_refs(found(repo.path)).newest_mtime_ns > 0


def test_formats(make_repo: Callable[..., Repo]) -> None:
    plain = found(make_repo("plain").path)
    assert (object_format(plain), is_partial_clone(plain), plain.is_shallow) == (
        "sha1",
        False,
        False,
    )
    wide = make_repo("wide", "--object-format=sha256")
    oid = wide.commit("one", a="1")
    layout = found(wide.path)
    assert object_format(layout) == "sha256"
    head = read_head(layout)
    assert head is not None and head.oid == oid


def test_clones_that_lack_something(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("one", a="1")
    repo.commit("two", a="2")
    url = f"file://{repo.path}"
    repo.git("clone", "-q", "--filter=blob:none", url, str(tmp_path / "partial"))
    repo.git("clone", "-q", "--depth=1", url, str(tmp_path / "shallow"))
    assert is_partial_clone(found(tmp_path / "partial"))
    assert not is_partial_clone(found(tmp_path / "shallow"))
    assert found(tmp_path / "shallow").is_shallow
    assert not found(tmp_path / "partial").is_shallow


def test_the_config_file_is_read_as_people_write_it(repo: Repo) -> None:
    (repo.path / ".git" / "config").write_bytes(
        b"\xef\xbb\xbf; comment\r\n[ Core ] repositoryFormatVersion = 1 # one\r\n"
        b'\tbare = "no"\r\n[extensions]\n\tObjectFormat = sha\\\n256\n\tworktreeConfig\n'
        b'[remote "a \\"b\\" [c]"]\n\turl = x\n\tPromisor = yes\n[broken\n= 3\n\x00\xff\n'
    )
    form = found(repo.path).format
    assert (form.version, form.is_bare, form.object_format) == (1, False, "sha256")
    assert form.extensions["worktreeconfig"] == "true"
    assert form.is_partial_clone


@pytest.mark.parametrize("content", [b"\xff" * 1000, b"[core]\n" * 100_000, b"[core]bare=\\\n" * 9])
def test_a_broken_config_file_is_passed_over(repo: Repo, content: bytes) -> None:
    (repo.path / ".git" / "config").write_bytes(content)
    assert found(repo.path).format.object_format == "sha1"
    (repo.path / ".git" / "config").unlink()
    (repo.path / ".git" / "config").mkdir()
    assert found(repo.path).format.object_format == "sha1"


def test_pipes_in_place_of_files_are_not_waited_for(repo: Repo) -> None:
    for name in ("config", "packed-refs", "shallow", "commondir"):
        (repo.path / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(repo.path / ".git" / name)
    layout = found(repo.path)
    head = read_head(layout)
    assert head is not None and (head.oid, head.branch) == (None, "main")
    fingerprint_refs(layout)
    assert estimate_objects(layout) == 0
    (repo.path / ".git" / "HEAD").unlink()
    os.mkfifo(repo.path / ".git" / "HEAD")
    assert discover(repo.path, os.environ) is None


def test_the_owner_decides_as_for_git(repo: Repo) -> None:
    layout = found(repo.path)
    assert is_owned_by_us(layout, {})
    if os.geteuid() != 0:
        pytest.skip("needs to give files away")
    os.chown(repo.path, 12345, -1)
    assert not is_owned_by_us(layout, {})
    assert not is_owned_by_us(layout, {"SUDO_UID": "nonsense"})
    assert is_owned_by_us(layout, {"SUDO_UID": "12345"})
    assert is_owned_by_us(found(repo.path, GIT_DIR=str(repo.path / ".git")), {})
    os.chown(repo.path, 0, -1)
    os.chown(repo.path / ".git", 12345, -1)
    assert not is_owned_by_us(layout, {})


def test_objects_are_counted_from_the_index_files(repo: Repo, tmp_path: Path) -> None:
    for number in range(30):
        repo.commit(str(number), a=str(number))
    for version in ("2", "1"):
        repo.git("-c", f"pack.indexVersion={version}", "repack", "-q", "-a", "-d", "-F")
        repo.git("prune-packed")
        count = int(repo.git("rev-list", "--all", "--objects", "--count"))
        assert estimate_objects(found(repo.path)) == count
    repo.git("clone", "-q", "--shared", str(repo.path), str(tmp_path / "borrower"))
    assert estimate_objects(found(tmp_path / "borrower")) == count


def test_loose_objects_are_guessed(repo: Repo) -> None:
    folder = repo.path / ".git" / "objects" / "17"
    folder.mkdir(exist_ok=True)
    for number in range(3):
        (folder / f"{number:038x}").touch()
    assert estimate_objects(found(repo.path)) >= 3 * 256


def test_hostile_object_folders(repo: Repo) -> None:
    objects = repo.path / ".git" / "objects"
    (objects / "pack").mkdir(exist_ok=True)
    (objects / "pack" / "short.idx").write_bytes(b"\xfftOc")
    (objects / "pack" / "lies.idx").write_bytes(b"\xff" * 2000)
    (objects / "pack" / "folder.idx").mkdir()
    os.mkfifo(objects / "pack" / "pipe.idx")
    (objects / "info").mkdir(exist_ok=True)
    (objects / "info" / "alternates").write_text(f"{objects}\n../objects\n/nowhere\n# no\n\n")
    assert estimate_objects(found(repo.path)) <= 200


def test_the_hot_path_starts_no_process_and_imports_nothing_heavy() -> None:
    script = (
        "import sys, gitmem.git.files\n"
        "print(sorted({'subprocess', 'pygit2', 'dulwich', 'asyncio', 'dataclasses'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
