"""Repositories and work trees of every shape; and not one changed byte of the user's."""

from __future__ import annotations

import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.hooks.conftest import MakeMemory, MemoryRepo


def test_sha256(make_memory: MakeMemory) -> None:
    memory = make_memory("long", "--object-format=sha256")
    memory.capture("Long", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("Partial", "b.py")
    memory.write("b.py", "b = 2\n")
    memory.git("commit", "-q", "-m", "b", "b.py")
    assert memory.said() == ["Long", "Partial"]
    assert memory.status() == ""


def test_a_partial_clone_fetches_nothing(memory: MemoryRepo, tmp_path: Path) -> None:
    memory.capture("At the origin", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("config", "uploadpack.allowFilter", "true")
    url = memory.path.as_uri()
    memory.git("clone", "-q", "--filter=blob:none", url, str(tmp_path / "partial"))
    clone = MemoryRepo(tmp_path / "partial")
    clone.install_hooks()
    clone.capture("Here", "a.py")
    memory.path.rename(tmp_path / "gone")
    assert "1 record" in clone.commit_file("a", "a.py", "a = 3\n")
    assert clone.git("diff", "--name-only", "HEAD^", "--", ".gitmem").count("\n") == 0


@pytest.mark.parametrize("sparse_index", ["false", "true"])
def test_a_sparse_checkout_that_leaves_the_folder_out(
    memory: MemoryRepo, sparse_index: str
) -> None:
    memory.capture("First", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.commit_file("x", "src/x.py", "x = 1\n")
    memory.git("config", "index.sparse", sparse_index)
    memory.git("sparse-checkout", "init", "--cone")
    memory.git("sparse-checkout", "set", "src")
    memory.capture("Sparse", "src/x.py")
    memory.commit_file("x", "src/x.py", "x = 2\n")
    assert memory.added() == ["Sparse"]
    assert memory.status() == ""
    memory.commit_file("x", "src/x.py", "x = 3\n")
    assert memory.said() == ["First", "Sparse"]


def test_a_submodule_has_its_own_memory(make_memory: MakeMemory, tmp_path: Path) -> None:
    library, above = make_memory("library"), make_memory("above")
    above.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "sub"
    )
    above.git("commit", "-q", "-m", "with a submodule")
    sub = MemoryRepo(above.path / "sub")
    sub.git("config", "user.name", "Ada")
    sub.install_hooks()
    sub.capture("Inside", "a.py")
    above.capture("Above", "sub")
    sub.commit_file("inside", "a.py", "a = 2\n")
    assert sub.added() == ["Inside"]
    above.git("commit", "-q", "-a", "-m", "moved on")
    assert above.added() == ["Above"]
    assert sub.status() == "" and above.status() == ""


@pytest.mark.parametrize(
    "line",
    ["* ident", "* text eol=crlf", "* filter=lfs", "*.ndjson working-tree-encoding=UTF-16"],
)
def test_attributes_of_the_root_do_not_reach_segments(memory: MemoryRepo, line: str) -> None:
    memory.write(".gitattributes", line + "\n.gitattributes !filter\n")
    memory.git("config", "filter.lfs.clean", "tr a-z A-Z")
    memory.git("config", "filter.lfs.smudge", "cat")
    memory.git("config", "filter.lfs.required", "true")
    memory.git("add", ".gitattributes")
    memory.git("commit", "-q", "-m", "attributes")
    memory.capture("Untouched $Id$", "b.py")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == ["Untouched $Id$"]
    memory.git("checkout", "-qf", "HEAD^")
    memory.git("checkout", "-qf", "main")
    assert memory.said("HEAD") == ["Untouched $Id$"]
    assert [line for line in memory.status().splitlines() if ".gitmem" in line] == []


def test_attributes_that_reach_even_the_folder_change_no_byte(memory: MemoryRepo) -> None:
    info = memory.path / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("*.ndjson filter=shout\n")
    memory.git("config", "filter.shout.clean", "tr a-z A-Z")
    memory.capture("Quiet", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.said() == ["Quiet"]


@pytest.mark.parametrize("value", ["true", "input"])
def test_autocrlf(memory: MemoryRepo, value: str) -> None:
    memory.git("config", "core.autocrlf", value)
    memory.capture("Lines", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.said() == ["Lines"]
    assert memory.status() == ""


NAMES = {
    "spaces": " two  words.py",
    "quotes": 'it\'s "so".py',
    "composed": unicodedata.normalize("NFC", "grün.py"),
    "decomposed": unicodedata.normalize("NFD", "grün.py"),
    "new line": "two\nlines.py",
    "tab": "a\tb.py",
    "star": "*.py",
    "not UTF-8": b"gr\xfcn.py".decode("utf-8", "surrogateescape"),
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_paths_of_every_kind_meet(memory: MemoryRepo, name: str) -> None:
    memory.commit_file("new", name, "x = 1\n")
    memory.capture("About it", name)
    memory.capture("About another", "b.py")
    memory.commit_file("changed", name, "x = 2\n")
    assert memory.added() == ["About it"]


def test_a_name_typed_in_another_normal_form_meets(memory: MemoryRepo) -> None:
    memory.commit_file("new", NAMES["decomposed"], "x = 1\n")
    memory.capture("Typed otherwise", NAMES["composed"])
    memory.commit_file("changed", NAMES["decomposed"], "x = 2\n")
    assert memory.added() == ["Typed otherwise"]


def test_not_one_byte_of_the_users_changes(memory: MemoryRepo) -> None:
    """Staged, unstaged, both, new, ignored, intended, deleted, linked, executable."""
    memory.write(".gitignore", "*.log\n")
    memory.write("both.py", "1\n")
    memory.write("gone.py", "1\n")
    memory.write("run.sh", "1\n")
    memory.git("add", "-A")
    memory.git("commit", "-q", "-m", "more")
    memory.write("a.py", "a = 2\n")
    memory.write("both.py", "2\n")
    memory.git("add", "a.py", "both.py")
    memory.write("both.py", "3 \r\n\0\n")
    memory.write("b.py", "unstaged \xff".encode("latin-1"))
    memory.write("new.txt", "untracked")
    memory.write("x.log", "ignored")
    memory.write("intended.py", "intended")
    memory.git("add", "-N", "intended.py")
    memory.git("rm", "-q", "--cached", "gone.py")
    (memory.path / "run.sh").chmod(0o755)
    (memory.path / "link").symlink_to("nowhere")
    memory.capture("Decided", "a.py")
    # What git itself makes of the index in a commit is learnt from a twin without hooks.
    before = memory.hash_files()
    index = [row for row in memory.list_index() if "intended" not in row]
    status = [row for row in memory.status().splitlines() if "gone.py" in row or "both" in row]
    memory.git("commit", "-q", "-m", "x")
    assert memory.added() == ["Decided"]
    assert memory.hash_files() == before
    assert [row for row in memory.list_index() if "intended" not in row] == index
    assert status == ["MM both.py", "D  gone.py", "?? gone.py"]
    assert memory.git("diff", "--cached", "--name-only") in ("", "intended.py")
    changed = memory.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert {name for name in changed if not name.startswith(".gitmem/")} == {
        "a.py",
        "both.py",
        "gone.py",
    }


def test_plumbing_that_does_not_refresh_sees_a_clean_tree(memory: MemoryRepo) -> None:
    memory.capture("Clean", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.git("diff-files", "--name-only") == ""
    memory.capture("Partial", "b.py")
    memory.write("b.py", "b = 2\n")
    memory.git("commit", "-q", "-m", "b", "b.py")
    assert memory.git("diff-files", "--name-only") == ""


@pytest.mark.parametrize(
    "body",
    [
        "exit 0\n",
        "set -eu\necho from the user\n",
        "cat >/dev/null\n",
        "read -r line || true\n",
        "exec true\n",
        "unset GIT_INDEX_FILE\ngit status >/dev/null\n",
    ],
)
def test_beside_a_hook_of_the_users(make_memory: MakeMemory, body: str) -> None:
    memory = make_memory()
    hook = memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\n" + body)
    memory.install_hooks()
    memory.capture("Beside", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.added() == ["Beside"]
    assert memory.status() == ""


def test_a_users_hook_that_fails_still_stops_the_commit(memory: MemoryRepo) -> None:
    hook = memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 7\n")
    memory.install_hooks()
    memory.capture("Waits", "a.py")
    head = memory.head()
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    assert memory.try_git("commit", "-q", "-m", "no")[0] != 0
    assert memory.head() == head
    assert memory.try_git("commit", "-q", "-n", "-m", "yes")[0] == 0
    assert memory.added() == ["Waits"]


def test_a_hook_after_a_rewrite_still_reads_its_input(memory: MemoryRepo) -> None:
    hook = memory.path / ".git" / "hooks" / "post-rewrite"
    hook.write_text("#!/bin/sh\ncat >rewritten\n")
    memory.install_hooks()
    memory.commit_file("a", "a.py", "a = 2\n")
    old = memory.head()
    memory.git("commit", "-q", "--amend", "-m", "b")
    assert (memory.path / "rewritten").read_text().startswith(old)


def test_hooks_leave_a_mark_when_history_moves(memory: MemoryRepo) -> None:
    mark = memory.path / ".git" / "gitmem" / "marks" / "changed"
    memory.git("branch", "side")
    for words in (
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["checkout", "-q", "side"],
        ["merge", "-q", "main"],
        ["commit", "-q", "--amend", "--allow-empty", "-m", "y"],
    ):
        mark.unlink(missing_ok=True)
        memory.git(*words)
        assert mark.exists(), words


def test_without_a_memory_the_hooks_do_nothing(repo: Repo) -> None:
    bare = MemoryRepo(repo.path)
    bare.write("a.py", "1\n")
    bare.install_hooks()
    bare.git("add", "a.py")
    shutil.rmtree(repo.path / ".git" / "gitmem")
    assert bare.try_git("commit", "-q", "-m", "x") == (0, "")
    assert not (repo.path / ".git" / "gitmem").exists()


def test_another_tools_folder_is_left_alone(repo: Repo) -> None:
    other = MemoryRepo(repo.path)
    other.write(".gitmem/notes.txt", "mine\n")
    other.write("a.py", "1\n")
    other.install_hooks()
    other.git("add", "-A")
    assert other.try_git("commit", "-q", "-m", "x")[0] == 0
    assert sorted(other.git("ls-files").split()) == [".gitmem/notes.txt", "a.py"]


def test_modules_of_the_work_tree_are_never_run(
    memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The interpreter that the hook falls back on is started in the work tree."""
    for name in ("subprocess", "sqlite3", "msgspec", "gitmem", "queue", "tomllib"):
        memory.write(f"{name}.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    memory.capture("Safe", "a.py")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert memory.commit_file("a", "a.py", "a = 2\n") == "gitmem: 1 record with this commit\n"
    assert memory.added() == ["Safe"]
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_a_link_is_never_written_through(
    memory: MemoryRepo, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    memory.git("rm", "-rq", "--cached", ".gitmem")
    (memory.path / ".gitmem").rename(tmp_path / "was")
    (memory.path / ".gitmem").symlink_to(target)
    spool = memory.path / ".git" / "gitmem" / "spool" / "main"
    spool.mkdir(parents=True)
    memory.git("add", "-A")
    memory.git("commit", "-q", "-m", "a link")
    assert list(target.iterdir()) == []


def test_many_pending_decisions(memory: MemoryRepo) -> None:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=memory.path, capture_output=True)
    assert done.returncode == 0
    for number in range(30):
        memory.capture(f"Nr {number:02d}", "a.py" if number % 2 else "b.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.added() == [f"Nr {number:02d}" for number in range(1, 30, 2)]
