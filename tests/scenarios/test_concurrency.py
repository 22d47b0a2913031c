"""Many processes at once: nothing is lost, nobody sees a lock."""

from __future__ import annotations

import shutil
import subprocess
import threading

import pytest

from tests.support.commandline import Clone, Team, start_gitmem, start_python

WRITER = """
import sys, gitmem
memory = gitmem.open_memory('.')
for n in range(int(sys.argv[2])):
    print(memory.capture(f'writer {sys.argv[1]} number {n}', paths=['app.py']).id, flush=True)
"""
READER = """
import sys, gitmem
memory = gitmem.open_memory('.')
for n in range(int(sys.argv[1])):
    answer = memory.why('app.py', show_all=True, with_history=False)
print(len(answer.hits))
"""


def _finish(children: list[subprocess.Popen[bytes]], seconds: float = 600) -> list[str]:
    lines: list[str] = []
    for child in children:
        out, err = child.communicate(timeout=seconds)
        assert child.returncode == 0, (out + err).decode()
        assert b"locked" not in err, err.decode()
        lines += out.decode().split()
    return lines


def _ids(clone: Clone) -> set[str]:
    return {hit["id"] for hit in clone.gitmem("--json", "log", "-n", "100000").ok().data["hits"]}


@pytest.mark.parametrize(
    ("writers", "captures"),
    [(6, 8), pytest.param(32, 50, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_writers_readers_and_a_rebuild_at_once_lose_nothing(
    ada: Clone, writers: int, captures: int
) -> None:
    children = [start_python(ada.path, WRITER, str(n), str(captures)) for n in range(writers)]
    others = [start_python(ada.path, READER, str(captures)) for _ in range(2)]
    others += [start_gitmem(ada.path, "cache", "rebuild") for _ in range(2)]
    ids = _finish(children)
    _finish(others)
    assert len(set(ids)) == writers * captures
    assert _ids(ada) == set(ids)
    assert ada.status()["pending"] == writers * captures
    assert ada.verify()["problems"] == []


def test_writers_on_the_command_line_at_once_lose_nothing(ada: Clone) -> None:
    children = [
        start_gitmem(ada.path, "--json", "capture", "-m", f"Number {n}", "app.py", env=ada.env)
        for n in range(16)
    ]
    _finish(children)
    assert len(_ids(ada)) == 16


def test_many_cold_starts_at_once_all_answer(ada: Clone) -> None:
    record_id = ada.decide("Known", "a.py")
    for _ in range(2):
        for file in ada.home.glob("cache.db*"):
            file.unlink()
        words = (["why", "a.py"], ["log"], ["status"], ["search", "known"])
        children = [
            start_gitmem(ada.path, *words[n % len(words)], "--json", env=ada.env) for n in range(24)
        ]
        text = "".join(_finish(children))
        assert text.count(record_id) >= 12
    shutil.rmtree(ada.home)
    children = [start_gitmem(ada.path, "why", "a.py", "--json", env=ada.env) for _ in range(8)]
    assert "".join(_finish(children)).count(record_id) >= 8


@pytest.mark.parametrize(
    "rounds", [5, pytest.param(50, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_two_clones_that_push_at_once_both_arrive(team: Team, rounds: int) -> None:
    clones = [team.start(), team.clone("Ben")]
    ids: set[str] = set()
    for n in range(rounds):
        ids |= {clone.capture(f"Round {n}", "app.py") for clone in clones}
        _finish([start_gitmem(clone.path, "push", env=clone.env) for clone in clones])
    reader = team.clone("Reader")
    reader.gitmem("pull").ok()
    assert _ids(reader) == ids
    assert len(ids) == 2 * rounds
    for clone in clones:
        assert clone.status()["unpushed"] == 0


def test_one_clone_that_pushes_from_several_processes_has_one_writer(team: Team) -> None:
    ada = team.start()
    ids = set()
    for n in range(3):
        ids.add(ada.capture(f"Round {n}", "app.py"))
        children = [start_gitmem(ada.path, "push", env=ada.env) for _ in range(4)]
        _finish(children)
    assert len([ref for ref in team.refs() if ref.startswith("refs/gitmem/w/")]) == 1
    reader = team.clone("Reader")
    reader.gitmem("pull").ok()
    assert _ids(reader) == ids
    assert ada.verify()["problems"] == []


def test_a_capture_during_a_push_is_neither_lost_nor_marked_as_pushed(team: Team) -> None:
    ada = team.start()
    ids = {ada.capture(f"Number {n}", "app.py") for n in range(3)}
    child = start_gitmem(ada.path, "push", env=ada.env)
    late: set[str] = set()
    thread = threading.Thread(target=lambda: late.add(ada.capture("Meanwhile", "app.py")))
    thread.start()
    _finish([child])
    thread.join()
    assert _ids(ada) == ids | late
    ada.gitmem("push").ok()
    reader = team.clone("Reader")
    reader.gitmem("pull").ok()
    assert _ids(reader) == ids | late
