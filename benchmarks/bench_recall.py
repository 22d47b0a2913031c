"""Recall and search, beside their floors.

    python -m benchmarks.bench_recall [--records 100000] [--runs 15] [--keep DIR]

Prints ratios of medians taken in one run. Of cold processes: `recall` by words on a small and a
large memory to `python -c pass`. Of warm questions to the large one, each of six words: what the
ranker takes, and finding phrases, to the bare full-text search of the same phrases.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.big_memory import bench_environment, gitmem, make_big_memory, run
from benchmarks.harness import compare
from gitmem.cache.connection import Connection
from gitmem.cache.full_text import CacheFullText
from gitmem.cache.text import choose_phrases
from gitmem.core.words import list_words

BARE: list[str | Path] = [sys.executable, "-c", "pass"]
LIMIT = 100
QUESTIONS = 200
KINDS = ("record", "commit", "note")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="keep the repositories in this folder")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        for name, records in (("small", 500), ("big", options.records)):
            if not (root / name).exists():
                make_big_memory(root / name, records, env)
            run(root / name, env, *map(str, gitmem("recall", "--depth", "quick", "number")))
            time.sleep(2.5)  # times in the last two seconds are not trusted, so looked at again
            bench_cold(root / name, env, options.runs, records)
        bench_warm(root / "big" / ".git" / "gitmem" / "cache.db")


def bench_cold(path: Path, env: dict[str, str], runs: int, records: int) -> None:
    source = subprocess.run(
        [*map(str, gitmem("log", "-n", "1", "--json"))], cwd=path, env=env, capture_output=True
    )
    words = source.stdout.decode().partition('"summary":"')[2].partition('"')[0].split()[:6]
    asked = gitmem("recall", "--depth", "quick", *words)
    result = compare(asked, BARE, runs=runs, cwd=path, env=env)
    print(f"{records} records, cold recall / python -c pass: {result} (asked: at most 7)")


def bench_warm(file: Path) -> None:
    """Six words of one decision each, so that the common ones are among them as in real text."""
    db = Connection(str(file))
    source = random.Random(5)
    bodies = db.query(
        "SELECT body FROM record WHERE kind = 'decision' ORDER BY id LIMIT ?", (QUESTIONS,)
    )
    questions = []
    for (body,) in bodies:
        text = bytes(body).decode().partition('"summary":"')[2].partition('"')[0]
        words = text.split()
        questions.append(" ".join(source.sample(words, min(6, len(words)))))
    matches = [" OR ".join(choose_phrases(db, list_words(one))) for one in questions]
    best = "SELECT rowid, rank FROM full_text WHERE full_text MATCH ? ORDER BY rank LIMIT ?"

    def search_bare(number: int) -> None:
        db.query(best, (matches[number], LIMIT))

    def rank(number: int) -> None:
        CacheFullText(db).rank(questions[number], kinds=KINDS, limit=LIMIT)

    bare, ours = _time_in_turn((search_bare, rank), range(len(questions)))
    print(f"a warm question: {1000 * ours:.1f} ms, / bare full-text search: {ours / bare:.2f}")
    db.close()


def _time_in_turn(actions: Sequence[Callable[[int], None]], numbers: Sequence[int]) -> list[float]:
    """Median seconds of each, run in turn for each number."""
    samples: list[list[float]] = [[] for _ in actions]
    for number in numbers:
        for action, times in zip(actions, samples, strict=True):
            start = time.perf_counter()
            action(number)
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in samples]


if __name__ == "__main__":
    main()
