"""Damaged files and objects: reported with their place, kept apart, and never a clean lie."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.core.canonical import content_id, encode_canonical
from gitmem.core.segments import segment_name
from tests.support.commandline import Clone, environment

DAMAGES = {
    "empty": lambda data: b"",
    "torn": lambda data: data[: len(data) // 2],
    "no last line end": lambda data: data[:-1],
    "all NUL": lambda data: bytes(len(data)),
    "NUL at the end": lambda data: data + bytes(4096),
    "a flipped bit": lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:],
    "a second object": lambda data: data.replace(b"\n", b"{}\n", 1),
    "random bytes": lambda data: bytes((n * 7919) % 251 for n in range(len(data))),
}
FRESH = ("keep the cache", "without the cache")


def _spooled(clone: Clone) -> list[Path]:
    return sorted((clone.home / "spool/main").glob("*.ndjson"))


def _drop_cache(clone: Clone) -> None:
    for file in clone.home.glob("cache.db*"):
        file.unlink()


def _ids(clone: Clone) -> set[str]:
    return {hit["id"] for hit in clone.gitmem("--json", "log", "-n", "1000").ok().data["hits"]}


def _problems(clone: Clone) -> list[dict[str, object]]:
    done = clone.gitmem("--json", "verify").ends(7)
    problems = done.json["data"]["problems"]
    assert isinstance(problems, list) and problems
    return problems


@pytest.mark.parametrize(
    ("place", "damage"),
    [
        pytest.param(place, damage, marks=() if usual else pytest.mark.slow)
        for place in ("spool", "private", "folder")
        for damage in DAMAGES
        for usual in (place == "spool" or damage in ("torn", "a flipped bit"),)
    ],
)
def test_a_damaged_file_is_reported_and_the_rest_is_read(
    ada: Clone, damage: str, place: str
) -> None:
    good = {ada.capture("Good", "app.py")}
    words = {"spool": [], "private": ["--local"], "folder": ["--flush"]}[place]
    if place == "folder":
        ada.gitmem("undo").ok()
        good = set()
    bad = ada.capture("Bad", *words, "app.py")
    file = {
        "spool": lambda: _spooled(ada)[-1],
        "private": lambda: next((ada.home / "private").iterdir()),
        "folder": lambda: next((ada.path / ".gitmem/records").glob("*/*.ndjson")),
    }[place]()
    if place == "folder":
        for spooled in _spooled(ada):
            spooled.unlink()
        good.add(ada.capture("Good", "app.py"))
    whole = file.read_bytes()
    _drop_cache(ada)
    file.write_bytes(DAMAGES[damage](whole))
    assert _ids(ada) - {bad} == good
    assert ada.status()["quarantined"] >= 1
    problems = _problems(ada)
    assert any(file.name in str(problem["place"]) for problem in problems)
    assert "gitmem verify" in ada.gitmem("status").ok().err
    ada.gitmem("doctor").ends(7)
    file.write_bytes(whole)
    assert _ids(ada) == good | {bad}
    assert ada.verify()["problems"] == []
    assert ada.status()["quarantined"] == 0


def test_a_damage_behind_a_warm_cache_is_found_by_verify(ada: Clone) -> None:
    bad = ada.capture("Bad", "app.py")
    assert _ids(ada) == {bad}
    _spooled(ada)[0].write_bytes(b"")
    assert _problems(ada)


def test_a_flipped_bit_in_a_git_object_is_reported(ada: Clone) -> None:
    ada.decide("In git", "a.py")
    ada.decide("Also in git", "b.py")
    for file in _spooled(ada):
        file.unlink()
    _drop_cache(ada)
    path = ada.git("ls-tree", "-r", "--name-only", "HEAD", ".gitmem/records").splitlines()[0]
    oid = ada.git("rev-parse", f"HEAD:{path}")
    loose = ada.path / ".git/objects" / oid[:2] / oid[2:]
    data = bytearray(loose.read_bytes())
    data[len(data) // 2] ^= 0xFF
    loose.chmod(0o644)
    loose.write_bytes(bytes(data))
    (ada.path / path).unlink()
    done = ada.gitmem("--json", "verify")
    assert done.code == 7, done
    ada.gitmem("log")
    assert ada.gitmem("--json", "log").code in (0, 7)


def test_a_line_of_a_segment_is_kept_apart_and_the_others_are_read(ada: Clone) -> None:
    ids = [ada.capture(f"Number {n}", "app.py") for n in range(5)]
    ada.gitmem("capture", "--flush").ok()
    for file in _spooled(ada):
        file.unlink()
    _drop_cache(ada)
    file = next((ada.path / ".gitmem/records").glob("*/*.ndjson"))
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"Number 2", b"Number 9")
    file.write_bytes(b"".join(lines))
    assert _ids(ada) == set(ids) - {ids[2]}
    problems = _problems(ada)
    assert {problem["line"] for problem in problems} == {0, 3}


FLIP = """
import sys, gitmem, pathlib
from gitmem.errors import GitmemError
home, out = pathlib.Path(sys.argv[1]), []
cache = home / "cache.db"
whole = cache.read_bytes()
step, expected = int(sys.argv[2]), set(sys.argv[3:])
def ask():
    memory = gitmem.open_memory(".")
    try:
        answer = memory.why("app.py", show_all=True, with_history=False)
        return {hit.id for hit in answer.hits}, [n.code for n in answer.notices]
    finally:
        memory.close()
