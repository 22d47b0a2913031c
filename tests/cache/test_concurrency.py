"""Many processes at one cache: nobody waits in vain, and nothing is lost."""

from __future__ import annotations

import multiprocessing
import sqlite3
from multiprocessing.synchronize import Barrier
from pathlib import Path

import msgspec
import pytest

from gitmem.cache.building import open_cache
from gitmem.cache.connection import Connection
from gitmem.cache.lock import hold_lock
from gitmem.core.records import Line
from gitmem.errors import CannotWrite, Contended
from tests.support.cached import make_commit, make_segment, oid_of, search_records
from tests.support.records import make_decision

PROCESSES = 24
CONTEXT = multiprocessing.get_context("fork")


def line_of(number: int, step: int) -> Line:
    return make_decision(seq=step + 1, summary=f"Decision {number} {step}", key=f"{number:016x}")


def run_all(target: object, *args: object) -> list[str]:
    """Run `target(*args, number, barrier, results)` in many processes; what they report."""
    barrier = CONTEXT.Barrier(PROCESSES)
    results = CONTEXT.SimpleQueue()
    workers = [
        CONTEXT.Process(target=target, args=(*args, number, barrier, results), daemon=True)
        for number in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    reports = [results.get() for _ in workers]
    for worker in workers:
        worker.join(30)
    return reports


def open_and_write(path: Path, number: int, barrier: Barrier, results: object) -> None:
    try:
        barrier.wait(30)
        for step in range(5):
            cache = open_cache(path, repository="here")
            segment = make_segment([line_of(number, step)])
            cache.projection.project([segment])
            refs = [make_segment([line_of(number, n)]).ref for n in range(step + 1)]
            cache.projection.set_folder_place(f"spool:{number}", str(step), refs)
            if cache.records.list_ids(f"spool:{number}") != {
                line_of(number, n).id for n in range(step + 1)
            }:
                raise AssertionError("a record is missing")
            search_records(cache, ["decision"], limit=5)
            cache.close()
        results.put("")  # type: ignore[attr-defined]
    except BaseException as error:
        results.put(repr(error))  # type: ignore[attr-defined]


def is_sound(path: Path) -> bool:
    db = sqlite3.connect(path)
    try:
        return db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        db.close()


@pytest.mark.parametrize("before", ["nothing", "older", "garbage", "foreign"])
def test_a_cold_start_of_many(path: Path, before: str) -> None:
    if before != "nothing":
        open_cache(path, repository="there" if before == "foreign" else "here").close()
    if before == "garbage":
        path.write_bytes(b"garbage" * 5000)
    if before == "older":
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version=0")
        db.close()
    assert run_all(open_and_write, path) == [""] * PROCESSES
    cache = open_cache(path, repository="here")
    assert cache.was_rebuilt == ""
    expected = {line_of(number, step).id for number in range(PROCESSES) for step in range(5)}
    assert cache.records.list_ids("spool:*") == expected
    assert cache.records.list_recent(limit=0)[1] == len(expected)
    cache.close()
    assert is_sound(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["cache.db", "cache.db.lock"]


def add_the_same_commits(path: Path, number: int, barrier: Barrier, results: object) -> None:
    try:
        cache = open_cache(path, repository="here")
        barrier.wait(30)
        for start in range(0, 200, 20):
            cache.commits.add_commits(
                [
                    make_commit(n, ("A", f"f{n % 7}.py"), parents=[n - 1] if n else [])
                    for n in range(start, start + 20)
                ]
            )
        results.put("")  # type: ignore[attr-defined]
    except BaseException as error:
        results.put(repr(error))  # type: ignore[attr-defined]


def test_many_index_the_same_history(path: Path) -> None:
    assert run_all(add_the_same_commits, path) == [""] * PROCESSES
    cache = open_cache(path, repository="here")
    assert cache.commits.get_tips() == [oid_of(199)]
    orders = [cache.commits.find_commits(oid_of(n), limit=2) for n in range(200)]
    assert [one.order for (one,) in orders] == list(range(1, 201))
    cache.close()


def test_a_writer_that_never_ends_is_contention(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = open_cache(path, repository="here")
    other = Connection(str(path))
    cache.db.query("PRAGMA busy_timeout=50")
    with other.transaction():
        with pytest.raises(Contended):
            cache.projection.set_memo("a", "b")
        assert cache.projection.get_memo("a") is None
    cache.projection.set_memo("a", "b")
    cache.close()
    other.close()


def test_a_reader_leaves_the_log_free(path: Path) -> None:
    reader, writer = open_cache(path, repository="here"), open_cache(path, repository="here")
    lines = [make_decision(seq=n, why="x" * 20_000) for n in range(1, 40)]
    for line in lines:
        writer.projection.project([make_segment([line])])
        reader.records.list_recent(limit=5)
        reader.records.get_held([line.id], "main")
        search_records(reader, ["cache"], limit=5)
        reader.commits.list_names("a", "main")
    writer.db.shrink_log()
    assert path.with_name("cache.db-wal").stat().st_size == 0
    reader.close()
    writer.close()


def test_a_failed_batch_leaves_nothing(path: Path) -> None:
    cache = open_cache(path, repository="here")
    good = make_commit("good", ("A", "a.py"))
    bad = make_commit("bad", ("A", "b.py"))
    with pytest.raises(ValueError):
        cache.commits.add_commits([good, msgspec.structs.replace(bad, oid="not hex")])
    assert cache.commits.get_tips() == []
    assert cache.records.match_paths("a.py", limit=5) == []
    cache.commits.add_commits([good])
    assert cache.commits.get_tips() == [oid_of("good")]
    assert cache.records.match_paths("a.py", limit=5) == ["a.py"]
    cache.close()


def test_a_full_disk(path: Path) -> None:
    cache = open_cache(path, repository="here")
    pages = cache.db.scalar("PRAGMA page_count")
    cache.db.query(f"PRAGMA max_page_count={pages + 2}")
    line = make_decision(why="x" * 100_000)
    with pytest.raises(CannotWrite):
        cache.projection.project([make_segment([line])])
    assert cache.records.get_held([line.id], "main") == []
    cache.db.query("PRAGMA max_page_count=1000000")
    assert cache.projection.project([make_segment([line])]) == 1
    cache.close()


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with hold_lock(file, timeout_seconds=1):
        second = hold_lock(file, timeout_seconds=0.05)
        with pytest.raises(Contended), second:
            pass
    with hold_lock(file, timeout_seconds=0.05):
        pass
    with pytest.raises(CannotWrite), hold_lock(tmp_path / "no" / "lock", timeout_seconds=1):
        pass
