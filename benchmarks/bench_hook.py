"""What the hooks add to a commit, in a large memory, beside a bare interpreter.

    python -m benchmarks.bench_hook [--records 100000] [--pending 10] [--runs 15] [--keep DIR]

Each run makes the same commit twice, one that ten pending decisions go with and one with no
hooks at all; printed is the difference of the medians over the time of `python -c pass`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bench_memory import BARE
from benchmarks.big_memory import bench_environment, gitmem, make_big_memory, run
from benchmarks.harness import run_once
from gitmem.app.memory import open_memory

FILE = "src/0/0/file0.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--pending", type=int, default=10)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="keep the repository in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
        os.environ.update(HOME=env["HOME"], GIT_CONFIG_NOSYSTEM="1", GITMEM_NO_BACKGROUND="1")
        repository = root / "big"
        if not repository.exists():
            make_big_memory(repository, options.records, env)
            run(repository, env, *map(str, gitmem("hooks", "install")))
            run(repository, env, *map(str, gitmem("why", FILE)))
        python = sys.version.split()[0]
        print(f"{options.records} records, {options.pending} pending, Python {python}")
        report(repository, env, options.pending, options.runs)


def report(repository: Path, env: dict[str, str], pending: int, runs: int) -> None:
    """Commit with and without hooks, in turn, after one commit of each that does not count."""
    hooked, plain, pendings, bare = [], [], [], []
    without = ["-c", "core.hooksPath=/dev/null"]
    for number in range(runs + 1):
        _change(repository, env, f"plain {number}")
        plain.append(_commit(repository, env, without))
        _change(repository, env, f"nothing pending {number}")
        hooked.append(_commit(repository, env, []))
        _change(repository, env, f"pending {number}")
        with open_memory(repository) as memory:
            for one in range(pending):
                memory.capture(f"Decision {number}.{one}", paths=[str(repository / FILE)])
        pendings.append(_commit(repository, env, []))
        _check(repository, pending)
        bare.append(run_once(BARE, cwd=repository, env=env).seconds)
    floor, base = (statistics.median(taken[1:]) for taken in (bare, plain))
    for name, taken in ((f"{pending} pending", pendings), ("nothing pending", hooked)):
        added = statistics.median(taken[1:]) - base
        print(
            f"added to a commit, {name}: {added * 1000:.0f} ms, "
            f"{added / floor:.1f} times python -c pass (asked: at most 10)"
        )
    print(f"git commit without hooks: {base * 1000:.0f} ms; python -c pass: {floor * 1000:.0f} ms")


def _change(repository: Path, env: dict[str, str], text: str) -> None:
    (repository / FILE).write_text(text + "\n")
    run(repository, env, "git", "add", FILE)


def _commit(repository: Path, env: dict[str, str], options: list[str]) -> float:
    words = ["git", *options, "commit", "-q", "-m", "measured"]
    return run_once(words, cwd=repository, env=env).seconds


def _check(repository: Path, pending: int) -> None:
    """The commit did bring what was pending."""
    words = ["git", "show", "--numstat", "--format=", "HEAD", "--", ".gitmem"]
    done = subprocess.run(words, cwd=repository, capture_output=True, check=True, text=True)
    if done.stdout.split("\t")[0] != str(pending):
        raise RuntimeError(f"{pending} records were to go with the commit: {done.stdout!r}")


if __name__ == "__main__":
    main()
