"""Decisions go with the commit that touches their files, however the commit is made."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gitmem.app import hooking
from gitmem.git.complaints import OutOfTime
from tests.hooks.conftest import MakeMemory, MemoryRepo


def test_a_decision_goes_with_the_commit_of_its_file(memory: MemoryRepo) -> None:
    memory.capture("Two", "a.py")
    said = memory.commit_file("two", "a.py", "a = 2\n")
    assert memory.added() == ["Two"]
    assert memory.status() == ""
    assert memory.spooled() == ["Two"]
    assert said == "gitmem: 1 record with this commit\n"


def test_it_waits_while_other_files_are_committed(memory: MemoryRepo) -> None:
    memory.capture("About a", "a.py")
    assert memory.commit_file("b", "b.py", "b = 2\n") == ""
    assert memory.added() == []
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.added() == ["About a"]


def test_a_folder_meets_files_under_it_and_a_rename_both_of_its_names(memory: MemoryRepo) -> None:
    memory.commit_file("more", "src/deep/x.py", "x = 1\n" * 20)
    memory.capture("The folder", "src")
    memory.capture("The old name", "a.py")
    memory.commit_file("in it", "src/deep/x.py", "x = 2\n" * 20)
    assert memory.added() == ["The folder"]
    memory.git("mv", "a.py", "c.py")
    memory.git("commit", "-q", "-m", "renamed")
    assert memory.added() == ["The old name"]


def test_what_is_about_no_file_goes_with_the_next_ordinary_commit(memory: MemoryRepo) -> None:
    memory.capture("In general")
    memory.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert memory.added() == []
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.added() == ["In general"]


def test_a_retraction_goes_with_the_next_commit(memory: MemoryRepo) -> None:
    first = memory.capture("Wrong", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    done = subprocess.run(["gitmem", "retract", first, "-m", "no"], cwd=memory.path, timeout=60)
    assert done.returncode == 0
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.added() == ["-"]


def test_all_of_a_month_stand_in_one_segment(memory: MemoryRepo) -> None:
    for number in range(5):
        memory.capture(f"Nr {number}", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    names = memory.git("diff", "--name-only", "HEAD^", "--", ".gitmem").splitlines()
    assert len(names) == 1
    assert len(memory.added()) == 5


def test_nothing_is_added_twice(memory: MemoryRepo) -> None:
    memory.capture("Once", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.commit_file("a again", "a.py", "a = 3\n")
    assert memory.added() == []
    (memory.path / ".git" / "gitmem" / "cache.db").unlink()
    memory.commit_file("without a cache", "a.py", "a = 4\n")
    assert memory.said() == ["Once"]


def test_commit_all(memory: MemoryRepo) -> None:
    memory.capture("All", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("commit", "-q", "-a", "-m", "all")
    assert memory.added() == ["All"]
    assert memory.status() == ""
    memory.commit_file("next", "b.py", "b = 2\n")
    assert memory.said() == ["All"]


@pytest.mark.parametrize("with_repair", [True, False])
def test_commit_of_a_path_keeps_the_record_in_the_next_commit(
    memory: MemoryRepo, with_repair: bool
) -> None:
    if not with_repair:
        (memory.path / ".git" / "hooks" / "post-commit").unlink()
    memory.capture("Partial", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.write("b.py", "b = 2\n")
    memory.git("add", "b.py")
    memory.git("commit", "-q", "-m", "only a", "--", "a.py")
    assert memory.added() == ["Partial"]
    assert memory.status() == "M  b.py"
    memory.git("commit", "-q", "-m", "then b")
    assert memory.said() == ["Partial"]
    assert memory.status() == ""


def test_commit_of_a_path_in_a_linked_work_tree(memory: MemoryRepo, tmp_path: Path) -> None:
    memory.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "w t"))
    tree = MemoryRepo(tmp_path / "w t")
    tree.capture("Linked", "a.py")
    tree.write("a.py", "a = 2\n")
    tree.git("commit", "-q", "-m", "linked", "a.py")
    assert tree.added() == ["Linked"]
    assert tree.status() == ""
    tree.commit_file("next", "b.py", "b = 2\n")
    assert tree.said() == ["Linked"]
    assert memory.said() == []


def test_commit_include(memory: MemoryRepo) -> None:
    memory.capture("Both", "b.py")
    memory.write("a.py", "a = 2\n")
    memory.write("b.py", "b = 2\n")
    memory.git("add", "b.py")
    memory.git("commit", "-q", "-m", "both", "-i", "a.py")
    assert memory.added() == ["Both"]
    assert memory.status() == ""


def test_another_index_file(memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit is made of it; the usual index gets the segment afterwards, and no more."""
    memory.capture("Elsewhere", "a.py")
    other = memory.path / ".git" / "other-index"
    other.write_bytes((memory.path / ".git" / "index").read_bytes())
    memory.write("a.py", "a = 2\n")
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    memory.git("add", "a.py")
    memory.git("commit", "-q", "-m", "of another index")
    assert memory.added() == ["Elsewhere"]
    monkeypatch.delenv("GIT_INDEX_FILE")
    changed = memory.git("diff", "--cached", "--name-only").splitlines()
    assert changed == ["a.py"]


