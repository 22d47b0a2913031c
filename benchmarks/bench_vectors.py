"""Vectors: start-up, search at size, and the speed of embedding, each beside its floor.

    python -m benchmarks.bench_vectors [--runs 11] [--rows 100000] [--large 1000000]

Prints ratios of medians taken in one run: a cold `gitmem recall` to a bare script that loads
the model and embeds one sentence, and one by words alone to `python -c pass`; a warm query to
full-text search plus the matrix product alone; the search at ten times the rows to that; its
peak memory; and `gitmem reindex` to the model alone on the same texts.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.bench_rebuild import make_word
from benchmarks.big_memory import bench_environment, gitmem, iter_segments, list_paths, run
from benchmarks.harness import compare
from gitmem.cache.building import open_cache
from gitmem.cache.full_text import CacheFullText
from gitmem.cache.lock import hold_lock
from gitmem.core.ranking import Ranked
from gitmem.core.segments import SegmentRef, decode_segment, segment_name
from gitmem.retrieval.exact_search import find_nearest
from gitmem.retrieval.model_files import default_stamp, find_default_model
from gitmem.retrieval.onnx_embedder import OnnxEmbedder
from gitmem.retrieval.vector_files import Rows, VectorFolder

DIMENSION = 384
COMMITS = 1500
_TEXT = (
    "cache tenant pool connection retry token index vector region timeout measured slow file"
    " commit branch lock writer segment record jitter price cents queue worker shard replica"
)
WORDS = _TEXT.split()
BARE = [sys.executable, "-c", "pass"]
BARE_MODEL = """
import sys
import os
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import numpy as np, onnxruntime
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[2])
tokenizer.no_padding()
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
ids = np.array([tokenizer.encode("Why do two tenants share an entry?").ids], dtype=np.int64)
ones = np.ones_like(ids)
given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": np.zeros_like(ids)}
vector = session.run(None, given)[0][0].mean(axis=0)
print(vector[:2] / np.linalg.norm(vector))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        env = bench_environment(root / "home")
        bench_recall(root / "recall", env, options.runs)
        bench_embedding(root / "embed", env)
        bench_search(root, options.rows, options.large, options.runs)


def make_repository(path: Path, env: dict[str, str], commits: int) -> None:
    """So many commits with a reason of some sixty words each, and a memory."""
    path.mkdir(parents=True)
    run(path, env, "git", "init", "-q", "-b", "main")
    source = np.random.default_rng(3)
    stream = "".join(
        f"commit refs/heads/main\ncommitter Ada <ada@example.com> {1_700_000_000 + number} +0000\n"
        f"data <<END\nChange {number}\n\nbecause {' '.join(source.choice(WORDS, 55))}\nEND\n"
        for number in range(commits)
    )
    words = ["git", "fast-import", "--quiet"]
    subprocess.run(words, cwd=path, env=env, input=stream.encode(), check=True)
    run(path, env, "git", "reset", "-q", "--hard", "main")
    run(path, env, *map(str, gitmem("init", "--yes", "--no-hooks")))


def bench_recall(path: Path, env: dict[str, str], runs: int) -> None:
    make_repository(path, env, 300)
    run(path, env, *map(str, gitmem("reindex")))
    files = find_default_model()
    bare = [sys.executable, "-c", BARE_MODEL, str(files.model), str(files.tokenizer)]
    question = "Why was the replica of the shard so slow in that region?"
    result = compare(gitmem("recall", question), bare, runs=runs, cwd=path, env=env)
    print(f"cold recall with vectors / bare script with the model: {result} (asked: at most 1.3)")
    quick = gitmem("recall", "--depth", "quick", question)
    result = compare(quick, BARE, runs=runs, cwd=path, env=env)
    print(f"cold recall by words alone / python -c pass: {result} (asked: at most 7)")


