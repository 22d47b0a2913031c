"""What git, a person and a crash can do to a clone without losing anything acknowledged."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team, environment, start_python

LOOP = """
import sys, gitmem
memory = gitmem.open_memory('.')
n = 0
while True:
    done = memory.capture(f'number {n}', paths=['app.py'])
    sys.stdout.write(done.id + '\\n'); sys.stdout.flush()
    n += 1
    if sys.argv[1] == 'push' and n % 3 == 0: memory.push()
    if sys.argv[1] == 'pull' and n % 3 == 0: memory.pull()
"""


def test_a_capture_is_durable_before_it_is_confirmed(ada: Clone, tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    trace = tmp_path / "trace"
    calls = "trace=openat,write,fsync,fdatasync,rename,renameat,renameat2,link"
    done = subprocess.run(
        [
            *("strace", "-f", "-y", "-o", str(trace), "-e", calls),
            *(sys.executable, "-m", "gitmem", "capture", "-m", "Durable", "app.py"),
        ],
        cwd=ada.path,
        env=environment(ada.env),
        capture_output=True,
    )
    if b"ptrace" in done.stderr.lower():
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    lines = trace.read_text(errors="replace").splitlines()

    def first(pattern: str, after: int = 0) -> int:
        found = [n for n, line in enumerate(lines) if n >= after and re.search(pattern, line)]
        assert found, f"{pattern}\n" + "\n".join(lines[-200:])
        return found[0]

    write = first(r"write\(\d+<[^>]*/spool/main/[^>]*\.tmp>")
    synced = first(r"fsync\(\d+<[^>]*/spool/main/[^>]*\.tmp>", write)
    renamed = first(r"rename[a-z0-9]*\(.*\.tmp\".*\.ndjson\"", synced)
    folder = first(r"fsync\(\d+<[^>]*/spool/main>", renamed)
    told = first(r"write\(1<[^>]*>, \"[0-9a-f]{7}  Durable")
    assert write < synced < renamed < folder < told


def _kill_during(clone: Clone, what: str, rounds: int, seed: int) -> set[str]:
    """Run the loop and kill it at a random instant, again and again; the acknowledged ids."""
    chance = random.Random(seed)
    acknowledged: set[str] = set()
    for _ in range(rounds):
        child = start_python(clone.path, LOOP, what)
        assert child.stdout
        first = child.stdout.readline()
        time.sleep(chance.uniform(0, 0.15))
        child.send_signal(signal.SIGKILL)
        rest, errors = child.communicate(timeout=60)
        assert b"Traceback" not in errors, errors.decode()
        whole = (first + rest).decode().split("\n")[:-1]
        acknowledged |= {line for line in whole if len(line) == 64}
    return acknowledged


@pytest.mark.parametrize("what", ["capture", "push", "pull"])
@pytest.mark.parametrize(
    "rounds", [6, pytest.param(200, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_a_kill_at_any_instant_loses_nothing_acknowledged(
    team: Team, what: str, rounds: int
) -> None:
    ada = team.start()
    acknowledged = _kill_during(ada, what, rounds, seed=rounds)
    assert len(acknowledged) >= rounds
    hits = ada.gitmem("--json", "log", "-n", "100000").ok().data["hits"]
    assert acknowledged <= {hit["id"] for hit in hits}
    assert ada.verify()["problems"] == []
    ada.gitmem("push").ok()
    ben = team.clone("Ben")
    ben.gitmem("pull").ok()
    hits = ben.gitmem("--json", "log", "-n", "100000").ok().data["hits"]
    assert acknowledged <= {hit["id"] for hit in hits}


def _clobber(clone: Clone) -> None:
    for words in (
        ["reset", "-q", "--hard"],
        ["clean", "-fdxq"],
        ["gc", "-q", "--prune=now"],
        ["notes", "prune"],
        ["fetch", "-q", "--prune"],
        ["reflog", "expire", "--expire=now", "--all"],
        ["gc", "-q", "--prune=now"],
        ["remote", "prune", "origin"],
        ["pack-refs", "--all"],
    ):
        clone.git(*words)


def test_gits_cleaning_commands_lose_nothing(team: Team) -> None:
    ada = team.start()
    pushed = ada.capture("Pushed", "app.py")
    ada.gitmem("push").ok()
    committed = ada.decide("Committed", "a.py")
    flushed = ada.capture("Flushed, not committed", "--flush", "app.py")
    pending = ada.capture("Pending", "app.py")
    private = ada.capture("Private", "--local", "app.py")
    ben = team.clone("Ben")
    fetched = ben.capture("Fetched", "app.py")
    ben.gitmem("push").ok()
    ada.gitmem("pull").ok()
    ada.write("junk", "x")
    ada.git("stash", "-q", "-u")
    ada.git("stash", "drop", "-q")
    _clobber(ada)
    hits = ada.gitmem("--json", "log", "-n", "100").ok().data["hits"]
    everything = {pushed, committed, flushed, pending, private, fetched}
    assert {hit["id"] for hit in hits} == everything
    assert ada.verify()["problems"] == []
    for file in ada.home.glob("cache.db*"):
        file.unlink()
    hits = ada.gitmem("--json", "log", "-n", "100").ok().data["hits"]
    assert {hit["id"] for hit in hits} == everything


def test_a_removed_work_tree_leaves_its_pending_records(ada: Clone) -> None:
    ada.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Clone(ada.path.parent / "side")
    record_id = side.capture("Pending there", "app.py")
    ada.git("worktree", "remove", "--force", "../side")
    assert ada.find_hit("app.py", record_id) is not None
    assert ada.status()["pending"] == 1
    assert "work tree side" in ada.gitmem("status").ok().out


def test_a_lost_own_ref_is_rebuilt_by_the_next_push(team: Team) -> None:
    ada = team.start()
    one = ada.decide("Committed and pushed", "a.py")
    ada.gitmem("push").ok()
    two = ada.capture("Pending and pushed", "app.py")
    ada.gitmem("push").ok()
    ref = next(ref for ref in team.refs() if ref.startswith("refs/gitmem/w/"))
    ada.git("update-ref", "-d", ref)
    three = ada.capture("Later", "app.py")
    assert ada.gitmem("push").ok()
    assert ada.git("rev-parse", ref) == team.refs()[ref]
    ben = team.clone("Ben")
    ben.gitmem("pull").ok()
    hits = ben.gitmem("--json", "log").ok().data["hits"]
    assert {hit["id"] for hit in hits} >= {two, three}
    writers = [ref for ref in team.refs() if ref.startswith("refs/gitmem/w/")]
    assert len(writers) == 1
    ada.git("push", "-q")
    ben.git("pull", "-q")
    assert ben.find_hit("a.py", one) is not None


def test_a_pruning_mirror_fetch_loses_nothing(team: Team) -> None:
    ada = team.start()
    pushed = ada.decide("Pushed", "a.py")
    ada.git("push", "-q")
    ada.gitmem("push").ok()
    unpushed = ada.capture("Not pushed", "app.py")
    for ref in [ref for ref in team.refs() if ref.startswith("refs/gitmem/")]:
        ada.git("push", "-q", "origin", f":{ref}")
    ada.git("switch", "-q", "--detach")
    ada.git("fetch", "-q", "--prune", "origin", "+refs/*:refs/*")
    ada.git("switch", "-q", "main")
    assert ada.git("for-each-ref", "refs/gitmem", "refs/gitmem-remotes") == ""
    for record_id in (pushed, unpushed):
        ada.gitmem("show", record_id).ok()
    ada.gitmem("push").ok()
    ben = team.clone("Ben")
    ben.gitmem("pull").ok()
    for record_id in (pushed, unpushed):
        ben.gitmem("show", record_id).ok()


def test_a_copied_clone_gets_a_writer_of_its_own(team: Team) -> None:
    ada = team.start()
    first = ada.capture("Before the copy", "app.py")
    ada.gitmem("push").ok()
    shutil.copytree(ada.path, team.folder / "copy", symlinks=True)
    copy = Clone(team.folder / "copy", "Copy")
    mine = ada.capture("In the original", "app.py")
    theirs = copy.capture("In the copy", "app.py")
    ada.gitmem("push").ok()
    copy.gitmem("push").ok()
    assert len([ref for ref in team.refs() if ref.startswith("refs/gitmem/w/")]) == 2
    assert ada.status()["writer"] != copy.status()["writer"]
    ben = team.clone("Ben")
    for clone in (ada, copy, ben):
        clone.gitmem("pull").ok()
        hits = clone.gitmem("--json", "log").ok().data["hits"]
        assert {hit["id"] for hit in hits} == {first, mine, theirs}
        assert clone.verify()["problems"] == []
    copy.capture("More", "app.py")
    copy.gitmem("push").ok()
    assert len([ref for ref in team.refs() if ref.startswith("refs/gitmem/w/")]) == 2


Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mounts small file systems, where that is allowed."""
    mounted: list[Path] = []

    def make(name: str, options: str) -> Path:
        path = tmp_path / name
        path.mkdir()
        if sys.platform != "linux" or os.geteuid() != 0:
            pytest.skip("needs root on Linux")
        words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
        if subprocess.run(words, capture_output=True).returncode != 0:
            pytest.skip("mounting is not allowed here")
        mounted.append(path)
        return path

    yield make
    for path in mounted:
        subprocess.run(["umount", "-l", str(path)], check=True)


