"""Makes a repository with a long history and a large memory, for benchmarks."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_rebuild import make_fields, make_word
from gitmem.core.codec import build_line
from gitmem.core.segments import encode_segment, segment_name
from gitmem.store.folder_writing import write_folder
from gitmem.store.project_file import Project

PROJECT = "0d9d51c4-6a5a-5b4e-9f3f-2f0c6f1f3f10"
RECORDS_IN_SEGMENT = 500
PATHS = 5000
COMMITS = 5000
SHARE_IN_HISTORY = 20
"""Commits that carry segments, of all of them: the records arrive with the code."""


def list_paths() -> list[str]:
    return [f"src/{n % 40}/{n % 200}/file{n}.py" for n in range(PATHS)]


def bench_environment(home: Path) -> dict[str, str]:
    """The process's environment without the user's git configuration, and with Ada's."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "GITMEM", "XDG_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    return {
        **kept,
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GITMEM_NO_BACKGROUND": "1",
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
    }


def make_big_memory(path: Path, records: int, env: dict[str, str]) -> None:
    """A repository at `path`: COMMITS commits over PATHS files, `records` decisions in
    segments of 500, committed along the way, the work tree checked out; no memory at all
    for 0 records."""
    path.mkdir(parents=True)
    run(path, env, "git", "init", "-q", "-b", "main")
    importer = subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=path, env=env, stdin=subprocess.PIPE
    )
    assert importer.stdin is not None
    for chunk in _iter_stream(path, records):
        importer.stdin.write(chunk)
    importer.stdin.close()
    if importer.wait() != 0:
        raise RuntimeError("git fast-import failed")
    run(path, env, "git", "reset", "-q", "--hard")


def run(path: Path, env: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        command, cwd=path, env=env, check=True, capture_output=True, stdin=subprocess.DEVNULL
    )
    return done.stdout.decode()


def gitmem(*words: str) -> list[str | Path]:
    return [sys.executable, "-m", "gitmem", *words]


def _iter_stream(path: Path, records: int) -> Iterator[bytes]:
    source = random.Random(records)
    paths = list_paths()
    segments = iter_segments(source, records, paths)
    folder: dict[str, bytes] = {}
    if records:
        write_folder(path, Project(PROJECT, "big"))
        folder = {p.name: p.read_bytes() for p in (path / ".gitmem").iterdir() if p.is_file()}
    every = max(1, COMMITS // SHARE_IN_HISTORY)
    left = records // RECORDS_IN_SEGMENT
    for number in range(1, COMMITS + 1):
        reason = "\n\nBecause the other way was too slow under load.\n" if number % 3 else "\n"
        message = f"Change number {number}{reason}".encode()
        yield (
            b"commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.com> %d +0000\n"
            b"data %d\n%s\n" % (number, 1_600_000_000 + number * 600, len(message), message)
        )
        touched = paths if number == 1 else source.sample(paths, 2)
        for name in touched:
            yield _file(name, f"line one\nchange {number}\nline three\n".encode())
        if number == 1:
            for name, data in folder.items():
                yield _file(f".gitmem/{name}", data)
        if number % every == 0:
            share = -(-left // (SHARE_IN_HISTORY - number // every + 1))
            for _ in range(share):
                data = next(segments)
                yield _file(f".gitmem/records/2026-01/{segment_name(data)}", data)
            left -= share
        yield b"\n"


def _file(name: str, data: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)


def iter_segments(source: random.Random, records: int, paths: list[str]) -> Iterator[bytes]:
    """So many decisions of 48 words of a vocabulary of 8,000, the rarer the later."""
    words = [make_word(source) for _ in range(8000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for first in range(0, records, RECORDS_IN_SEGMENT):
        lines = []
        for seq in range(first + 1, first + 1 + RECORDS_IN_SEGMENT):
            text = source.choices(words, weights, k=48)
            fields = make_fields(source, seq, text, paths)
            lines.append(build_line({**fields, "project": PROJECT}))
        yield encode_segment(lines)
