"""The code's own history, read from real repositories."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.core.history import Commit, Touch
from gitmem.errors import GitFailed
from gitmem.git.files import discover
from gitmem.git.history_exec import ExecHistoryReader
from gitmem.git.history_parse import format_option, parse_log
from gitmem.git.process import Git
from tests.conftest import Repo

LINES = "".join(f"line {number}\n" for number in range(40))
SEGMENT = ".gitmem/records/2026-01/{}.ndjson"


def history_of(repo: Repo) -> ExecHistoryReader:
    layout = discover(repo.path, os.environ)
    assert layout is not None
    return ExecHistoryReader(Git(layout.git_dir, layout.work_tree, os.environ), layout)


def all_of(repo: Repo) -> list[Commit]:
    return list(history_of(repo).iter_commits([repo.head()], []))


def shapes(commit: Commit) -> list[tuple[str, str, str | None]]:
    return sorted((touch.status, touch.path, touch.old_path) for touch in commit.touches)


def test_ancestors_come_first(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", b="1")
    repo.git("checkout", "-q", "main")
    two = repo.commit("two", a="2")
    repo.git("merge", "-q", "--no-ff", "-m", "join", "side")
    commits = all_of(repo)
    order = [commit.oid for commit in commits]
    assert set(order) == {one, two, side, repo.head()}
    for commit in commits:
        assert all(order.index(parent) < order.index(commit.oid) for parent in commit.parents)
    assert commits[-1].parents == (two, side)
    assert commits[-1].touches == ()


def test_a_commit_carries_who_when_what(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-03-04T05:06:07Z")
    repo.write("dir/a", "1")
    oid = repo.commit("subject\n\nbody one\n\nbody two\n")
    blob = repo.git("rev-parse", "HEAD:dir/a")
    assert all_of(repo) == [
        Commit(
            oid,
            (),
            1772600767,
            "Ada",
            "ada@example.com",
            "subject\n\nbody one\n\nbody two",
            (Touch("A", "dir/a", None, blob),),
        )
    ]


def test_every_kind_of_change(repo: Repo) -> None:
    repo.write("kept", LINES)
    repo.write("moved", LINES.replace("line", "row"))
    repo.write("gone", "gone")
    repo.write("typed", "text")
    repo.commit("one")
    repo.git("mv", "moved", "dir-moved")
    repo.write("kept", LINES + "more\n")
    (repo.path / "gone").unlink()
    (repo.path / "typed").unlink()
    (repo.path / "typed").symlink_to("kept")
    repo.commit("two")
    last = all_of(repo)[-1]
    assert shapes(last) == [
        ("D", "gone", None),
        ("M", "kept", None),
        ("R", "dir-moved", "moved"),
        ("T", "typed", None),
    ]
    blobs = {touch.path: touch.blob for touch in last.touches}
    assert blobs["gone"] == "0" * 40
    assert blobs["kept"] == repo.git("rev-parse", "HEAD:kept")


def test_a_rename_with_an_edit_is_a_rename(repo: Repo) -> None:
    repo.write("old.py", LINES)
    repo.commit("one")
    repo.git("mv", "old.py", "new.py")
    repo.write("new.py", LINES.replace("line 3\n", "changed\n"))
    repo.commit("two")
    assert shapes(all_of(repo)[-1]) == [("R", "new.py", "old.py")]


def test_what_is_excluded_is_left_out(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    two = repo.commit("two", a="2")
    history = history_of(repo)
    assert [commit.oid for commit in history.iter_commits([two], [one])] == [two]
    assert list(history.iter_commits([two], [two])) == []
    assert list(history.iter_commits([], [one])) == []
    gone = "1" * 40
    assert [commit.oid for commit in history.iter_commits([one], [gone])] == [one]
    with pytest.raises(GitFailed):
        list(history.iter_commits(["--all"], []))


def test_closing_half_way_ends_git(repo: Repo) -> None:
    for number in range(30):
        repo.commit(str(number), a=str(number))
    commits = history_of(repo).iter_commits([repo.head()], [])
    assert next(commits).message == "0"
    assert isinstance(commits, Iterator)
    commits.close()  # type: ignore[attr-defined]
    assert list(commits) == []


def test_odd_file_names_come_through(repo: Repo) -> None:
    names = [b"new\nline", b"tab\there", b"caf\xe9.py", "naïve".encode(), b":100644 x", b"1" * 40]
    for name in names:
        (repo.path / os.fsdecode(name)).write_bytes(b"x")
    repo.commit("odd")
    (commit,) = all_of(repo)
    assert sorted(touch.path for touch in commit.touches) == sorted(
        ["new\nline", "tab\there", "caf%E9.py", "naïve", ":100644 x", "1" * 40]
    )


def test_a_renamed_file_whose_name_is_not_utf8(repo: Repo) -> None:
    (repo.path / os.fsdecode(b"caf\xe9.py")).write_text(LINES)
    repo.commit("one")
    repo.git("mv", b"caf\xe9.py", b"th\xe9.py")
    repo.commit("two")
    assert shapes(all_of(repo)[-1]) == [("R", "th%E9.py", "caf%E9.py")]


def commit_raw(repo: Repo, body: bytes, *headers: bytes) -> None:
    tree = repo.git("write-tree").encode()
    who = b"Ren\xe9 <r@example.com> 1767322985 +0000"
    lines = [b"tree " + tree, b"author " + who, b"committer " + who, *headers, b"", body]
    oid = repo.git(
        "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=b"\n".join(lines)
    )
    repo.git("update-ref", "refs/heads/main", oid)


def test_a_message_is_decoded_by_its_header(repo: Repo) -> None:
    commit_raw(repo, b"caf\xe9 \xe0 la carte\n", b"encoding ISO-8859-1")
    (commit,) = all_of(repo)
    assert (commit.message, commit.author) == ("café à la carte", "René")


def test_a_message_that_lies_about_its_encoding(repo: Repo) -> None:
    commit_raw(repo, b"caf\xe9 \xf0\x9f\x98\x80\n")
    (commit,) = all_of(repo)
    assert (commit.message, commit.author) == ("caf\ufffd \U0001f600", "Ren\ufffd")
    commit_raw(repo, b"caf\xe9\n", b"encoding NO-SUCH-THING")
    assert all_of(repo)[0].message == "caf\ufffd"


def test_a_message_with_a_nul_or_without_anything(repo: Repo) -> None:
    commit_raw(repo, b"before\0after\n")
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    repo.commit("last", a="1")
    messages = [commit.message for commit in all_of(repo)]
    assert messages[0].startswith("before")
    assert messages[1:] == ["", "last"]


def test_a_merge_carries_the_segments_it_added_itself(repo: Repo) -> None:
    repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.write(SEGMENT.format("s" * 26), "side")
    repo.commit("side", a="2")
    repo.git("checkout", "-q", "main")
    repo.commit("two", a="3")
    repo.git("merge", "side", check=False)
    repo.write("a", "resolved")
    repo.write(SEGMENT.format("m" * 26), "merge")
    repo.write("other", "not a segment")
    merge = repo.commit("join")
    blob = repo.git("rev-parse", "HEAD:" + SEGMENT.format("m" * 26))
    expected = (Touch("A", SEGMENT.format("m" * 26), None, blob),)
    last = all_of(repo)[-1]
    assert (last.oid, len(last.parents)) == (merge, 2)
    assert last.touches == expected
    assert history_of(repo).get_commits([merge])[0].touches == expected
    later = repo.commit("later")
    found = list(history_of(repo).iter_commits([later], [last.parents[0]]))
    assert [commit.touches for commit in found if commit.oid == merge] == [expected]


def test_a_merge_that_only_joins_carries_nothing(repo: Repo) -> None:
    repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.write(SEGMENT.format("s" * 26), "side")
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.write(SEGMENT.format("t" * 26), "main")
    repo.commit("two")
    repo.git("merge", "-q", "-m", "join", "side")
    assert all_of(repo)[-1].touches == ()


def test_a_segment_taken_from_an_abandoned_side_is_seen(repo: Repo) -> None:
    """History is not simplified: a merge that took the other side's tree whole counts."""
    repo.commit("one", a="1")
    repo.git("checkout", "-q", "-b", "side")
    repo.write(SEGMENT.format("s" * 26), "side")
    side = repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.commit("two", b="1")
    repo.git("merge", "-q", "-s", "ours", "-m", "join", "side")
    touched = {c.oid: shapes(c) for c in all_of(repo)}
    assert touched[side] == [("A", SEGMENT.format("s" * 26), None)]


