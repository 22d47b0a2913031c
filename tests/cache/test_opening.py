"""A cache is made, checked and replaced by itself."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.cache import projecting
from gitmem.cache.building import Cache, discard_cache, open_cache, open_memory_cache
from gitmem.cache.connection import CacheDamaged
from gitmem.core.segments import Segment
from gitmem.errors import CannotWrite
from tests.support.cached import make_segment, project_into, search_records
from tests.support.records import make_decision, make_decisions

ROOT = Path(__file__).parent.parent.parent


def fill(path: Path, repository: str = "here", *, close: bool = True) -> str:
    """A cache with records in it; the id of one."""
    cache = open_cache(path, repository=repository)
    lines = make_decisions(300)
    project_into(cache, "private", *lines)
    if close:
        cache.close()
    return lines[0].id


def is_rebuilt(path: Path, reason: str) -> bool:
    """Opening gives an empty cache, with that reason, and the next opening finds it good."""
    cache = open_cache(path, repository="here")
    rebuilt = cache.was_rebuilt == reason and cache.records.list_recent(limit=1) == ([], 0)
    line = make_decision()
    project_into(cache, "private", line)
    cache.close()
    cache = open_cache(path, repository="here")
    again = cache.was_rebuilt == "" and cache.records.list_recent(limit=2) == ([line.id], 1)
    cache.close()
    return rebuilt and again


def test_it_is_made_and_found_again(path: Path) -> None:
    cache = open_cache(path, repository="here")
    assert cache.was_rebuilt == "missing"
    cache.close()
    cache.close()
    record_id = fill(path)
    cache = open_cache(path, repository="here")
    assert cache.was_rebuilt == ""
    assert record_id in cache.records.list_recent(limit=999)[0]
    cache.close()


def test_nobody_else_can_read_it_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        cache = open_cache(path, repository="here")
        project_into(cache, "private", make_decision())
        assert path.parent.stat().st_mode & 0o777 == 0o700
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        assert "cache.db-wal" in modes and set(modes.values()) == {0o600}
        cache.close()
    finally:
        os.umask(before)


@pytest.mark.parametrize("name", ["d%41#?x", "a b", "caf\u00e9", "x?mode=ro", "file:y", "-z"])
def test_odd_names_of_folders(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / "cache.db"
    record_id = fill(path)
    assert path.stat().st_size > 4096
    cache = open_cache(path, repository="here")
    assert record_id in cache.records.list_recent(limit=999)[0]
    cache.close()
    assert [folder.name for folder in tmp_path.iterdir()] == [name]


def test_an_empty_file(path: Path) -> None:
    fill(path)
    path.write_bytes(b"")
    assert is_rebuilt(path, "missing")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\0" * 8192, "damaged"),
        (b"not a database\n" * 1000, "damaged"),
        (b"S", "not a cache of gitmem"),
        (b"\0", "not a cache of gitmem"),
    ],
)
def test_a_file_that_is_no_database(path: Path, content: bytes, reason: str) -> None:
    fill(path)
    path.write_bytes(content)
    assert is_rebuilt(path, reason)


@pytest.mark.parametrize("offset", range(100))
def test_a_damaged_header_is_found_out_or_does_no_harm(path: Path, offset: int) -> None:
    record_id = fill(path)
    data = bytearray(path.read_bytes())
    data[offset] ^= 0xFF
    path.write_bytes(data)
    line = make_decision(seq=999)
    try:
        cache = open_cache(path, repository="here")
        project_into(cache, "spool:main", line)
    except CacheDamaged:
        cache.close()
        discard_cache(path)
        cache = open_cache(path, repository="here")
        project_into(cache, "spool:main", line)
    ids, total = cache.records.list_recent(limit=999)
    assert ids == [line.id] or (total == 301 and record_id in ids)
    cache.close()


def test_a_torn_file_is_found_out_when_it_is_opened_or_asked(path: Path) -> None:
    record_id = fill(path)
    data = path.read_bytes()
    for size in range(0, len(data), len(data) // 37):
        path.write_bytes(data[:size])
        cache = open_cache(path, repository="here")
        try:
            assert cache.records.list_recent(limit=999)[1] in (0, 300)
            cache.records.get_held([record_id], "main")
            search_records(cache, ["decision"], limit=9)
        except CacheDamaged:
            cache.close()
            discard_cache(path)
            assert is_rebuilt(path, "missing")
        else:
            cache.close()


def test_flipped_bytes_never_crash_and_never_give_a_changed_record(path: Path) -> None:
    fill(path)
    good = {line.id: line.raw for line in make_decisions(300)}
    data = path.read_bytes()
    for offset in range(0, len(data), 1999):
        torn = bytearray(data)
        torn[offset : offset + 40] = bytes(byte ^ 0xA5 for byte in torn[offset : offset + 40])
        path.write_bytes(torn)
        cache = open_cache(path, repository="here")
        try:
            ids, _ = cache.records.list_recent(limit=999)
            for held in cache.records.get_held(ids, "main"):
                assert held.raw == good.get(held.record.id)
            search_records(cache, ["decision"], limit=9)
            cache.records.list_about(ids[:50])
            cache.records.get_counts("main")
        except CacheDamaged:
            pass
        finally:
            cache.close()


def test_a_cache_of_another_repository(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "cache.db"
    fill(other, "there")
    path.parent.mkdir()
    shutil.copy(other, path)
    assert is_rebuilt(path, "of another repository")


@pytest.mark.parametrize("change", [-1, 1])
def test_an_older_or_newer_one(path: Path, change: int) -> None:
    fill(path)
    with sqlite3.connect(path) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute(f"PRAGMA user_version={version + change}")
    db.close()
    assert is_rebuilt(path, "of another version")


def test_somebody_elses_database(path: Path) -> None:
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.execute(
        "CREATE VIEW record AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t)"
        " SELECT n FROM t"
    )
    db.close()
    assert is_rebuilt(path, "not a cache of gitmem")


def test_a_log_without_its_database(path: Path, tmp_path: Path) -> None:
    fill(path, close=False)
    saved = tmp_path / "saved"
    shutil.copytree(path.parent, saved)
    (saved / "cache.db").unlink()
    assert (saved / "cache.db-wal").stat().st_size
    assert is_rebuilt(saved / "cache.db", "missing")


def test_a_database_copied_without_its_log(path: Path, tmp_path: Path) -> None:
    fill(path, close=False)
    copy = tmp_path / "copy" / "cache.db"
    copy.parent.mkdir()
    shutil.copy(path, copy)
    cache = open_cache(copy, repository="here")
    assert cache.records.list_recent(limit=1) == ([], 0)
    assert cache.projection.get_place_keys() == {}
    project_into(cache, "private", make_decision())
    assert cache.records.list_recent(limit=1)[1] == 1
    cache.close()


def test_a_lost_table_is_damage(path: Path) -> None:
    fill(path)
    db = sqlite3.connect(path)
    db.execute("DROP TABLE listing")
    db.close()
    cache = open_cache(path, repository="here")
    with pytest.raises(CacheDamaged):
        cache.records.list_recent(limit=1)
    cache.close()


def test_a_process_that_has_a_discarded_cache_open_harms_nobody(path: Path) -> None:
    fill(path)
    old = open_cache(path, repository="here")
    project_into(old, "spool:old", make_decision(seq=999))
    discard_cache(path)
    new = open_cache(path, repository="here")
    line = make_decision(seq=5, summary="new")
    project_into(new, "private", line)
    project_into(old, "spool:old", make_decision(seq=1000))
    old.close()
    assert new.records.list_recent(limit=9) == ([line.id], 1)
    third = open_cache(path, repository="here")
    project_into(third, "spool:x", make_decision(seq=6, summary="third"))
    assert third.records.list_recent(limit=9)[1] == new.records.list_recent(limit=9)[1] == 2
    new.close()
    third.close()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_discarding_what_is_not_there(path: Path) -> None:
    discard_cache(path)
    fill(path)
    discard_cache(path)
    discard_cache(path)
    assert [file.name for file in path.parent.iterdir()] == ["cache.db.lock"]


def test_where_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotWrite):
        open_cache(tmp_path / "file" / "cache.db", repository="here")
    with pytest.raises(CannotWrite):
        open_cache(tmp_path / "file" / "deeper" / "cache.db", repository="here")


def test_in_memory() -> None:
    cache = open_memory_cache()
    line = make_decision()
    project_into(cache, "private", line)
    assert cache.records.list_recent(limit=1) == ([line.id], 1)
    assert cache.commits.get_tips() == []
    cache.close()


def test_the_hot_path_imports_nothing_heavy() -> None:
    code = "import sys, gitmem.cache.building; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    loaded = set(done.stdout.split())
    assert "sqlite3" in loaded
    assert not loaded & {"sqlite_utils", "subprocess", "pygit2", "dulwich", "click", "tempfile"}


def test_segments_are_read_only_as_they_are_inserted(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projecting, "_BATCH_RECORDS", 500)
    lines = make_decisions(3000)
    segments = [make_segment(lines[start : start + 100]) for start in range(0, 3000, 100)]
    cache.projection.set_folder_place("private", "1", [one.ref for one in segments])
    ahead: list[int] = []

    def read() -> Iterator[Segment]:
        for number, segment in enumerate(segments):
            ahead.append(number * 100 - cache.records.get_counts("main").records)
            yield segment

    assert cache.projection.project(read()) == 3000
    assert max(ahead) == 400