def _clone_into(ada: Clone, path: Path) -> Clone:
    subprocess.run(["git", "clone", "-q", str(ada.path), str(path)], check=True)
    return Clone(path)


def _fill(path: Path, leave_bytes: int) -> None:
    stat = os.statvfs(path)
    left = stat.f_bavail * stat.f_frsize - leave_bytes
    with open(path / "filler", "wb") as file:
        while left > 0:
            chunk = min(left, 1 << 20)
            try:
                file.write(b"x" * chunk)
                file.flush()
            except OSError:
                break
            left -= chunk


@pytest.mark.parametrize(
    "levels",
    [
        (0, 4, 16, 64),
        pytest.param(tuple(range(0, 256, 8)), marks=pytest.mark.slow),
    ],
    ids=["few", "many"],
)
def test_a_full_disk_loses_nothing_and_everything_works_once_there_is_room(
    ada: Clone, mount: Mount, levels: tuple[int, ...]
) -> None:
    disk = mount("disk", "size=16m")
    clone = _clone_into(ada, disk / "clone")
    kept = {clone.capture("Before", "app.py")}
    for kilobytes in levels:
        _fill(disk, kilobytes * 1024)
        done = clone.gitmem("--json", "capture", "-m", f"With {kilobytes} KiB left", "app.py")
        if done.code == 0:
            kept.add(done.data["id"])
        else:
            done.ends(10)
            assert "space" in done.error["message"]
        asked = clone.gitmem("why", "app.py")
        assert asked.code == 0 or "space" in asked.ends(10).err
        again = clone.gitmem("--json", "capture", "-m", "Again", "app.py")
        assert again.code in (0, 10)
        if again.code == 0:
            kept.add(again.data["id"])
        (disk / "filler").unlink()
        hits = clone.gitmem("--json", "log", "-n", "1000").ok().data["hits"]
        assert {hit["id"] for hit in hits} == kept
        assert clone.verify()["problems"] == []
    assert not list(clone.home.rglob("*.tmp"))
    clone.capture("After", "app.py")
    clone.gitmem("doctor").ok()


