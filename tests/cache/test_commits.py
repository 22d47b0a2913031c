"""The index over the code's history."""

from __future__ import annotations

import pytest

from gitmem.cache.building import Cache
from gitmem.core.history import Commit, PathSpan, Touch
from tests.conftest import Repo
from tests.support.cached import make_commit, oid_of, search_commits


def add_line(cache: Cache, *commits: Commit, worktree: str = "main") -> None:
    """Index commits and say that HEAD reaches all of them."""
    cache.commits.add_commits(commits)
    cache.commits.set_head(worktree, commits[-1].oid, [])


def names_of(cache: Cache, path: str, worktree: str = "main") -> list[str]:
    return [span.path for span in cache.commits.list_names(path, worktree)]


def listed(cache: Cache, path: str, worktree: str = "main", **changes: bool) -> list[str]:
    found = cache.commits.list_commits(
        [PathSpan(path)], worktree, limit=99, with_reason=changes.get("with_reason", False)
    )
    return [commit.oid for commit in found]


def test_tips_are_commits_without_children(cache: Cache) -> None:
    assert cache.commits.get_tips() == []
    cache.commits.add_commits([make_commit("a"), make_commit("b", parents="a")])
    assert cache.commits.get_tips() == [oid_of("b")]
    cache.commits.add_commits([make_commit("c", parents="a"), make_commit("x")])
    assert cache.commits.get_tips() == [oid_of("b"), oid_of("c"), oid_of("x")]
    cache.commits.add_commits([make_commit("m", parents="bc"), make_commit("a")])
    assert cache.commits.get_tips() == [oid_of("x"), oid_of("m")]


def test_a_commit_as_it_is_indexed(cache: Cache) -> None:
    merge = make_commit("m", parents=["a", "b"], at=5, message="Merge branch 'b'\n")
    plain = make_commit("a", ("A", "x.py"), at=7, message="Add x because of y\n\nbody\n")
    add_line(cache, plain, make_commit("b"), merge)
    (found,) = cache.commits.find_commits(oid_of("a")[:9].upper(), limit=5)
    assert (found.oid, found.order, found.at) == (oid_of("a"), 1, 7)
    assert (found.author, found.message) == ("Ada", plain.message)
    assert found.has_reason and not found.is_merge
    (found,) = cache.commits.find_commits(oid_of("m"), limit=5)
    assert found.is_merge and not found.has_reason


def test_prefixes_of_commits(cache: Cache) -> None:
    add_line(cache, *(make_commit(n) for n in range(300)))
    oids = sorted(oid_of(n) for n in range(300))
    for digits in (1, 2, 3, 40):
        expected = [oid for oid in oids if oid.startswith(oids[9][:digits])]
        found = cache.commits.find_commits(oids[9][:digits], limit=999)
        assert [commit.oid for commit in found] == expected
    assert len(cache.commits.find_commits(oids[0][0], limit=2)) == 2
    for nonsense in ("", "xyz", "0" * 65, "--all"):
        assert cache.commits.find_commits(nonsense, limit=5) == []


def test_ids_of_sha256_repositories(cache: Cache) -> None:
    parent, child = "ab" * 32, "cd" * 32
    add_line(
        cache,
        Commit(parent, (), 1, "A", "a", "m", (Touch("A", "x", None, "0" * 64),)),
        Commit(child, (parent,), 2, "A", "a", "m", ()),
    )
    assert cache.commits.get_tips() == [child]
    assert listed(cache, "x") == [parent]
    assert [one.oid for one in cache.commits.find_commits("abab", limit=5)] == [parent]