def bench_embedding(path: Path, env: dict[str, str]) -> None:
    """`gitmem reindex` of many commits, its start-up taken off, beside the model alone."""
    make_repository(path, env, COMMITS)
    run(path, env, *map(str, gitmem("recall", "warm up the cache and the history")))
    texts = _list_messages(path, env)
    embedder = OnnxEmbedder(find_default_model(), lambda dimension: default_stamp())
    embedder.embed(texts[:8])
    alone, ours = [], []
    for _ in range(3):
        start = time.perf_counter()
        embedder.embed(texts)
        alone.append(time.perf_counter() - start)
        start = time.perf_counter()
        run(path, env, *map(str, gitmem("reindex", "--all")))
        middle = time.perf_counter()
        run(path, env, *map(str, gitmem("reindex")))
        ours.append(middle - start - (time.perf_counter() - middle))
    share = statistics.median(alone) / statistics.median(ours)
    speed = len(texts) / statistics.median(ours)
    print(f"embedding speed / the model's own: {share:.2f} (asked: 0.9; {speed:.0f} a second)")


def _list_messages(path: Path, env: dict[str, str]) -> list[str]:
    words = ["git", "log", "--format=%B%x00"]
    done = subprocess.run(words, cwd=path, env=env, check=True, capture_output=True, text=True)
    return [text.strip() for text in done.stdout.split("\0") if text.strip()]


def bench_search(root: Path, rows: int, large: int, runs: int) -> None:
    question = _random_vectors(1, 99)[0]
    small, big = (_fill(root / str(count), count) for count in (rows, large))
    search = _median(lambda: find_nearest(small, question, 100), runs)
    product = _median(lambda: _multiply(small, question), runs)
    words = _median(_make_text_search(root, rows), runs)
    print(
        f"warm search at {rows} / full text + matrix product:"
        f" {search / (words + product):.2f} (the product {product * 1000:.1f} ms, full text"
        f" {words * 1000:.1f} ms, the search {search * 1000:.1f} ms; asked: at most 2, with both)"
    )
    print(f"search and full text / full text + product: {(search + words) / (words + product):.2f}")
    slow = _median(lambda: find_nearest(big, question, 100), max(3, runs // 3))
    factor = slow / search / (large / rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 2**30
    print(f"search at {large}, a row / at {rows}: {factor:.2f} (linear: 1); peak {peak:.2f} GB")


def _fill(folder: Path, count: int) -> Rows:
    files = VectorFolder(folder, DIMENSION, hold_lock)
    for start in range(0, count, 50_000):
        vectors = _random_vectors(min(50_000, count - start), start)
        ids = (number.to_bytes(32, "big") for number in range(start + 1, start + 50_001))
        files.add("record", list(zip(ids, vectors, strict=False)))
    rows = files.read_rows("record")
    assert rows is not None
    return rows


def _random_vectors(count: int, seed: int) -> list[bytes]:
    numbers = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype("<f4")
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    return [one.tobytes() for one in numbers]


def _multiply(rows: Rows, question: bytes) -> None:
    shape = (rows.count, DIMENSION)
    matrix = np.memmap(rows.vectors, dtype="<f4", mode="r", shape=shape)
    scores = matrix @ np.frombuffer(question, dtype="<f4")
    np.argpartition(scores, -100)


def _make_text_search(root: Path, count: int) -> Callable[[], list[Ranked]]:
    """Six content words asked of as many decisions, through the ranker that answers use."""
    source = random.Random(count)
    segments = [
        decode_segment(SegmentRef(segment_name(data), ""), data, "spool/x")
        for data in iter_segments(source, count, list_paths())
    ]
    cache = open_cache(root / "text.db", repository="benchmark")
    cache.projection.project(segments)
    cache.projection.set_folder_place("spool/x", "x", [one.ref for one in segments])
    words = [make_word(again) for again in [random.Random(count)] for _ in range(8000)]
    question = " ".join(words[rank] for rank in (60, 150, 400, 900, 2000, 5000))
    ranker = CacheFullText(cache.db)
    return lambda: ranker.rank(question, kinds=("record",), limit=100)


def _median(work: Callable[[], object], runs: int) -> float:
    work()
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