def test_the_users_configuration_changes_nothing(repo: Repo, isolated: Path) -> None:
    repo.write("old.py", LINES)
    repo.write("sub/x", "1")
    repo.commit("root")
    repo.git("mv", "old.py", "new.py")
    repo.write("sub/x", "2")
    repo.commit("two")
    before = all_of(repo)
    changed = list(history_of(repo).iter_path_commits("new.py", limit=9, deadline_seconds=30))
    settings = {
        "log.follow": "true",
        "log.showRoot": "false",
        "log.date": "relative",
        "log.decorate": "full",
        "log.showSignature": "true",
        "log.mailmap": "true",
        "log.diffMerges": "first-parent",
        "diff.renames": "false",
        "diff.renameLimit": "1",
        "diff.noprefix": "true",
        "diff.relative": "true",
        "diff.orderFile": "no-such-file",
        "diff.ignoreSubmodules": "all",
        "color.ui": "always",
        "core.quotePath": "true",
        "core.abbrev": "5",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "ISO-8859-1",
        "notes.displayRef": "refs/notes/*",
    }
    for name, value in settings.items():
        repo.git("config", name, value)
    assert all_of(repo) == before
    history = history_of(repo)
    assert list(history.iter_path_commits("new.py", limit=9, deadline_seconds=30)) == changed
    assert [commit.message for commit in changed] == ["two", "root"]