def test_newest_first_by_time_then_order_each_once(cache: Cache) -> None:
    add_line(
        cache,
        make_commit(1, ("A", "src/a.py"), at=30),
        make_commit(2, ("M", "src/a.py"), ("A", "src/b.py"), at=10),
        make_commit(3, ("M", "src/b.py"), ("A", "src2/c.py"), at=10),
    )
    assert listed(cache, "src/a.py") == [oid_of(1), oid_of(2)]
    assert listed(cache, "src/") == listed(cache, "") == [oid_of(1), oid_of(3), oid_of(2)]
    assert listed(cache, "src") == listed(cache, "nothing") == []
    found = cache.commits.list_commits([PathSpan("src/")], "main", limit=9, with_reason=False)
    assert [one.path for one in found] == ["src/a.py", "src/b.py", "src/a.py"]
    assert len(cache.commits.list_commits([PathSpan("")], "main", limit=2, with_reason=False)) == 2


def test_only_heads_commits_count(cache: Cache) -> None:
    cache.commits.add_commits(
        [
            make_commit(1, ("A", "a.py")),
            make_commit(2, ("M", "a.py"), parents=[1], message="why\n\nBecause it must.\n"),
            make_commit(3, ("M", "a.py"), parents=[1]),
        ]
    )
    spans = [PathSpan("a.py")]
    assert listed(cache, "a.py") == []
    assert cache.commits.get_head("main") is None
    cache.commits.set_head("main", oid_of(2), [oid_of(3)])
    cache.commits.set_head("other", oid_of(3), [oid_of(2)])
    cache.commits.set_head("unborn", None, [oid_of(n) for n in (1, 2, 3)])
    assert listed(cache, "a.py") == [oid_of(2), oid_of(1)]
    assert listed(cache, "a.py", "other") == [oid_of(3), oid_of(1)]
    assert listed(cache, "a.py", "unborn") == listed(cache, "", "unborn") == []
    assert listed(cache, "a.py", with_reason=True) == [oid_of(2)]
    assert listed(cache, "", with_reason=True) == [oid_of(2)]
    assert cache.commits.count_commits(spans, "main") == (2, 1)
    assert cache.commits.count_commits([PathSpan("")], "other") == (2, 0)
    assert cache.commits.count_since(oid_of(1), spans, "main") == 1
    assert cache.commits.count_since(oid_of(1), [PathSpan("")], "main") == 1
    assert cache.commits.count_since(oid_of(2), spans, "main") == 0
    assert cache.commits.count_since("ab" * 20, spans, "main") is None
    assert cache.commits.count_since("no id", spans, "main") is None
    # What is added later belongs to this HEAD only once it is said so.
    cache.commits.add_commits([make_commit(4, ("M", "a.py"), parents=[2])])
    assert listed(cache, "a.py") == [oid_of(2), oid_of(1)]
    cache.commits.set_head("main", oid_of(4), [oid_of(3)])
    assert listed(cache, "a.py") == [oid_of(4), oid_of(2), oid_of(1)]
    assert cache.commits.get_head("main") == oid_of(4)


def test_renames_are_followed_back(cache: Cache) -> None:
    add_line(
        cache,
        make_commit(1, ("A", "a.py")),
        make_commit(2, ("R", "b.py", "a.py"), parents=[1]),
        make_commit(3, ("M", "b.py"), parents=[2]),
        make_commit(4, ("R", "src/c.py", "b.py"), parents=[3]),
        make_commit(5, ("A", "a.py"), parents=[4]),
    )
    spans = cache.commits.list_names("src/c.py", "main")
    assert spans == [PathSpan("src/c.py"), PathSpan("b.py", 4), PathSpan("a.py", 2)]
    found = cache.commits.list_commits(spans, "main", limit=9, with_reason=False)
    assert [(one.order, one.path) for one in found] == [
        (4, "src/c.py"),
        (3, "b.py"),
        (2, "b.py"),
        (1, "a.py"),
    ]
    assert cache.commits.count_commits(spans, "main")[0] == 4
    # A name that a rename left shows the commit that took it away.
    assert listed(cache, "b.py") == [oid_of(4), oid_of(3), oid_of(2)]
    assert names_of(cache, "nothing.py") == ["nothing.py"]


