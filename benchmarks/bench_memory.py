"""The everyday commands on a large memory, each beside its floor.

    python -m benchmarks.bench_memory [--records 100000] [--runs 15] [--keep DIR]

Prints ratios of medians taken in one run: `why PATH` and `capture` to `python -c pass`, `why
PATH:LINE` to that plus `git blame`, the first history index to `git log --raw -M -z`, `pull`
to the `git fetch` it contains; and the peak memory of each.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.big_memory import (
    bench_environment,
    gitmem,
    list_paths,
    make_big_memory,
    run,
)
from benchmarks.harness import compare, run_once

BARE: list[str | Path] = [sys.executable, "-c", "pass"]
PULLED_SEGMENTS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="keep the repository in this folder")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        repository = root / "big"
        if not repository.exists():
            make_big_memory(repository, options.records, env)
        print(f"{options.records} records, {sys.version.split()[0]}")
        start = time.perf_counter()
        run(repository, env, *map(str, gitmem("why", "src/0/0/file0.py")))
        print(f"first answer, cache and history built: {time.perf_counter() - start:.1f} s")
        time.sleep(2.5)  # times in the last two seconds are not trusted, so looked at again
        run(repository, env, *map(str, gitmem("why", "src/0/0/file0.py")))
        bench_why(repository, env, options.runs)
        bench_capture(repository, env, options.runs)
        bench_history(repository, env, max(3, options.runs // 3))
        bench_pull(root, repository, env, max(3, options.runs // 3))


def bench_why(repository: Path, env: dict[str, str], runs: int) -> None:
    source = random.Random(1)
    paths = source.sample(list_paths(), runs)
    ours, bare, lines, blames = [], [], [], []
    for path in paths:
        bare.append(run_once(BARE, cwd=repository, env=env))
        ours.append(run_once(gitmem("why", path, "--json"), cwd=repository, env=env))
        blame: list[str | Path] = ["git", "blame", "-L", "2,2", "--porcelain", "--", path]
        blames.append(run_once(blame, cwd=repository, env=env))
        lines.append(run_once(gitmem("why", f"{path}:2", "--json"), cwd=repository, env=env))
    floor = statistics.median(s.seconds for s in bare)
    why = statistics.median(s.seconds for s in ours)
    line = statistics.median(s.seconds for s in lines)
    blamed = statistics.median(s.seconds for s in blames)
    peak = max(s.peak_bytes for s in ours) / 2**20
    print(f"why PATH / python -c pass: {why / floor:.2f} (asked: at most 6), peak {peak:.0f} MB")
    print(
        f"why PATH:LINE / python -c pass, git blame taken off: {(line - blamed) / floor:.2f} "
        f"(asked: at most 6); / (why PATH + git blame): {line / (why + blamed):.2f}"
    )


def bench_capture(repository: Path, env: dict[str, str], runs: int) -> None:
    words = gitmem("capture", "-m", "Decided", "--why", "It was measured", "src/0/0/file0.py")
    result = compare(words, BARE, runs=runs, cwd=repository, env=env)
    print(f"capture / python -c pass: {result.ratio:.2f} (asked: at most 8)")
    shutil.rmtree(repository / ".git" / "gitmem" / "spool")


def bench_history(repository: Path, env: dict[str, str], runs: int) -> None:
    """The first history index alone, of as long a history without a memory."""
    clone = repository.parent / "history"
    if not clone.exists():
        make_big_memory(clone, 0, env)
    log: list[str | Path] = ["git", "log", "--raw", "-M", "-z"]
    ratios = []
    for _ in range(runs):
        shutil.rmtree(clone / ".git" / "gitmem", ignore_errors=True)
        ours = run_once(gitmem("why", "src/0/0/file0.py"), cwd=clone, env=env)
        floor = run_once(log, cwd=clone, env=env)
        ratios.append(ours.seconds / floor.seconds)
    ratio = statistics.median(ratios)
    print(f"first why, history indexed / git log --raw -M -z: {ratio:.2f} (asked: under 3)")


def bench_pull(root: Path, repository: Path, env: dict[str, str], runs: int) -> None:
    """Another clone pushes ten segments, one a push; this one pulls them in one go."""
    ratios, fetches = [], []
    bare, writer = root / "bare.git", root / "writer"
    if not bare.exists():
        run(root, env, "git", "clone", "-q", "--bare", str(repository), str(bare))
        run(root, env, "git", "clone", "-q", "--no-checkout", str(bare), str(writer))
    run(repository, env, "git", "config", "remote.origin.url", str(bare))
    for number in range(runs):
        for segment in range(PULLED_SEGMENTS):
            words = gitmem("capture", "-m", f"Decided {number}.{segment}", "src/0/0/file0.py")
            run(writer, env, *map(str, words))
            run(writer, env, *map(str, gitmem("push", "origin")))
        probe = root / "probe.git"
        shutil.rmtree(probe, ignore_errors=True)
        shutil.copytree(repository / ".git", probe, symlinks=True)
        fetch: list[str | Path] = [
            "git", "--git-dir", str(probe), "fetch", "-q", "--no-tags", str(bare),
            "+refs/gitmem/w/*:refs/gitmem-remotes/origin/*",
        ]  # fmt: skip
        floor = run_once(fetch, cwd=root, env=env)
        ours = run_once(gitmem("pull", "origin"), cwd=repository, env=env)
        fetches.append(floor.seconds)
        ratios.append(ours.seconds / floor.seconds)
    ratio = statistics.median(ratios)
    fetched = statistics.median(fetches) * 1000
    print(
        f"pull of {PULLED_SEGMENTS} segments / git fetch: {ratio:.2f} "
        f"(asked: under 3; the fetch {fetched:.0f} ms)"
    )


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd}: {error.stderr.decode(errors='replace')}")