def test_without_verification_nothing_is_added_and_nothing_lost(memory: MemoryRepo) -> None:
    memory.capture("Later", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n", "--no-verify")
    assert memory.said() == []
    memory.commit_file("a", "a.py", "a = 3\n")
    assert memory.added() == ["Later"]


def test_switched_off(memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.capture("Later", "a.py")
    monkeypatch.setenv("GITMEM", "0")
    assert memory.commit_file("a", "a.py", "a = 2\n") == ""
    assert memory.said() == []


def test_the_first_commit_of_a_repository(make_repo, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    make_repo("new")
    repo = MemoryRepo(tmp_path / "new")
    repo.start_memory()
    repo.install_hooks()
    repo.write("a.py", "a = 1\n")
    repo.capture("From the start", "a.py")
    repo.commit_file("first", "a.py", "a = 1\n")
    assert repo.said() == ["From the start"]
    files = repo.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert ".gitmem/project.toml" in files and ".gitmem/.gitattributes" in files
    assert repo.status() == ""


def test_on_a_detached_head(memory: MemoryRepo) -> None:
    memory.git("checkout", "-q", "--detach")
    memory.capture("Detached", "a.py")
    memory.commit_file("detached", "a.py", "a = 2\n")
    assert memory.added() == ["Detached"]


# --- commits that never come ----------------------------------------------------------------


def _abort(memory: MemoryRepo, how: str) -> None:
    hook = memory.path / ".git" / "hooks" / "commit-msg"
    if how == "empty message":
        code = memory.try_git("commit", "-q")[0]
    elif how == "later hook":
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)
        code = memory.try_git("commit", "-q", "-m", "x")[0]
        hook.unlink()
    else:
        hook.write_text("#!/bin/sh\ntouch reached\nsleep 20\n")
        hook.chmod(0o755)
        process = subprocess.Popen(
            ["git", "commit", "-q", "-m", "x"], cwd=memory.path, start_new_session=True
        )
        while not (memory.path / "reached").exists():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGTERM)
        code = process.wait()
        hook.unlink()
        (memory.path / "reached").unlink()
    assert code != 0


@pytest.mark.parametrize("how", ["empty message", "later hook", "signal"])
def test_an_aborted_commit_loses_nothing_and_leaves_nothing(memory: MemoryRepo, how: str) -> None:
    memory.capture("Waits", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    _abort(memory, how)
    assert memory.spooled() == ["Waits"]
    # The next commit is about another file: what was staged in vain is taken back.
    memory.git("reset", "-q", "a.py")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == []
    assert memory.status() == " M a.py"
    memory.git("commit", "-q", "-am", "now")
    assert memory.added() == ["Waits"]
    assert memory.status() == ""


def test_an_aborted_commit_that_comes_after_all_has_one_segment(memory: MemoryRepo) -> None:
    memory.capture("One", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    _abort(memory, "later hook")
    memory.capture("Two", "a.py")
    memory.git("commit", "-q", "-m", "now")
    assert memory.added() == ["One", "Two"]
    assert len(memory.git("ls-tree", "-r", "--name-only", "HEAD", ".gitmem/records").split()) == 1
    assert memory.status() == ""


def test_an_aborted_commit_of_a_path(memory: MemoryRepo) -> None:
    memory.capture("Waits", "a.py")
    memory.write("a.py", "a = 2\n")
    assert memory.try_git("commit", "-q", "a.py")[0] != 0
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == []
    assert memory.status() == " M a.py"


def test_what_a_person_staged_is_never_taken_back(memory: MemoryRepo) -> None:
    memory.capture("By hand", "a.py")
    done = subprocess.run(
        ["gitmem", "capture", "--flush"], cwd=memory.path, capture_output=True, timeout=60
    )
    assert done.returncode == 0
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.added() == ["By hand"]


# --- in the way of nobody -------------------------------------------------------------------


def test_a_locked_index_is_said_in_one_line(memory: MemoryRepo) -> None:
    """Locked while the hook runs: git itself has to be able to finish."""
    memory.capture("Waits", "a.py")
    hook = memory.path / ".git" / "hooks" / "pre-commit"
    ours = hook.read_text().partition("\n")[2]
    hook.write_text(f"#!/bin/sh\ntouch .git/index.lock\n{ours}rm .git/index.lock\n")
    said = memory.commit_file("a", "a.py", "a = 2\n")
    assert said.count("\n") == 1 and "locked" in said and "gitmem capture --flush" in said
    assert memory.said() == []
    assert memory.status() == ""


def test_an_ignored_folder_is_said_in_one_line(make_repo, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    make_repo("new")
    repo = MemoryRepo(tmp_path / "new")
    repo.write(".gitignore", ".gitmem/\n")
    repo.start_memory()
    repo.install_hooks()
    repo.write("a.py", "")
    repo.capture("Hidden", "a.py")
    said = repo.commit_file("a", "a.py", "a = 2\n")
    assert said.count("\n") == 1 and "ignores" in said
    assert repo.git("ls-files").splitlines() == ["a.py"]


def test_a_root_rule_for_the_extension_does_not_hide_segments(memory: MemoryRepo) -> None:
    memory.commit_file("rules", ".gitignore", "*.ndjson\n")
    memory.capture("Seen", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.added() == ["Seen"]


@pytest.mark.parametrize("broken", ["missing", "crashes", "hangs up"])
def test_a_broken_gitmem_stops_no_commit(
    memory: MemoryRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    memory.capture("Waits", "a.py")
    hook = memory.path / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook.read_text().replace("python", "gone"))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "gitmem"
    if broken == "crashes":
        program.write_text("#!/bin/sh\necho one >&2\necho two >&2\nexit 3\n")
    elif broken == "hangs up":
        program.write_text("#!/bin/sh\nkill -9 $$\n")
    if broken != "missing":
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")
    said = memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.git("log", "-1", "--format=%s") == "a"
    assert [line for line in said.splitlines() if "gitmem" in line][1:] == []
    assert (said == "") is (broken == "missing")


def test_a_hook_never_waits_for_input(memory: MemoryRepo) -> None:
    memory.capture("Quick", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    process = subprocess.Popen(
        ["git", "commit", "-q", "-m", "x"], cwd=memory.path, stdin=subprocess.PIPE
    )
    assert process.wait(30) == 0
    assert memory.added() == ["Quick"]


def test_a_record_with_a_secret_is_held_back_and_named(memory: MemoryRepo) -> None:
    secret = "gh" + "p_" + "a1" * 18
    record = memory.capture("Placeholder", "a.py")
    folder = memory.path / ".git" / "gitmem" / "spool" / "main"
    file = next(folder.iterdir())
    _rewrite(file, secret)
    said = memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.said() == []
    assert "secret" in said and secret not in said and record[:12] not in said


def _rewrite(file: Path, secret: str) -> None:
    """Put a record with a token in the place of one: as an older version might have kept it."""
    import json

    from gitmem.core.codec import build_line
    from gitmem.core.segments import encode_segment, segment_name

    fields = json.loads(file.read_text())
    fields["why"] = secret
    line = build_line(fields)
    data = encode_segment([line])
    file.unlink()
    (file.parent / f"{line.record.seq:015d}-{segment_name(data)}").write_bytes(data)


def test_a_branch_without_the_folder_gets_it_byte_for_byte(memory: MemoryRepo) -> None:
    memory.git("checkout", "-q", "--orphan", "pages")
    memory.git("rm", "-rfq", "--cached", ".")
    memory.git("clean", "-fdxq")
    memory.write("index.html", "<p>\n")
    memory.capture("Pages", "index.html")
    memory.commit_file("pages", "index.html", "<p>\n")
    assert memory.said() == ["Pages"]
    for name in ("project.toml", ".gitattributes", ".gitignore"):
        here = memory.git("rev-parse", f"HEAD:.gitmem/{name}")
        assert here == memory.git("rev-parse", f"main:.gitmem/{name}")
    assert memory.status() == ""


def test_a_commit_that_removes_the_memory_is_left_alone(memory: MemoryRepo) -> None:
    memory.capture("Waits", "a.py")
    memory.git("rm", "-rq", ".gitmem")
    memory.commit_file("away", "a.py", "a = 2\n")
    assert memory.git("ls-tree", "HEAD", ".gitmem") == ""
    assert memory.spooled() == ["Waits"]


def test_by_base_and_not_by_branch(memory: MemoryRepo) -> None:
    memory.git("checkout", "-q", "-b", "feature")
    memory.commit_file("f", "f.py", "f = 1\n")
    memory.capture("Of the feature", "a.py")
    memory.git("checkout", "-q", "main")
    memory.commit_file("on main", "a.py", "a = 2\n")
    assert memory.said() == []
    memory.git("checkout", "-q", "-b", "feature-2", "feature")
    memory.commit_file("on its successor", "a.py", "a = 3\n")
    assert memory.added() == ["Of the feature"]


def test_past_its_deadline_the_hook_stages_nothing(
    memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.capture("Later", "a.py")
    memory.write("a.py", "a = 2\n")
    memory.git("add", "a.py")
    monkeypatch.setattr(hooking, "DEADLINE_SECONDS", 0.0)
    with pytest.raises(OutOfTime):
        hooking.run_pre_commit(memory.path, os.environ)
    assert memory.status() == "M  a.py"


def test_work_trees_that_commit_at_once(memory: MemoryRepo, tmp_path: Path) -> None:
    trees = []
    for number in range(4):
        memory.git("worktree", "add", "-q", "-b", f"b{number}", str(tmp_path / f"t{number}"))
        trees.append(MemoryRepo(tmp_path / f"t{number}"))
        trees[-1].capture(f"Nr {number}", "a.py")
        trees[-1].write("a.py", f"a = {number + 5}\n")
    words = ["git", "commit", "-q", "-am", "at once"]
    processes = [subprocess.Popen(words, cwd=tree.path) for tree in trees]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert [tree.added() for tree in trees] == [[f"Nr {n}"] for n in range(4)]
    assert [tree.status() for tree in trees] == [""] * 4


def test_two_memories_do_not_mix(make_memory: MakeMemory) -> None:
    """A linked work tree exports GIT_DIR and GIT_INDEX_FILE to its hooks: they are for this
    repository, and reach no other."""
    one, other = make_memory("one"), make_memory("other")
    one.git("worktree", "add", "-q", str(one.path.parent / "linked"))
    linked = MemoryRepo(one.path.parent / "linked")
    hook = one.path / ".git" / "hooks" / "pre-commit"
    hook.write_text(hook.read_text() + f"env > {one.path.parent}/seen\n")
    linked.capture("Linked", "a.py")
    before = other.git("ls-files", "-s")
    linked.commit_file("linked", "a.py", "a = 2\n")
    assert "GIT_INDEX_FILE" in (one.path.parent / "seen").read_text()
    assert linked.added() == ["Linked"]
    assert one.said() == [] and one.status() == ""
    assert other.git("ls-files", "-s") == before


@pytest.mark.parametrize("how", ["afar", "subfolder", "options", "environment", "separate"])
def test_wherever_git_is_called_from(memory: MemoryRepo, tmp_path: Path, how: str) -> None:
    memory.commit_file("more", "sub/x.py", "x = 1\n")
    memory.capture("Found", "sub/x.py")
    memory.write("sub/x.py", "x = 2\n")
    git_dir, cwd, environ = memory.path / ".git", tmp_path, dict(os.environ)
    words = ["-C", str(memory.path), "commit", "-q", "-am", "x"]
    if how == "subfolder":
        words, cwd = ["commit", "-q", "-m", "x", "x.py"], memory.path / "sub"
    elif how == "options":
        words = [f"--git-dir={git_dir}", f"--work-tree={memory.path}", "commit", "-qam", "x"]
    elif how == "environment":
        environ.update(GIT_DIR="repo/.git", GIT_WORK_TREE="repo")
        words = ["commit", "-qam", "x"]
    elif how == "separate":
        memory.git("init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere.git"))
    subprocess.run(["git", *words], cwd=cwd, env=environ, check=True, timeout=60)
    assert memory.added() == ["Found"]
    assert memory.status() == ""


def test_objects_go_where_git_was_told_to_put_them(memory: MemoryRepo, tmp_path: Path) -> None:
    memory.capture("Elsewhere", "a.py")
    memory.write("a.py", "a = 2\n")
    objects = tmp_path / "objects"
    objects.mkdir()
    environ = {
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(memory.path / ".git" / "objects"),
    }
    assert memory.try_git("commit", "-q", "-a", "-m", "x", **environ)[0] == 0
    info = memory.path / ".git" / "objects" / "info"
    (info / "alternates").write_text(f"{objects}\n")
    assert memory.added() == ["Elsewhere"]
    (info / "alternates").unlink()
    assert memory.try_git("cat-file", "-e", "HEAD")[0] != 0


def test_hunk_by_hunk(memory: MemoryRepo) -> None:
    memory.capture("In parts", "a.py")
    memory.write("a.py", "a = 2\n")
    done = subprocess.run(
        ["git", "commit", "-q", "-p", "-m", "x"],
        cwd=memory.path,
        input=b"y\n",
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert memory.added() == ["In parts"]
    assert memory.status() == ""


def test_what_somebody_redacted_is_not_committed(memory: MemoryRepo) -> None:
    """The redaction came from another clone; the record is still in the spool here."""
    record = memory.capture("Taken back", "a.py")
    spool = memory.path / ".git" / "gitmem" / "spool" / "main"
    kept = {file: file.read_bytes() for file in spool.iterdir()}
    words = ["gitmem", "redact", record, "-m", "x", "--yes"]
    assert subprocess.run(words, cwd=memory.path, capture_output=True, timeout=60).returncode == 0
    for file, data in kept.items():
        file.write_bytes(data)
    memory.commit_file("a", "a.py", "a = 2\n")
    assert memory.said() == ["-"]


def test_a_commit_of_very_many_files(memory: MemoryRepo) -> None:
    for number in range(3000):
        memory.write(f"many/{number % 30}/{number}.txt", f"{number}\n")
    memory.git("add", "-A")
    memory.capture("The last folder", "many/29")
    memory.capture("All", "many")
    memory.capture("No such name", "man")
    memory.git("commit", "-q", "-m", "many")
    assert memory.added() == ["All", "The last folder"]