def test_a_read_only_repository_answers_and_cannot_be_captured_in(ada: Clone, mount: Mount) -> None:
    disk = mount("disk", "size=16m")
    clone = _clone_into(ada, disk / "clone")
    record_id = clone.capture("Before", "app.py")
    fresh = _clone_into(ada, disk / "fresh")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    for _ in range(2):
        assert clone.hit("app.py", record_id)["state"] == "current"
        assert fresh.why("app.py")["path"] == "app.py"
    for one in (clone, fresh):
        done = one.gitmem("--json", "capture", "-m", "x", "app.py").ends(10)
        assert "read-only" in done.error["message"]
        one.gitmem("status").ok()
        one.gitmem("log").ok()
        one.gitmem("verify").ok()
    assert "cannot be written" in clone.gitmem("doctor").ends(10).out
    done = fresh.gitmem("--json", "capture", "-m", "x", "--local", "app.py").ends(10)
    assert "read-only" in done.error["message"]


def test_a_detached_head_does_not_settle_what_it_holds(team: Team) -> None:
    """The commits of a rebase may be given up: until a branch has them, the spool keeps them."""
    ada = team.start()
    ada.git("checkout", "-q", "--detach")
    record_id = ada.decide("On no branch", "a.py")
    ada.gitmem("push").ok()
    ada.git("checkout", "-q", "main")
    hit = ada.hit("a.py", record_id)
    assert (hit["where"], hit["state"]) == ("pending", "current")
    ada.gitmem("maintain").ok()
    assert ada.hit("a.py", record_id)["where"] == "pending"


def test_what_somebody_else_redacted_leaves_the_spool(team: Team) -> None:
    ada = team.start()
    record_id = ada.capture("Their word is badger", "app.py")
    ada.gitmem("push").ok()
    bob = team.clone("Bob")
    bob.gitmem("pull").ok()
    bob.gitmem("redact", record_id[:8], "--yes").ok()
    bob.gitmem("push").ok()
    assert b"badger" in b"".join(f.read_bytes() for f in ada.home.rglob("spool/*/*.ndjson"))
    ada.gitmem("pull").ok()
    assert not list(ada.home.rglob("spool/*/*.ndjson"))
    assert ada.hit(record_id[:12], record_id)["state"] == "redacted"
    ada.gitmem("push").ok()