def test_commits_are_fetched_in_the_order_asked(repo: Repo) -> None:
    oids = [repo.commit(str(number), a=str(number)) for number in range(4)]
    blob = repo.git("rev-parse", "HEAD:a")
    asked = [oids[2], "1" * 40, blob, oids[0], "nonsense", oids[3], oids[0]]
    found = history_of(repo).get_commits(asked)
    assert [commit.oid for commit in found] == [oids[2], oids[0], oids[3], oids[0]]
    assert shapes(found[0]) == [("M", "a", None)]
    assert history_of(repo).get_commits([]) == []


def test_what_head_does_not_reach(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    two = repo.commit("two", a="2")
    history = history_of(repo)
    assert history.list_outside([two], one) == [two]
    assert set(history.list_outside([two], None)) == {one, two}
    assert history.list_outside([two], two) == []
    assert history.list_outside([], None) == []


def test_a_files_history_follows_its_renames(repo: Repo) -> None:
    repo.write("old.py", LINES)
    first = repo.commit("one")
    repo.commit("elsewhere", b="1")
    repo.git("mv", "old.py", "new.py")
    moved = repo.commit("moved")
    repo.write("new.py", LINES + "x")
    last = repo.commit("changed")
    history = history_of(repo)
    found = list(history.iter_path_commits("new.py", limit=10, deadline_seconds=30))
    assert [commit.oid for commit in found] == [last, moved, first]
    assert shapes(found[1]) == [("R", "new.py", "old.py")]
    two = history.iter_path_commits("new.py", limit=2, deadline_seconds=30)
    assert [commit.oid for commit in two] == [last, moved]
    assert list(history.iter_path_commits("none", limit=2, deadline_seconds=30)) == []
    assert list(history.iter_path_commits("new.py", limit=0, deadline_seconds=30)) == []


def test_a_folders_history(repo: Repo) -> None:
    repo.write("dir/a", "1")
    one = repo.commit("one")
    repo.commit("elsewhere", b="1")
    repo.write("dir/b", "1")
    two = repo.commit("two")
    history = history_of(repo)
    for path in ("dir", "dir/"):
        found = list(history.iter_path_commits(path, limit=10, deadline_seconds=30))
        assert [commit.oid for commit in found] == [two, one]
    everything = list(history.iter_path_commits("", limit=10, deadline_seconds=30))
    assert len(everything) == 3


def test_paths_are_never_patterns_or_options(repo: Repo) -> None:
    repo.write("*", "star")
    one = repo.commit("one")
    repo.commit("two", a="1")
    history = history_of(repo)
    found = list(history.iter_path_commits("*", limit=10, deadline_seconds=30))
    assert [commit.oid for commit in found] == [one]
    for path in ("--all", ":(top)", ":/", "a\0b"):
        list(history.iter_path_commits(path, limit=10, deadline_seconds=30))
        assert history.blame_line(path, 1) is None


def test_a_path_that_is_not_utf8_is_asked_for_in_its_stored_form(repo: Repo) -> None:
    (repo.path / os.fsdecode(b"caf\xe9.py")).write_text("one\n")
    oid = repo.commit("one")
    history = history_of(repo)
    found = list(history.iter_path_commits("caf%E9.py", limit=9, deadline_seconds=30))
    assert [commit.oid for commit in found] == [oid]
    line = history.blame_line("caf%E9.py", 1)
    assert line is not None and (line.commit, line.original_path) == (oid, "caf%E9.py")


def test_the_deadline_ends_a_slow_git(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        repo.commit(str(number), a=str(number))
    real = shutil.which("git")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\n\'{real}\' "$@"\ncase "$*" in *--raw*) sleep 300;; esac\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent), prepend=os.pathsep)
    found = list(history_of(repo).iter_path_commits("a", limit=99, deadline_seconds=0.5))
    # The last one may have been half printed for all one can know.
    assert [commit.message for commit in found] == ["2", "1"]


def test_output_cut_anywhere_gives_whole_commits_only(repo: Repo) -> None:
    repo.write("old", LINES)
    repo.commit("one\n\nbody", a="1", b="2")
    repo.git("mv", "old", "new")
    repo.commit("two", a="3")
    raw = subprocess.run(
        ["git", "log", "-z", "--raw", "--no-abbrev", "-M", format_option("MARK")],
        cwd=repo.path,
        capture_output=True,
        check=True,
    ).stdout
    whole = list(parse_log([raw], "MARK"))
    assert [commit.subject for commit in whole] == ["two", "one"]
    assert list(parse_log((bytes([byte]) for byte in raw), "MARK")) == whole

    def cut(at: int) -> Iterator[bytes]:
        yield raw[:at]
        raise TimeoutError

    for at in range(len(raw)):
        got = []
        with pytest.raises(TimeoutError):
            for commit in parse_log(cut(at), "MARK"):
                got.append(commit)
        assert got == whole[: len(got)]


def test_nonsense_is_an_error() -> None:
    with pytest.raises(GitFailed):
        list(parse_log([b"MARK\0only\0two"], "MARK"))


def test_blame_names_the_commit_of_a_line(repo: Repo) -> None:
    repo.write("a.py", "one\ntwo\nthree\n")
    first = repo.commit("first")
    repo.write("a.py", "one\n2\nthree\n")
    second = repo.commit("second")
    repo.git("mv", "a.py", "b.py")
    repo.commit("moved")
    repo.write("b.py", "zero\none\n  2\nthree\n")
    history = history_of(repo)
    one, two = history.blame_line("b.py", 2), history.blame_line("b.py", 3)
    assert one is not None and two is not None
    assert (one.commit, one.original_path, one.original_line) == (first, "a.py", 1)
    assert (two.commit, two.author) == (second, "Ada")
    assert two.at == 1767323045
    fresh = history.blame_line("b.py", 1)
    assert fresh is not None and fresh.commit is None
    for path, line in (("b.py", 5), ("b.py", 0), ("b.py", -1), ("none", 1), ("a.py", 1)):
        assert history.blame_line(path, line) is None


def test_blame_of_what_git_does_not_track(repo: Repo) -> None:
    repo.write("dir/a", "1\n")
    repo.commit("one")
    repo.write("untracked", "x\n")
    repo.write("staged", "x\n")
    repo.git("add", "staged")
    history = history_of(repo)
    assert history.blame_line("untracked", 1) is None
    assert history.blame_line("dir", 1) is None
    assert history.blame_line("../outside", 1) is None
    line = history.blame_line("staged", 1)
    assert line is not None and line.commit is None
    (repo.path / "dir/a").unlink()
    assert history.blame_line("dir/a", 1) is None


def test_blame_passes_over_ignored_commits(repo: Repo) -> None:
    repo.write("a", "one = 1\ntwo = 2\n")
    first = repo.commit("first")
    repo.write("a", "one=1\ntwo=2 # formatted\n")
    second = repo.commit("format everything")
    repo.write(".git-blame-ignore-revs", second + "\n")
    repo.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    line = history_of(repo).blame_line("a", 2)
    assert line is not None and line.commit == first
    repo.git("config", "--unset", "blame.ignoreRevsFile")
    repo.git("config", "--global", "blame.ignoreRevsFile", "not-in-this-repository")
    line = history_of(repo).blame_line("a", 2)
    assert line is not None and line.commit == second


def test_blame_of_a_quoted_name(repo: Repo) -> None:
    name = 'a\n"b"\t\\c'
    repo.write(name, "x\n")
    oid = repo.commit("one")
    line = history_of(repo).blame_line(name, 1)
    assert line is not None and (line.commit, line.original_path) == (oid, name)


def test_a_repository_without_commits(repo: Repo) -> None:
    repo.write("a", "1")
    repo.git("add", "a")
    history = history_of(repo)
    assert list(history.iter_path_commits("a", limit=9, deadline_seconds=30)) == []
    assert history.blame_line("a", 1) is None
    assert history.list_shallow() == frozenset()


def test_a_detached_head(repo: Repo) -> None:
    one = repo.commit("one", a="1")
    repo.commit("two", a="2")
    repo.git("checkout", "-q", one)
    repo.git("branch", "-q", "-D", "main")
    history = history_of(repo)
    found = list(history.iter_path_commits("a", limit=9, deadline_seconds=30))
    assert [commit.oid for commit in found] == [one]


def clone(source: Repo, into: Path, *options: str) -> Repo:
    subprocess.run(["git", "clone", "-q", *options, f"file://{source.path}", str(into)], check=True)
    return Repo(into)


def test_a_shallow_boundary_touches_nothing(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(str(number), **{f"f{number}": "x"})
    shallow = clone(repo, tmp_path / "shallow", "--depth=2")
    boundary = shallow.git("rev-parse", "HEAD~1")
    history = history_of(shallow)
    assert history.list_shallow() == {boundary}
    commits = list(history.iter_commits([shallow.head()], []))
    assert [(c.oid, c.parents, shapes(c)) for c in commits] == [
        (boundary, (), []),
        (shallow.head(), (boundary,), [("A", "f3", None)]),
    ]
    assert history.get_commits([boundary])[0].touches == ()


def test_a_partial_clone_is_indexed_without_fetching_contents(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.write("a", LINES)
    repo.write("b", LINES + "b")
    repo.commit("one")
    repo.git("mv", "a", "moved")
    repo.git("mv", "b", "edited")
    repo.write("edited", LINES + "c")
    repo.commit("two")
    partial = clone(repo, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    partial.git("remote", "set-url", "origin", f"file://{tmp_path}/gone")
    last = all_of(partial)[-1]
    assert shapes(last) == [("A", "edited", None), ("D", "b", None), ("R", "moved", "a")]


def test_a_sha256_repository(make_repo: Callable[..., Repo]) -> None:
    repo = make_repo("wide", "--object-format=sha256")
    repo.write("a", "one\n")
    oid = repo.commit("one")
    (commit,) = all_of(repo)
    assert commit.oid == oid and len(commit.touches[0].blob) == 64
    line = history_of(repo).blame_line("a", 1)
    assert line is not None and line.commit == oid
    assert [c.oid for c in history_of(repo).get_commits([oid])] == [oid]


def test_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.write("a", "one\n")
    oid = repo.commit("one")
    bare = clone(repo, tmp_path / "bare.git", "--bare")
    history = history_of(bare)
    assert [commit.oid for commit in history.iter_commits([oid], [])] == [oid]
    line = history.blame_line("a", 1)
    assert line is not None and line.commit == oid


def test_a_linked_work_tree_and_a_submodule(repo: Repo, tmp_path: Path) -> None:
    repo.write("a", "one\n")
    one = repo.commit("one")
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    linked = Repo(tmp_path / "linked")
    two = linked.commit("two", b="1")
    found = history_of(linked).iter_path_commits("b", limit=1, deadline_seconds=30)
    assert [commit.oid for commit in found] == [two]
    above = Repo(tmp_path / "above")
    above.path.mkdir()
    above.git("init", "-q")
    above.git("submodule", "--quiet", "add", f"file://{repo.path}", "sub")
    above.commit("with a submodule")
    line = history_of(Repo(above.path / "sub")).blame_line("a", 1)
    assert line is not None and line.commit == one
    assert ("A", "sub", None) in shapes(all_of(above)[0])


def test_many_commits_and_large_ones_come_whole(repo: Repo) -> None:
    parts = []
    for number in range(300):
        body = "é" * (number * 37)
        parts.append(
            f"commit refs/heads/main\nmark :{number + 1}\n"
            f"committer A <a@x> {1700000000 + number} +0000\n"
            f"data {len(f'c{number} {body}'.encode())}\nc{number} {body}\n"
            f"M 644 inline f{number % 7}\ndata {len(str(number))}\n{number}\n"
        )
    files = "".join(f"M 644 inline dir/{n:05}-{'x' * 60}\ndata 1\nx\n" for n in range(9000))
    parts.append(
        f"commit refs/heads/main\ncommitter A <a@x> 1700001000 +0000\ndata 3\nbig\n{files}"
    )
    repo.git("fast-import", "--quiet", stdin="".join(parts).encode())
    commits = all_of(repo)
    assert [c.message.split(" ")[0] for c in commits] == [*(f"c{n}" for n in range(300)), "big"]
    assert all(c.message.count("é") == n * 37 for n, c in enumerate(commits[:300]))
    assert len(commits[-1].touches) == 9000
    for older, newer in itertools.pairwise(commits):
        assert newer.parents == (older.oid,)


def test_what_a_lost_commit_reached_cannot_be_told(repo: Repo) -> None:
    kept = repo.commit("One")
    gone = repo.commit("Two")
    repo.git("reset", "-q", "--hard", kept)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    history = history_of(repo)
    assert history.list_outside([kept, gone], kept) is None
    assert history.list_outside([kept], None) == [kept]
