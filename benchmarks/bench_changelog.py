"""`changelog` of a long range in a large memory, beside git's own log of that range.

    python -m benchmarks.bench_changelog [--runs 10] [--keep DIR] [--formats]

10,000 commits with two decisions each, and the changelog of the last 1,000, cold processes with
a warm cache. Prints the ratio to `git log --name-only` of the same range (asked: at most 3), of
a linear history and of one that merges a branch every ten commits.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_rebuild import make_fields, make_word
from benchmarks.big_memory import PROJECT, bench_environment, gitmem, list_paths, run
from benchmarks.harness import compare
from gitmem.core.codec import build_line
from gitmem.core.segments import encode_segment, segment_name
from gitmem.store.folder_writing import write_folder
from gitmem.store.project_file import Project

COMMITS = 10_000
RANGE = 1_000
DECISIONS_A_COMMIT = 2
FILES_A_COMMIT = 3
MERGE_EVERY = 10
FORMATS = ("keepachangelog", "md", "json", "github")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="keep the repositories in this folder")
    parser.add_argument("--formats", action="store_true", help="measure every format")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        for name, has_merges in (("linear", False), ("merged", True)):
            repository = root / name
            if not repository.exists():
                make_history(repository, env, has_merges=has_merges)
                run(repository, env, *map(str, gitmem("changelog", "start..HEAD")))
                time.sleep(2.5)  # times in the last two seconds are not trusted
            run(repository, env, *map(str, gitmem("changelog", "start..HEAD")))
            formats = FORMATS if options.formats else FORMATS[:1]
            for form in formats:
                ours = gitmem("changelog", "start..HEAD", "--format", form)
                log: list[str | Path] = ["git", "log", "--name-only", "start..HEAD"]
                result = compare(ours, log, runs=options.runs, cwd=repository, env=env)
                print(f"{name}, {form}: {result}")


def make_history(path: Path, env: dict[str, str], *, has_merges: bool) -> None:
    """A repository whose last RANGE commits (of the first parents' line) follow tag `start`."""
    path.mkdir(parents=True)
    run(path, env, "git", "init", "-q", "-b", "main")
    importer = subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=path, env=env, stdin=subprocess.PIPE
    )
    assert importer.stdin is not None
    for chunk in _iter_stream(path, has_merges=has_merges):
        importer.stdin.write(chunk)
    importer.stdin.close()
    if importer.wait() != 0:
        raise RuntimeError("git fast-import failed")
    run(path, env, "git", "reset", "-q", "--hard")
    run(path, env, "git", "gc", "-q")


def _iter_stream(path: Path, *, has_merges: bool) -> Iterator[bytes]:
    source = random.Random(7)
    paths = list_paths()
    words = [make_word(source) for _ in range(8000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    write_folder(path, Project(PROJECT, "big"))
    folder = {p.name: p.read_bytes() for p in (path / ".gitmem").iterdir() if p.is_file()}
    seq = 0
    for number in range(1, COMMITS + 1):
        if has_merges and number > 1 and number % MERGE_EVERY == 0:
            # The branch is the one commit before; its tree is the merge's.
            yield _commit(number, b"Merge branch 'topic'\n", (number - 1, number - 2)) + b"\n"
            continue
        reason = "\n\nBecause the other way was too slow under load.\n" if number % 3 else "\n"
        parents = (number - 1,) if number > 1 else ()
        yield _commit(number, f"Change number {number}{reason}".encode(), parents)
        touched = paths if number == 1 else source.sample(paths, FILES_A_COMMIT)
        for name in touched:
            yield _file(name, f"line one\nchange {number}\nline three\n".encode())
        if number == 1:
            for name, data in folder.items():
                yield _file(f".gitmem/{name}", data)
        lines = []
        for _ in range(DECISIONS_A_COMMIT):
            seq += 1
            text = source.choices(words, weights, k=48)
            fields = make_fields(source, seq, text, list(touched[:FILES_A_COMMIT]))
            lines.append(build_line({**fields, "project": PROJECT}))
        data = encode_segment(lines)
        month = f"2025-{1 + number * 12 // (COMMITS + 1):02}"
        yield _file(f".gitmem/records/{month}/{segment_name(data)}", data)
        yield b"\n"
    yield b"reset refs/tags/start\nfrom :%d\n\n" % (COMMITS - RANGE)


def _commit(number: int, message: bytes, parents: tuple[int, ...]) -> bytes:
    named = b"".join(
        b"%s :%d\n" % (b"merge" if place else b"from", parent)
        for place, parent in enumerate(parents)
    )
    return (
        b"commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.com> %d +0000\n"
        % (
            number,
            1_600_000_000 + number * 600,
        )
        + b"data %d\n%s\n" % (len(message), message)
        + named
    )


def _file(name: str, data: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd}: {error.stderr.decode(errors='replace')}")
