"""Runs two commands alternately as cold processes and compares their time and memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# The peak of a process counts that of whoever started it, up to the moment it takes over. So a
# bare interpreter starts it: smaller than anything worth measuring.
_LAUNCHER = """
import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


class Sample(NamedTuple):
    """One process: wall-clock seconds, and its peak resident memory in bytes (0 where the
    system does not tell)."""

    seconds: float
    peak_bytes: int


class Comparison(NamedTuple):
    """Medians of seconds and peak bytes of A and B, and the median time of A over that of B."""

    a: Sample
    b: Sample
    ratio: float
    runs: int

    def __str__(self) -> str:
        a, b = (f"{s.seconds * 1000:.0f} ms, {s.peak_bytes / 2**20:.0f} MB" for s in self[:2])
        return f"A {a} | B {b} | A/B {self.ratio:.2f} ({self.runs} runs each)"


def compare(
    a: Sequence[str | Path],
    b: Sequence[str | Path],
    *,
    runs: int = 15,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Comparison:
    """Run A and B in turn, `runs` times each, after one run of each that does not count.

    Raises RuntimeError, with what it printed, where a command fails."""
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for number in range(runs + 1):
        for command, taken in zip((a, b), samples, strict=True):
            sample = run_once(command, cwd=cwd, env=env)
            if number:
                taken.append(sample)
    median_a, median_b = (_median(taken) for taken in samples)
    return Comparison(median_a, median_b, median_a.seconds / median_b.seconds, runs)


def run_once(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: Path = Path(os.devnull),
) -> Sample:
    """One cold process from start to end; `stdin` is a file. Raises RuntimeError where it
    fails."""
    is_launched = hasattr(os, "posix_spawnp")
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER] if is_launched else []
    start = time.perf_counter()
    with open(stdin, "rb") as given:
        done = subprocess.run(
            [*launcher, *command],
            cwd=cwd,
            env=None if env is None else dict(env),
            stdin=given,
            capture_output=True,
        )
    sample, code = Sample(time.perf_counter() - start, 0), done.returncode
    if is_launched and code == 0:
        seconds, peak, ended = done.stdout.split()
        code = int(ended)
        sample = Sample(float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024))
    if code != 0:
        raise RuntimeError(f"{command} ended with {code}: {done.stderr.decode(errors='replace')}")
    return sample


def _median(samples: Sequence[Sample]) -> Sample:
    return Sample(
        statistics.median(sample.seconds for sample in samples),
        int(statistics.median(sample.peak_bytes for sample in samples)),
    )
