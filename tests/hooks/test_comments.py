"""Comments that give a reason become decisions with the commit that adds them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.core.code_comments import CodeComment, find_comments
from tests.hooks.conftest import MemoryRepo


def _find(text: str, path: str = "a.py") -> list[tuple[int, int, str]]:
    rows = list(enumerate(text.split("\n"), 1))
    return [(one.first, one.last, one.text) for one in find_comments(path, rows)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# WHY: it is faster", [(1, 1, "it is faster")]),
        ("x = 1  # WHY: it is faster", [(1, 1, "it is faster")]),
        ("// DECISION: one loop", [(1, 1, "one loop")]),
        ("f(); // WHY: twice", [(1, 1, "twice")]),
        ("-- WHY: a key", [(1, 1, "a key")]),
        (";; WHY: lisp", [(1, 1, "lisp")]),
        ("% WHY: tex", [(1, 1, "tex")]),
        ("/* WHY: it is C */", [(1, 1, "it is C")]),
        ("<!-- WHY: it is HTML -->", [(1, 1, "it is HTML")]),
        ("{- WHY: haskell -}", [(1, 1, "haskell")]),
        ("(* WHY: ocaml *)", [(1, 1, "ocaml")]),
        ('"""WHY: a docstring"""', [(1, 1, "a docstring")]),
        ("# WHY: it goes\n# on here\nx = 1", [(1, 2, "it goes on here")]),
        ("/* WHY: it goes\n * on here\n * and here */\nx", [(1, 3, "it goes on here and here")]),
        ("/*\n * WHY: inside\n * a block\n */", [(2, 3, "inside a block")]),
        ("# WHY: one\n# WHY: two", [(1, 1, "one"), (2, 2, "two")]),
        ("# WHY: one\n\n# no more", [(1, 1, "one")]),
        ("# WHY: one\nx = 1  # no more", [(1, 1, "one")]),
        ("# WHY:", []),
        ("# why: small letters", []),
        ("# SOMEWHY: x", []),
        ("WHY: no comment", []),
        ("# the reason WHY: not at the beginning", []),
        ("x = 'WHY: a string'", []),
    ],
)
def test_comments_of_many_languages(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert _find(text) == expected


@pytest.mark.parametrize("path", ["README.md", "docs/x.RST", "notes.txt", "data.json"])
def test_prose_and_data_have_none(path: str) -> None:
    assert _find("# WHY: a heading", path) == []


def test_only_lines_that_follow_each_other_are_one_comment() -> None:
    rows = [(3, "# WHY: one"), (9, "# another place")]
    assert [one.text for one in find_comments("a.py", rows)] == ["one"]


def test_the_key_is_of_the_path_and_the_words() -> None:
    one = CodeComment("a.py", 1, 1, "It is  Faster").key
    assert one == CodeComment("a.py", 7, 8, "it is faster").key
    assert one != CodeComment("b.py", 1, 1, "it is faster").key
    assert len(one) == 16 and int(one, 16) >= 0


def test_long_lines_are_read_in_good_time() -> None:
    for text in ("/* " * 100_000, "# " * 100_000, " " * 100_000 + "# WHY:", "(" * 100_000):
        assert _find(text) == []


def _records(memory: MemoryRepo) -> list[dict[str, object]]:
    names = memory.git("ls-tree", "-r", "--name-only", "HEAD", ".gitmem/records").splitlines()
    rows = [row for name in names for row in memory.git("show", f"HEAD:{name}").splitlines()]
    return [json.loads(row) for row in rows]


def test_a_comment_becomes_a_decision_of_its_commit(memory: MemoryRepo) -> None:
    memory.commit_file("x", "x.py", "one\n\n# WHY: both are needed,\n# as it turned out\ntwo\n")
    (record,) = _records(memory)
    assert record["summary"] == "both are needed, as it turned out"
    assert record["paths"] == [{"path": "x.py", "lines": [[3, 4]]}]
    assert record["captured_by"] == "human"
    assert record["actor"] == {"name": "Ada", "email": "ada@example.com"}
    assert memory.status() == ""


def test_capturing_again_does_nothing(memory: MemoryRepo) -> None:
    memory.commit_file("x", "x.py", "# WHY: once\n")
    memory.commit_file("moved", "x.py", "\n\n#   WHY:  Once\n")
    memory.commit_file("with more", "x.py", "# WHY: once\nx = 1\n")
    assert len(_records(memory)) == 1
    memory.git("mv", "x.py", "y.py")
    memory.git("commit", "-q", "-m", "renamed")
    assert len(_records(memory)) == 1


def test_a_comment_of_an_aborted_commit_was_never_said(memory: MemoryRepo) -> None:
    memory.write("x.py", "# WHY: a slip\n")
    memory.git("add", "x.py")
    assert memory.try_git("commit", "-q")[0] != 0
    memory.commit_file("x", "x.py", "# WHY: better\n")
    assert memory.said() == ["better"]
    assert memory.spooled() == ["better"]


def test_the_same_comment_after_an_aborted_commit_stays_one(memory: MemoryRepo) -> None:
    memory.write("x.py", "# WHY: meant\n")
    memory.git("add", "x.py")
    for _ in range(2):
        assert memory.try_git("commit", "-q")[0] != 0
    memory.git("commit", "-q", "-m", "x")
    assert memory.said() == ["meant"] and memory.spooled() == ["meant"]


def test_a_committed_comment_stays_in_the_spool(memory: MemoryRepo) -> None:
    memory.commit_file("x", "x.py", "# WHY: kept\n")
    memory.commit_file("gone", "x.py", "pass\n")
    memory.commit_file("b", "b.py", "b = 2\n")
    assert memory.said() == ["kept"] and memory.spooled() == ["kept"]


def test_removed_and_unstaged_comments_do_not_count(memory: MemoryRepo) -> None:
    memory.write("x.py", "# WHY: there before\n")
    memory.git("add", "x.py")
    memory.git("commit", "-q", "-n", "-m", "x")
    memory.write("a.py", "# WHY: not staged\n")
    memory.commit_file("gone", "x.py", "pass\n")
    assert memory.said() == []


@pytest.mark.parametrize("name", ["two words.py", "grün.py", "a\tb\n.py"])
def test_in_files_of_any_name(memory: MemoryRepo, name: str) -> None:
    memory.commit_file("x", name, "# WHY: named\n")
    (record,) = _records(memory)
    assert record["paths"] == [{"path": name, "lines": [[1, 1]]}]


def test_binary_files_are_not_read(memory: MemoryRepo) -> None:
    memory.write("x.bin", b"\0# WHY: no\n")
    memory.git("add", "x.bin")
    memory.git("commit", "-q", "-m", "x")
    assert memory.said() == []


def test_the_number_of_comments_is_bounded(memory: MemoryRepo) -> None:
    memory.commit_file("x", "x.py", "".join(f"# WHY: nr {n}\n" for n in range(200)))
    assert len(_records(memory)) == 50


def test_secrets_in_comments_are_taken_out(memory: MemoryRepo) -> None:
    secret = "gh" + "p_" + "a1" * 18
    memory.commit_file("x", "x.py", f"# WHY: the token is {secret}\n")
    assert memory.said() == ["the token is [redacted:github-token]"]


def test_where_git_knows_nobody_the_commit_still_says_its_own_error(
    memory: MemoryRepo, monkeypatch: pytest.MonkeyPatch, isolated: Path
) -> None:
    memory.git("config", "user.useConfigOnly", "true")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Bob")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "bob@example.com")
    (isolated / ".gitconfig").write_text("")
    memory.commit_file("x", "x.py", "# WHY: of Bob\n")
    (record,) = _records(memory)
    assert record["actor"] == {"name": "Bob", "email": "bob@example.com"}