wrong = crashed = 0
for at in range(0, len(whole), step):
    for name in ("cache.db-wal", "cache.db-shm", "cache.db-journal"):
        (home / name).unlink(missing_ok=True)
    changed = bytearray(whole); changed[at] ^= 0xFF
    cache.write_bytes(changed)
    try:
        ids, notices = ask()
    except GitmemError as error:
        assert error.exit_code != 70, (at, error.message)
        continue
    except Exception as error:
        crashed += 1; print("crash", at, type(error).__name__, error); continue
    if ids != expected and not notices:
        wrong += 1; print("wrong", at, len(ids))
print("done", wrong, crashed)
"""


@pytest.mark.parametrize(
    "step", [1999, pytest.param(97, marks=pytest.mark.slow)], ids=["sparse", "dense"]
)
def test_a_flipped_byte_of_the_cache_never_hides_a_record(ada: Clone, step: int) -> None:
    ids = [ada.capture(f"Number {n}", "app.py") for n in range(6)]
    ada.why("app.py")
    done = subprocess.run(
        [sys.executable, "-c", FLIP, str(ada.home), str(step), *ids],
        cwd=ada.path,
        env=environment(ada.env),
        capture_output=True,
        timeout=1800,
    )
    assert done.stdout.decode().splitlines()[-1:] == ["done 0 0"], (
        done.stdout.decode()[-3000:] + done.stderr.decode()[-3000:]
    )


def test_a_foreign_or_stale_cache_is_recognised(ada: Clone, tmp_path: Path) -> None:
    record_id = ada.capture("Mine", "app.py")
    ada.why("app.py")
    twin_path = tmp_path / "twin"
    subprocess.run(["git", "clone", "-q", str(ada.path), str(twin_path)], check=True)
    twin = Clone(twin_path)
    other = twin.capture("Of the twin", "app.py")
    twin.why("app.py")
    _drop_cache(ada)
    shutil.copy(twin.home / "cache.db", ada.home / "cache.db")
    assert _ids(ada) == {record_id}
    assert ada.find_hit("app.py", other) is None
    for text in (b"", b"not a database at all", bytes(8192)):
        _drop_cache(ada)
        (ada.home / "cache.db").write_bytes(text)
        assert _ids(ada) == {record_id}


def test_a_cache_that_is_a_folder_or_a_link_is_survived(ada: Clone, tmp_path: Path) -> None:
    record_id = ada.capture("Mine", "app.py")
    _drop_cache(ada)
    (ada.home / "cache.db").mkdir()
    assert _ids(ada) == {record_id}


def test_the_writers_file_may_be_damaged(ada: Clone) -> None:
    (ada.home / "writer").write_text("nonsense\n")
    done = ada.gitmem("--json", "status").ends(7)
    assert "rm " in done.error["hint"]


def test_an_object_that_comes_back_is_read_without_being_told(ada: Clone) -> None:
    record_id = ada.decide("Lost and found", "a.py")
    (path,) = ada.git("ls-files", ".gitmem/records/*").splitlines()
    oid = ada.git("rev-parse", f"HEAD:{path}")
    blob = ada.path / ".git/objects" / oid[:2] / oid[2:]
    aside = blob.rename(ada.path / "aside")
    (ada.path / path).unlink()
    for file in ada.home.rglob("spool/*/*.ndjson"):
        file.unlink()
    ada.gitmem("cache", "rebuild").ok()
    assert ada.find_hit("a.py", record_id) is None
    assert ada.status()["quarantined"] == 1
    aside.rename(blob)
    assert ada.hit("a.py", record_id)["where"] == "here"
    assert ada.status()["quarantined"] == 0


def test_upkeep_leaves_a_segment_with_records_of_a_later_version_alone(ada: Clone) -> None:
    record_id = ada.decide("Said too much", "a.py")
    (path,) = ada.git("ls-files", ".gitmem/records/*").splitlines()
    line = (ada.path / path).read_bytes().rstrip(b"\n")
    later = {**json.loads(line), "v": 2, "summary": "Of a later version"}
    later["id"] = content_id(later)
    data = line + b"\n" + encode_canonical(later) + b"\n"
    (ada.path / path).unlink()
    both = ada.write(str(Path(path).with_name(segment_name(data))), data)
    ada.commit("One segment")
    ada.gitmem("redact", record_id[:8], "--yes").ok()
    done = ada.gitmem("maintain").ok()
    assert both.read_bytes() == data and ada.git("status", "--porcelain") == ""
    assert "later" not in done.out and "version 2" in done.err
