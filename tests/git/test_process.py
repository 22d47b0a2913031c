"""Running git: nothing in a repository runs, nothing prompts, everything ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gitmem.errors import CannotWrite, GitFailed, NoRepository, PartMissing
from gitmem.git.blame_exec import list_filter_guards
from gitmem.git.complaints import OutOfTime, build_error
from gitmem.git.files import discover
from gitmem.git.history_exec import ExecHistoryReader
from gitmem.git.objects_exec import ExecObjectReader
from gitmem.git.process import Git, build_environ, find_git
from gitmem.git.refs_exec import ExecRefStore
from gitmem.git.settings_exec import ExecSettings
from gitmem.ports.repository import TreeChange
from tests.conftest import Repo


def git_of(repo: Repo) -> Git:
    return Git(repo.path / ".git", repo.path, os.environ)


def script_at(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def read_everything(repo: Repo) -> None:
    layout = discover(repo.path, os.environ)
    assert layout is not None
    git = Git(layout.git_dir, layout.work_tree, os.environ)
    history = ExecHistoryReader(git, layout)
    head = repo.head()
    assert len(list(history.iter_commits([head], []))) == 2
    assert list(history.iter_path_commits("a.txt", limit=9, deadline_seconds=30))
    assert list(history.iter_path_commits("dir", limit=9, deadline_seconds=30))
    assert history.get_commits([head])
    history.list_outside([head], None)
    line = history.blame_line("a.txt", 1)
    assert line is not None
    reader = ExecObjectReader(git)
    oid = reader.find_oid("HEAD:a.txt")
    assert oid is not None
    assert next(iter(reader.iter_blobs([oid], 100))).data == b"two\n"
    reader.list_tree(head)
    reader.list_roots(head)
    assert reader.is_ancestor(head, head)
    reader.close()
    store = ExecRefStore(git)
    new = store.write_commit([TreeChange("x", b"1")], parent=head, message="m", at_seconds=1)
    store.update_ref("refs/gitmem/w/0123456789abcdef", new, None)
    store.list_refs("refs/")
    store.find_symbolic("HEAD")
    store.delete_ref("refs/gitmem/w/0123456789abcdef", new)
    settings = ExecSettings(git)
    settings.get_identity()
    settings.list_remotes()
    settings.find_config("alias.log")
    git.check_trusted()


def test_nothing_that_a_repository_names_is_run(repo: Repo) -> None:
    repo.write("dir/b", "1\n")
    repo.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    repo.write("a.txt", "one\n")
    repo.commit("one")
    repo.write("a.txt", "two\n")
    repo.commit("two")
    marker = repo.path / "marker"
    evil = script_at(repo.path / ".git" / "evil.sh", f"echo \"$0 $*\" >> '{marker}'; cat; exit 0")
    hooks = script_at(repo.path / ".git" / "hooks" / "post-checkout", f"touch '{marker}'").parent
    for name in ("pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        shutil.copy(hooks / "post-checkout", hooks / name)
    for name in ("log", "cat-file", "blame", "rev-parse", "diff", "config"):
        repo.git("config", f"alias.{name}", f"!{evil}")
    for name in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "pager.blame",
        "core.editor",
        "core.askPass",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "gpg.program",
        "credential.helper",
        "sequence.editor",
        "interactive.diffFilter",
    ):
        repo.git("config", name, str(evil))
    repo.git("config", "core.hooksPath", str(hooks))
    repo.git("config", "log.showSignature", "true")
    os.utime(repo.path / "a.txt", (1, 1))
    read_everything(repo)
    assert not marker.exists(), marker.read_text()


def test_the_environment_cannot_start_a_program_either(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("dir/b", "1\n")
    repo.write("a.txt", "one\n")
    repo.commit("one")
    repo.write("a.txt", "two\n")
    repo.commit("two")
    marker = repo.path / "marker"
    evil = script_at(repo.path / ".git" / "evil.sh", f"touch '{marker}'; cat")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(evil))
    read_everything(repo)
    assert not marker.exists()


@pytest.mark.parametrize("is_included", [False, True])
def test_a_partial_clone_fetches_through_no_program_of_the_repository(
    repo: Repo, tmp_path: Path, is_included: bool
) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("one", a="lazy")
    url = f"file://{repo.path}"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", url, str(tmp_path / "partial"))
    partial = Repo(tmp_path / "partial")
    marker = tmp_path / "marker"
    evil = script_at(tmp_path / "evil.sh", f"touch '{marker}'; exec git-upload-pack \"$@\"")
    if is_included:
        partial.git("config", "-f", ".git/more", "remote.origin.promisor", "true")
        partial.git("config", "-f", ".git/more", "remote.origin.uploadpack", str(evil))
        partial.git("config", "--unset", "remote.origin.promisor")
        partial.git("config", "--unset", "extensions.partialClone", check=False)
        partial.git("config", "include.path", "more")
    else:
        partial.git("config", "remote.origin.uploadpack", str(evil))
    oid = repo.git("rev-parse", "HEAD:a")
    reader = ExecObjectReader(git_of(partial))
    assert [blob.data for blob in reader.iter_blobs([oid], 10)] == [None]
    reader.close()
    assert not marker.exists()
    partial.git("cat-file", "-e", oid)
    assert marker.exists()


def test_the_users_own_filters_stay_those_of_the_repository_do_not(repo: Repo) -> None:
    repo.git("config", "--global", "filter.lfs.clean", "git-lfs clean -- %f")
    assert list_filter_guards(git_of(repo)) == []
    repo.git("config", "filter.theirs.clean", "evil")
    guards = list_filter_guards(git_of(repo))
    assert "filter.theirs.clean=" in guards and "filter.theirs.required=false" in guards
    assert not any("lfs" in word for word in guards)
    repo.git("config", "filter.a=b.clean", "evil")
    with pytest.raises(GitFailed):
        list_filter_guards(git_of(repo))


def test_variables_of_another_repository_are_dropped(repo: Repo) -> None:
    listed = repo.git("rev-parse", "--local-env-vars").split()
    environ = build_environ(dict.fromkeys(listed, "x") | {"KEPT": "1"})
    kept = {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_NO_REPLACE_OBJECTS"}
    assert set(listed) & set(environ) == kept
    assert environ["KEPT"] == "1"


def test_configuration_in_the_environment_counts(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "From Environ")
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", "evil")
    git = git_of(repo)
    assert git.run("config", "user.name") == b"From Environ\n"
    assert git.run("config", "core.fsmonitor") == b"false\n"


def test_a_missing_executable_is_a_missing_part(repo: Repo, tmp_path: Path) -> None:
    for path in ("", str(tmp_path)):
        with pytest.raises(PartMissing, match="git executable"):
            Git(repo.path / ".git", repo.path, {"PATH": path}).run("version")


def test_no_git_is_taken_out_of_the_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    script_at(repo.path / "git", "touch marker")
    script_at(repo.path / "bin" / "git", "touch marker")
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("PATH", ".", prepend=os.pathsep)
    monkeypatch.setenv("PATH", "bin", prepend=os.pathsep)
    monkeypatch.setenv("PATH", "", prepend=os.pathsep)
    assert Path(find_git(os.environ)).is_absolute()
    git_of(repo).run("version")
    assert not (repo.path / "marker").exists()


def test_a_work_tree_that_is_gone(repo: Repo) -> None:
    git = Git(repo.path / ".git", repo.path / "gone", os.environ)
    with pytest.raises(NoRepository):
        git.run("version")


def test_a_git_dir_that_is_gone(repo: Repo) -> None:
    with pytest.raises(NoRepository):
        Git(repo.path / "nowhere", None, os.environ).run("rev-parse", "HEAD")
    with pytest.raises(NoRepository):
        Git(repo.path, repo.path, os.environ).run("rev-parse", "HEAD")


def test_somebody_elses_repository(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    git_of(repo).check_trusted()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NoRepository) as caught:
        git_of(repo).check_trusted()
    line = f"git config --global --add safe.directory '{repo.path}'"
    assert line in caught.value.hint
    subprocess.run(line, shell=True, check=True)  # noqa: S602
    git_of(repo).check_trusted()


def test_trust_where_the_work_tree_is_elsewhere(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    git = Git(repo.path / ".git", tmp_path / "elsewhere", os.environ)
    git.check_trusted()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NoRepository, match="somebody else"):
        Git(repo.path / ".git", tmp_path / "elsewhere", os.environ).check_trusted()


def test_complaints_are_one_clean_line(repo: Repo) -> None:
    with pytest.raises(GitFailed) as caught:
        git_of(repo).run("rev-parse", "--verify", "no\x1b[2Jsuch\nthing")
    assert caught.value.message.startswith("git rev-parse: fatal:")
    assert not set(caught.value.message) & {"\x1b", "\n"}
    error = build_error(("log",), b"\x1b]0;x\x07warning: x\n\xff\nfatal: bad \x9b31m \x00\n")
    assert str(error) == "git log: fatal: bad  31m" or "\x9b" not in str(error)
    assert isinstance(build_error(("x",), b"error: unable to write: No space left"), CannotWrite)
    assert "no reason" in str(build_error(("x",), b""))


def test_stdin_is_not_inherited(repo: Repo) -> None:
    assert git_of(repo).run("hash-object", "--stdin").strip() == (
        b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    )


def test_a_call_that_takes_too_long_is_ended_with_all_it_started(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_at(tmp_path / "bin" / "git", "sleep 300 & echo $! > pid; wait")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    with pytest.raises(OutOfTime):
        git_of(repo).run("log", seconds=0.3)
    assert is_gone(int((repo.path / "pid").read_text()))
    child = git_of(repo).open_child("cat-file", "--batch", idle_seconds=0.3)
    child.write(b"HEAD\n")
    assert child.read_line(100) == b""
    assert isinstance(child.build_failure(), OutOfTime)
    child.close()
    assert is_gone(int((repo.path / "pid").read_text()))


def test_an_abandoned_stream_ends_git(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_at(tmp_path / "bin" / "git", "echo $$ > pid; echo first; exec sleep 300")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    stream = git_of(repo).stream("log")
    assert next(stream) == b"first\n"
    stream.close()  # type: ignore[attr-defined]
    assert is_gone(int((repo.path / "pid").read_text()))


def test_a_noisy_git_does_not_block(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script_at(
        tmp_path / "bin" / "git",
        "i=0; while [ $i -lt 20000 ]; do echo 'warning: noise' >&2; i=$((i+1)); done; echo out",
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    assert b"".join(git_of(repo).stream("log")) == b"out\n"


def test_a_stream_that_fails_says_so(repo: Repo) -> None:
    with pytest.raises(GitFailed, match="fatal"):
        list(git_of(repo).stream("log", "no-such-revision", "--"))


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().split(") ")[-1].startswith("Z"):
            return True
        time.sleep(0.05)
    return False
