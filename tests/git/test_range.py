"""A range, read from real repositories: files of the code, segments of records, odd shapes."""

from __future__ import annotations

import os

import pytest

from gitmem.core.segments import SegmentRef
from gitmem.errors import Ambiguous
from gitmem.git.files import discover
from gitmem.git.process import Git
from gitmem.git.range_exec import ExecRangeReader
from gitmem.ports.range_reader import Ends, RangeCommit
from tests.conftest import Repo

FOLDER = ".gitmem/records/2026-01/"
ONE, TWO = "a" * 26 + ".ndjson", "b" * 26 + ".ndjson"


def reader_of(repo: Repo) -> ExecRangeReader:
    layout = discover(repo.path, os.environ)
    assert layout is not None
    return ExecRangeReader(Git(layout.git_dir, layout.work_tree, os.environ), layout)


def read(repo: Repo, *words: str) -> list[RangeCommit]:
    reader = reader_of(repo)
    ends = reader.find_ends(words)
    assert ends is not None
    return list(reader.iter_range(ends))


def add(repo: Repo, message: str, **files: str) -> str:
    for name, text in files.items():
        repo.write(name, text)
    return repo.commit(message)


def test_segments_that_come_and_go_are_told_from_files_of_the_code(repo: Repo) -> None:
    add(repo, "one", **{FOLDER + ONE: "1\n", "a.py": "a\n", ".gitmem/project.toml": "x"})
    blob = repo.git("rev-parse", f"HEAD:{FOLDER}{ONE}")
    repo.git("rm", "-q", FOLDER + ONE)
    add(repo, "two", **{FOLDER + TWO: "1\n", f"{FOLDER}other.txt": "x"})
    first, second = read(repo, "HEAD")
    assert [touch.path for touch in first.touches] == ["a.py"]
    assert first.added == (SegmentRef(ONE, blob),) and first.removed == ()
    # The same bytes under another name: git calls it a rename, and it is none.
    assert second.touches == ()
    assert second.added == (SegmentRef(TWO, blob),)
    assert second.removed == (SegmentRef(ONE, blob),)


def test_what_a_merge_itself_adds_or_removes_is_found(repo: Repo) -> None:
    add(repo, "base", **{FOLDER + TWO: "2\n"})
    blob = repo.git("rev-parse", f"HEAD:{FOLDER}{TWO}")
    repo.git("checkout", "-qb", "side")
    add(repo, "side", b="1")
    repo.git("checkout", "-q", "main")
    add(repo, "main", c="1")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    repo.write(FOLDER + ONE, "1\n")
    repo.git("rm", "-q", FOLDER + TWO)
    merge = repo.commit("join")
    (said,) = reader_of(repo).read_merges([merge]).values()
    assert [ref.name for ref in said.added] == [ONE]
    assert said.removed == (SegmentRef(TWO, blob),)
    assert reader_of(repo).read_merges([]) == {}


def test_a_rename_has_both_names_and_the_first_commit_its_files(repo: Repo) -> None:
    add(repo, "one", old="a\nb\nc\nd\ne\n")
    repo.git("mv", "old", "new")
    repo.commit("two")
    first, second = read(repo, "HEAD")
    assert [(t.status, t.path) for t in first.touches] == [("A", "old")]
    assert [(t.status, t.old_path, t.path) for t in second.touches] == [("R", "old", "new")]


def test_tags_are_peeled_and_what_is_no_commit_is_none(repo: Repo) -> None:
    oid = add(repo, "one", a="1")
    repo.git("tag", "-a", "-m", "t", "v1")
    reader = reader_of(repo)
    assert reader.find_ends(["v1"]) == Ends((oid,), ())
    assert reader.find_ends(["v1...HEAD"]) == Ends((oid,), (oid,))
    for words in (["HEAD:a"], ["HEAD^{tree}"], ["nope"], ["a"], ["HEAD~1.."], ["^--all"], ["@{u}"]):
        assert reader.find_ends(words) is None, words


def test_an_ambiguous_prefix_is_a_question(repo: Repo) -> None:
    stream = "".join(
        f"commit refs/heads/n{n}\ncommitter A <a@b> {n} +0000\ndata 0\n\n" for n in range(1000)
    )
    repo.git("fast-import", "--quiet", stdin=stream.encode())
    starts = [oid[:4] for oid in repo.git("rev-list", "--all").split()]
    twice = next(one for one in starts if starts.count(one) > 1)
    with pytest.raises(Ambiguous, match=twice):
        reader_of(repo).find_ends([f"{twice}..main"])


def test_the_last_tag_and_its_time(repo: Repo) -> None:
    add(repo, "one", a="1")
    reader = reader_of(repo)
    assert reader.find_last_tag("HEAD") is None
    repo.git("tag", "x/v1")
    add(repo, "two", a="2")
    assert reader.find_last_tag("HEAD") == "x/v1"
    assert reader.find_last_tag("refs/tags/x/v1^") is None
    assert reader.find_tag_time("x/v1") == 1767323045
    assert reader.find_tag_time("x") is None and reader.find_tag_time("v1") is None


def test_all_segments_of_a_commit_are_listed_and_nothing_else(repo: Repo) -> None:
    add(repo, "one", **{FOLDER + ONE: "1\n", f".gitmem/records/{TWO}": "2\n", FOLDER + "x": "x"})
    names = {ref.name for ref in reader_of(repo).list_segments(repo.head())}
    assert names == {ONE, TWO}
    assert reader_of(repo).list_segments("--all") == []


def test_commits_outside_of_what_tips_reach(repo: Repo) -> None:
    one = add(repo, "one", a="1")
    two = add(repo, "two", a="2")
    assert reader_of(repo).list_outside([one, two], [one]) == {two}
    assert reader_of(repo).list_outside([], [one]) == set()


def test_a_segment_that_is_written_over_went_and_came(repo: Repo) -> None:
    add(repo, "base", **{FOLDER + ONE: "1\n", FOLDER + TWO: "2\n"})
    one, two = (repo.git("rev-parse", f"HEAD:{FOLDER}{name}") for name in (ONE, TWO))
    add(repo, "emptied", **{FOLDER + ONE: ""})
    (repo.path / FOLDER / TWO).unlink()
    (repo.path / FOLDER / TWO).symlink_to("elsewhere")
    repo.commit("a link")
    _, emptied, linked = read(repo, "HEAD")
    empty = repo.git("rev-parse", f"HEAD:{FOLDER}{ONE}")
    assert (emptied.removed, emptied.added) == ((SegmentRef(ONE, one),), (SegmentRef(ONE, empty),))
    assert (linked.removed, linked.added) == ((SegmentRef(TWO, two),), ())


def test_a_merge_that_writes_over_a_segment_is_found(repo: Repo) -> None:
    add(repo, "base", **{FOLDER + ONE: "1\n"})
    blob = repo.git("rev-parse", f"HEAD:{FOLDER}{ONE}")
    repo.git("checkout", "-qb", "side")
    add(repo, "side", **{FOLDER + TWO: "2\n"})
    repo.git("checkout", "-q", "main")
    add(repo, "main", c="1")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    repo.write(FOLDER + ONE, "")
    repo.write(FOLDER + TWO, "")
    merge = repo.commit("join")
    (said,) = reader_of(repo).read_merges([merge]).values()
    assert [ref.name for ref in said.added] == [ONE, TWO]
    assert said.removed[0] == SegmentRef(ONE, blob)
    assert [ref.name for ref in said.removed] == [ONE, TWO]
