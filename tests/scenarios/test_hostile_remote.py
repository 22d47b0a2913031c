"""What a remote can put on a writer's ref: it is fetched, bounded, checked and never obeyed."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tests.support.commandline import Clone, Team, environment
from tests.support.hostile import list_files, write_object, write_ref, write_tree

NAMES = [
    b"../x",
    b"..",
    b".",
    b".git",
    b".GIT",
    b"git~1",
    b".git/hooks/post-checkout",
    b"/etc/passwd",
    b"C:\\windows\\x",
    b"CON",
    b"a\nb",
    b"a\x1bb",
    b"\xff\xfe",
    b"x" * 300,
    b" ",
    b"-rf",
    b"a" * 26 + b".ndjson ",
    b"../" + b"a" * 26 + b".ndjson",
]
SEGMENT = b"a" * 26 + b".ndjson"


def _pull_and_compare(team: Team, ada: Clone, known: str) -> None:
    """Pull what is hostile: nothing is written, and answers stay right."""
    ada.gitmem("status").ok()
    before, outside = list_files(ada.path), list_files(team.folder / "remote.git")
    done = ada.gitmem("--json", "pull")
    assert done.code in (0, 5), done
    after = list_files(ada.path)
    assert after == before
    assert list_files(team.folder / "remote.git") == outside
    assert not (team.folder / "x").exists() and not (ada.path.parent / "x").exists()
    hit = ada.hit("app.py", known)
    assert (hit["state"], hit["summary"]) == ("current", "Known")
    for words in (["log"], ["status"], ["search", "known"], ["verify"]):
        assert ada.gitmem("--json", *words).code in (0, 7), words
    ada.gitmem("push").ok()


def _segment_of(clone: Clone) -> bytes:
    file = next((clone.home / "spool/main").glob("*.ndjson"))
    return file.read_bytes()


def _start(team: Team) -> tuple[Clone, str]:
    ada = team.start()
    return ada, ada.capture("Known", "app.py")


@pytest.mark.parametrize("depth", ["root", "records", "month"])
def test_odd_names_in_a_tree_are_never_written_anywhere(team: Team, depth: str) -> None:
    ada, known = _start(team)
    blob = write_object(team.remote, "blob", b"#!/bin/sh\ntouch owned\n")
    link = write_object(team.remote, "blob", b"/etc/passwd")
    entries = [("100755", name, blob) for name in NAMES]
    entries += [("120000", b"link", link), ("160000", b"module", "1" * 40)]
    entries += [("120000", SEGMENT, link), ("40000", b"2026-01", blob)]
    tree = write_tree(team.remote, entries)
    if depth == "month":
        tree = write_tree(team.remote, [("40000", b"2026-02", tree), ("120000", b"2026-03", link)])
    if depth != "root":
        tree = write_tree(team.remote, [("40000", b"records", tree)])
    write_ref(team.remote, tree)
    _pull_and_compare(team, ada, known)


@pytest.mark.parametrize("mode", ["100644", "120000", "160000", "40000"])
def test_anything_may_stand_where_the_folder_should(team: Team, mode: str) -> None:
    ada, known = _start(team)
    blob = write_object(team.remote, "blob", b"x")
    write_ref(team.remote, write_tree(team.remote, [(mode, b"records", blob)]))
    _pull_and_compare(team, ada, known)


def test_a_writers_word_on_the_project_counts_for_nothing_here(team: Team) -> None:
    ada, known = _start(team)
    for n, text in enumerate((b"format = 99\n", b"<<<<<<<\n", b"x" * 3_000_000, b"")):
        blob = write_object(team.remote, "blob", text)
        tree = write_tree(team.remote, [("100644", b"project.toml", blob)])
        write_ref(team.remote, tree, f"{n:016x}")
    _pull_and_compare(team, ada, known)
    ben = team.clone("Ben")
    ben.git("switch", "-q", "--detach", "HEAD~1")
    ben.gitmem("pull").ok()
    project = ben.gitmem("--json", "init", "--dry-run").ok().data["project_id"]
    assert project == ada.status()["project_id"]


def test_a_huge_blob_and_a_segment_of_many_records_are_bounded(team: Team) -> None:
    ada, known = _start(team)
    good = _segment_of(ada)
    huge = write_object(team.remote, "blob", b"{" + b" " * (9 * 1024 * 1024) + b"}\n")
    many = write_object(team.remote, "blob", good * 3000)
    lines = write_object(team.remote, "blob", b"\n" * 5_000_000)
    deep = write_object(team.remote, "blob", b"[" * 100_000 + b"\n" + good)
    month = [
        ("100644", bytes([letter]) * 26 + b".ndjson", oid)
        for letter, oid in zip(b"abcd", (huge, many, lines, deep), strict=True)
    ]
    records = write_tree(team.remote, [("40000", b"2026-01", write_tree(team.remote, month))])
    write_ref(team.remote, write_tree(team.remote, [("40000", b"records", records)]))
    _pull_and_compare(team, ada, known)
    assert ada.status()["quarantined"] >= 3
    ada.gitmem("verify").ends(7)


@pytest.mark.parametrize(
    "entries", [5_000, pytest.param(100_000, marks=pytest.mark.slow)], ids=["many", "very many"]
)
def test_a_folder_of_very_many_entries_ends(team: Team, entries: int) -> None:
    ada, known = _start(team)
    blob = write_object(team.remote, "blob", b"{}\n")
    alphabet = "abcdefghijklmnopqrstuvwxyz234567"

    def name(n: int) -> bytes:
        digits = ""
        for _ in range(26):
            n, digit = divmod(n, 32)
            digits += alphabet[digit]
        return digits.encode() + b".ndjson"

    month = write_tree(team.remote, sorted(("100644", name(n), blob) for n in range(entries)))
    records = write_tree(team.remote, [("40000", b"2026-01", month)])
    write_ref(team.remote, write_tree(team.remote, [("40000", b"records", records)]))
    _pull_and_compare(team, ada, known)


def test_a_branch_that_holds_hostile_names_is_read_as_safely(team: Team) -> None:
    ada, known = _start(team)
    link = write_object(ada.path, "blob", b"/etc/passwd")
    month = write_tree(ada.path, [("120000", SEGMENT, link), ("160000", b"m", "1" * 40)])
    folder = write_tree(ada.path, [("40000", b"records", write_tree(ada.path, [
        ("40000", b"2026-01", month), ("40000", b"..", month), ("40000", b".git", month),
    ]))])  # fmt: skip
    tree = write_tree(ada.path, [("40000", b".gitmem", folder)])
    text = f"tree {tree}\nauthor M <m@x> 1 +0000\ncommitter M <m@x> 1 +0000\n\nx\n"
    commit = write_object(ada.path, "commit", text.encode())
    ada.git("update-ref", "refs/heads/evil", commit)
    _pull_and_compare(team, ada, known)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


@pytest.mark.slow
def test_a_line_of_a_gigabyte_is_rejected_within_bounds(ada: Clone) -> None:
    good = ada.capture("Good", "app.py")
    month = ada.path / ".gitmem/records/2026-01"
    month.mkdir(parents=True)
    with open(month / SEGMENT.decode(), "wb") as file:
        file.truncate(1 << 30)
    for words in (["log"], ["verify"], ["status"]):
        done = subprocess.run(
            [sys.executable, "-m", "gitmem", "--json", *words],
            cwd=ada.path,
            env=environment(ada.env),
            capture_output=True,
            preexec_fn=_limit_memory,
            timeout=60,
        )
        assert done.returncode == (7 if words == ["verify"] else 0), done
        if words == ["log"]:
            assert good.encode() in done.stdout


def test_a_fetched_record_cannot_take_the_seq_counter_away(team: Team) -> None:
    ada, known = _start(team)
    record = ada.gitmem("--json", "show", known).ok().data
    assert record["seq"] == 1
    far = write_object(team.remote, "blob", b'{"seq":99999999999999999}\n')
    month = write_tree(team.remote, [("100644", SEGMENT, far)])
    records = write_tree(team.remote, [("40000", b"2026-01", month)])
    write_ref(team.remote, write_tree(team.remote, [("40000", b"records", records)]))
    _pull_and_compare(team, ada, known)
    later = ada.capture("Later", "app.py")
    assert ada.gitmem("--json", "show", later).ok().data["seq"] == 2


def test_writers_of_another_project_are_named(team: Team) -> None:
    ada, known = _start(team)
    assert "other-project" not in ada.gitmem("--json", "pull").ok().out
    text = b'format = 1\nproject_id = "someone-elses"\n'
    blob = write_object(team.remote, "blob", text)
    tree = write_tree(team.remote, [("100644", b"project.toml", blob)])
    for n in range(3):
        write_ref(team.remote, tree, f"{n:016x}")
    for _ in range(2):
        done = ada.gitmem("--json", "pull").ok()
        (warning,) = done.json["warnings"]
        assert warning["code"] == "other-project" and "3 clones" in warning["message"]
    assert ada.hit("app.py", known)["state"] == "current"
