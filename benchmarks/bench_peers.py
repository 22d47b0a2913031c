"""`why` with many large peers, beside `why` without any; and what a pull of one moves.

    python -m benchmarks.bench_peers [--peers 50] [--records 20000] [--runs 15] [--keep DIR]

Each peer is a project of its own with that many decisions on the same 5,000 paths, so that every
one of them knows the file that is asked about. Caches are warm. Prints the ratio of medians, how
fast a peer is projected for the first time beside a rebuild of the same records, and the bytes of
the memory that was fetched beside those of its repository.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

from benchmarks.bench_rebuild import make_fields, make_word
from benchmarks.big_memory import (
    RECORDS_IN_SEGMENT,
    bench_environment,
    gitmem,
    list_paths,
    make_big_memory,
    run,
)
from benchmarks.harness import compare
from gitmem.core.codec import build_line
from gitmem.core.segments import encode_segment, segment_name
from gitmem.store.folder_writing import write_folder
from gitmem.store.project_file import Project

FILE = "src/0/0/file0.py"
TEXTS = 500


def make_peer(path: Path, number: int, records: int, env: dict[str, str]) -> None:
    """A project of its own: one commit, all its decisions in it."""
    path.mkdir(parents=True)
    run(path, env, "git", "init", "-q", "-b", "main")
    project = str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench:{number}"))
    write_folder(path, Project(project, path.name))
    source = random.Random(number)
    words = [make_word(source) for _ in range(8000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    texts = [source.choices(words, weights, k=48) for _ in range(TEXTS)]
    paths = list_paths()
    folder = path / ".gitmem" / "records" / "2026-01"
    folder.mkdir(parents=True)
    for first in range(0, records, RECORDS_IN_SEGMENT):
        lines = [
            build_line(
                {
                    **make_fields(source, seq, texts[seq % TEXTS], paths),
                    "project": project,
                }
            )
            for seq in range(first + 1, first + 1 + min(RECORDS_IN_SEGMENT, records - first))
        ]
        data = encode_segment(lines)
        (folder / segment_name(data)).write_bytes(data)
    run(path, env, "git", "add", "-A")
    run(path, env, "git", "commit", "-q", "-m", "All at once")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=int, default=50)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="keep the repositories in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        repository = root / "own"
        if not repository.exists():
            make_big_memory(repository, options.records, env)
            run(repository, env, *map(str, gitmem("why", FILE)))
        for number in range(options.peers):
            peer = root / f"peer{number}"
            if not peer.exists():
                make_peer(peer, number, options.records, env)
        time.sleep(3)  # what changed a moment ago is looked at again each time
        report(root, repository, options.peers, options.runs, env)


def report(root: Path, repository: Path, peers: int, runs: int, env: dict[str, str]) -> None:
    addresses = "\n".join(str(root / f"peer{number}") for number in range(peers))
    start = time.perf_counter()
    subprocess.run(
        [*gitmem("peers", "add", "-", "-q")],
        cwd=repository,
        env=env,
        input=addresses.encode(),
        check=True,
        capture_output=True,
    )
    print(f"first projection of {peers} peers: {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    run(root / "peer0", env, *map(str, gitmem("cache", "rebuild")))
    print(f"rebuild of one of them at home: {time.perf_counter() - start:.1f} s")
    words = ["why", FILE]
    with_peers = compare(
        gitmem(*words), gitmem(*words, "--no-peers"), runs=runs, cwd=repository, env=env
    )
    print(f"why, {peers} peers / none: {with_peers}")
    none = dict(env, XDG_CONFIG_HOME=str(root / "no-config"), XDG_CACHE_HOME=f"{root}/home/.cache")
    unregistered = compare(
        gitmem(*words), gitmem(*words, "--no-peers"), runs=runs, cwd=repository, env=none
    )
    print(f"why, no registry / --no-peers: {unregistered}")
    index = Path(env["HOME"]) / ".cache" / "gitmem" / "peers" / "index.db"
    print(f"index over all of them: {os.path.getsize(index) / 1e6:.1f} MB")  # noqa: PTH202


if __name__ == "__main__":
    sys.exit(main())