def test_copies_are_marked_with_all_that_lies_before_them(cache: Cache) -> None:
    add_line(
        cache,
        make_commit(1, ("A", "old.py")),
        make_commit(2, ("R", "base.py", "old.py"), parents=[1]),
        make_commit(3, ("C", "copy.py", "base.py"), ("M", "base.py"), parents=[2]),
        make_commit(4, ("M", "base.py"), parents=[3]),
    )
    assert cache.commits.list_names("copy.py", "main") == [
        PathSpan("copy.py"),
        PathSpan("base.py", 3, None, True),
        PathSpan("old.py", 2, None, True),
    ]
    assert names_of(cache, "base.py") == ["base.py", "old.py"]


def test_an_earlier_life_of_an_old_name_is_another_file(cache: Cache) -> None:
    add_line(
        cache,
        make_commit(1, ("A", "b.py")),
        make_commit(2, ("D", "b.py"), parents=[1]),
        make_commit(3, ("A", "b.py"), parents=[2]),
        make_commit(4, ("R", "c.py", "b.py"), parents=[3]),
        make_commit(5, ("M", "c.py"), parents=[4]),
    )
    spans = cache.commits.list_names("c.py", "main")
    assert spans == [PathSpan("c.py"), PathSpan("b.py", 4, 3)]
    found = cache.commits.list_commits(spans, "main", limit=9, with_reason=False)
    assert [one.order for one in found] == [5, 4, 3]
    assert cache.commits.count_since(oid_of(3), spans, "main") == 2


def test_names_that_go_in_circles_end(cache: Cache) -> None:
    commits = [make_commit(0, ("A", "a"))]
    for n in range(1, 40):
        old, new = ("a", "b") if n % 2 else ("b", "a")
        commits.append(make_commit(n, ("R", new, old), parents=[n - 1]))
    add_line(cache, *commits)
    assert sorted(names_of(cache, "a")) == ["a", "b"]
    assert len(listed(cache, "a")) == 40


def test_names_are_bounded(cache: Cache) -> None:
    chain = [make_commit(0, ("A", "f0"))]
    chain += [make_commit(n, ("R", f"f{n}", f"f{n - 1}"), parents=[n - 1]) for n in range(1, 100)]
    add_line(cache, *chain)
    assert names_of(cache, "f99") == [f"f{n}" for n in range(99, 67, -1)]


def test_renames_on_other_branches_do_not_count(cache: Cache) -> None:
    cache.commits.add_commits(
        [make_commit(1, ("A", "a"), ("A", "b")), make_commit(2, ("R", "b", "a"), parents=[1])]
    )
    cache.commits.set_head("main", oid_of(1), [oid_of(2)])
    assert names_of(cache, "b") == ["b"]


def test_paths_and_words_that_are_not_utf8(cache: Cache) -> None:
    commit = make_commit(
        1,
        ("A", b"caf\xe9.py".decode("utf-8", "surrogateescape")),
        ("A", "cafe\u0301/x.py"),
        message="caf\udce9 because\n",
    )
    add_line(cache, commit)
    assert listed(cache, "caf%E9.py") == [oid_of(1)]
    assert listed(cache, "caf\u00e9/x.py") == listed(cache, "caf\u00e9/") == [oid_of(1)]
    found = cache.commits.list_commits(
        [PathSpan("caf\u00e9/x.py")], "main", limit=9, with_reason=False
    )
    assert found[0].path == "cafe\u0301/x.py"
    assert cache.records.match_paths("x.py", limit=9) == ["cafe\u0301/x.py"]


def test_merges_appear_only_among_all(cache: Cache) -> None:
    add_line(
        cache,
        make_commit(1, ("A", "a.py")),
        make_commit(2, ("M", "a.py"), parents=[1]),
        make_commit(3, parents=[1, 2], message="Merge branch\n\nA long story.\n"),
    )
    assert oid_of(3) in listed(cache, "")
    assert oid_of(3) not in listed(cache, "a.py")
    assert oid_of(3) not in listed(cache, "", with_reason=True)


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_the_same_answers_whatever_the_batches(cache: Cache, repo: Repo, batch: int) -> None:
    repo.commit("Add\n\nBecause it was missing.", a="1\n2\n3\n4\n", b="x")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Side", a="1\n2\n3\n4\n5\n")
    repo.git("checkout", "-q", "-")
    repo.git("mv", "a", "c")
    repo.commit("Rename")
    repo.git("merge", "-q", "-m", "Merge", "side")
    repo.commit("After", c="1\n2\n3\n4\n5\n6\n")
    commits = read_history(repo)
    for start in range(0, len(commits), batch):
        cache.commits.add_commits(commits[start : start + batch])
    cache.commits.set_head("main", repo.head(), [])
    assert cache.commits.get_tips() == [repo.head()]
    spans = cache.commits.list_names("c", "main")
    assert [(span.path, span.is_copy) for span in spans] == [("c", False), ("a", False)]
    subjects = {
        one.message.strip().partition("\n")[0]
        for one in cache.commits.list_commits(spans, "main", limit=9, with_reason=False)
    }
    assert {"Add", "Rename", "After"} <= subjects
    assert cache.commits.count_commits([PathSpan("")], "main") == (len(commits), 1)


def read_history(repo: Repo) -> list[Commit]:
    """Every commit of HEAD, parents first, as git lists them."""
    commits = []
    for oid in repo.git("rev-list", "--topo-order", "--reverse", "HEAD").split():
        parents = tuple(repo.git("show", "-s", "--format=%P", oid).split())
        raw = repo.git("show", "--raw", "-M", "-z", "--no-abbrev", "--format=", oid)
        fields = raw.strip("\0\n").split("\0") if len(parents) < 2 else [""]
        touches = []
        while fields and fields[0]:
            head = fields.pop(0).split(" ")
            old = fields.pop(0) if head[4][0] in "RC" else None
            touches.append(Touch(head[4][0], fields.pop(0), old, head[3]))
        message = repo.git("show", "-s", "--format=%B", oid)
        commits.append(Commit(oid, parents, 1, "Ada", "ada@x", message, tuple(touches)))
    return commits


def test_a_head_is_not_taken_of_an_index_that_has_grown_meanwhile(cache: Cache) -> None:
    cache.commits.add_commits([make_commit(1)])
    tips = cache.commits.get_tips()
    cache.commits.add_commits([make_commit("another's")])
    assert not cache.commits.set_head("main", oid_of(1), [], tips=tips)
    assert cache.commits.get_head("main") is None
    tips = cache.commits.get_tips()
    assert cache.commits.set_head("main", oid_of(1), [oid_of("another's")], tips=tips)
    assert cache.commits.get_head("main") == oid_of(1)


def test_forgotten_commits_leave_nothing(cache: Cache) -> None:
    kept = make_commit("kept", ("A", "both.py"), message="Keep it because of weasels\n")
    gone = make_commit(
        "gone",
        ("M", "both.py"),
        ("A", "only.py"),
        ("A", f".gitmem/records/2026-01/{'a' * 26}.ndjson"),
        parents=["kept"],
        message="Change it because of badgers\n",
    )
    add_line(cache, kept, gone)
    assert search_commits(cache, ["badgers"], limit=9)
    cache.commits.keep_commits([kept.oid], [kept.oid])
    assert cache.commits.get_head("main") is None and not cache.commits.is_settled()
    assert cache.commits.get_tips() == [kept.oid]
    assert cache.commits.list_added_segments(unprojected=False) == []
    assert cache.records.match_paths("only.py", limit=9) == []
    new = make_commit("new", ("M", "both.py"), parents=["kept"], message="Say stoats\n")
    add_line(cache, new)
    assert listed(cache, "both.py") == [new.oid, kept.oid]
    for word, found in (("badgers", []), ("weasels", [kept.oid]), ("stoats", [new.oid])):
        assert [oid for oid, _ in search_commits(cache, [word], limit=9)] == found
