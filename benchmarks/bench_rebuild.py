"""How fast the cache is rebuilt, beside the smallest script that inserts the same rows.

    python -m benchmarks.bench_rebuild [--records 100000] [--runs 3] [--no-baseline]

Segments of 500 records over 5,000 paths are made in a temporary folder first. Both sides then
run in turn in this process, reading the same files. Wall and CPU seconds are printed, and the
ratio of rates (ours to the baseline's); for a single long run, the peak of memory and how the
rate changed from the first tenth to the last.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from gitmem.cache.building import open_cache
from gitmem.cache.schema import SCHEMA
from gitmem.core.codec import build_line
from gitmem.core.segments import (
    Segment,
    SegmentRef,
    decode_segment,
    encode_segment,
    segment_name,
)

RECORDS_IN_SEGMENT = 500
PATHS = 5000
BATCH = 2000
MARK_SEGMENTS = BATCH // RECORDS_IN_SEGMENT
Mark = Callable[[], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-baseline", action="store_true")
    parser.add_argument("--keep", type=Path, help="keep the input and the cache in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        files = ensure_input(folder / "records", options.records)
        print(f"{options.records} records in {len(files)} segments, SQLite", sqlite3.sqlite_version)
        compare(folder, files, options.records, options.runs, baseline=not options.no_baseline)


def compare(folder: Path, files: list[Path], records: int, runs: int, *, baseline: bool) -> None:
    """Run both sides in turn and print what they took."""
    ratios = []
    for run in range(runs):
        seconds = {}
        for name, rebuild in (("baseline", rebuild_baseline), ("gitmem", rebuild_ours)):
            if name == "baseline" and not baseline:
                continue
            target = folder / f"{name}-{run}" / "cache.db"
            shutil.rmtree(target.parent, ignore_errors=True)
            target.parent.mkdir()
            marks: list[tuple[float, float]] = []

            def mark(marks: list[tuple[float, float]] = marks) -> None:
                marks.append((time.perf_counter(), time.process_time()))

            mark()
            rebuild(target, files, mark)
            mark()
            wall, cpu = marks[-1][0] - marks[0][0], marks[-1][1] - marks[0][1]
            seconds[name] = cpu
            tenth = max(1, (len(marks) - 1) // 10)
            first = marks[tenth][1] - marks[0][1]
            last = marks[-1][1] - marks[-1 - tenth][1]
            print(
                f"{name:9} wall {wall:6.2f} s  cpu {cpu:6.2f} s  {records / cpu:7.0f} records/s"
                f"  last tenth / first tenth {last / first:.2f}"
                f"  {target.stat().st_size / 1e6:.0f} MB"
                f"  peak RSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB"
            )
        if baseline:
            ratios.append(seconds["baseline"] / seconds["gitmem"])
            print(f"{'':9} rate ratio {ratios[-1]:.2f}")
    if ratios:
        print(f"best {max(ratios):.2f}, median {sorted(ratios)[len(ratios) // 2]:.2f}")


# --- the input ------------------------------------------------------------------------------


def ensure_input(folder: Path, records: int) -> list[Path]:
    """The files of the segments, in order; made if they are not there."""
    files = sorted(folder.glob("*.ndjson")) if folder.is_dir() else []
    if len(files) == records // RECORDS_IN_SEGMENT:
        return files
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(records)
    words = [make_word(source) for _ in range(8000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    paths = [f"src/{n % 40}/{n % 200}/file{n}.py" for n in range(PATHS)]
    for first in range(0, records, RECORDS_IN_SEGMENT):
        lines = []
        for seq in range(first + 1, first + 1 + RECORDS_IN_SEGMENT):
            text = source.choices(words, weights, k=48)
            lines.append(build_line(make_fields(source, seq, text, paths)))
        data = encode_segment(lines)
        (folder / f"{first:08}-{segment_name(data)}").write_bytes(data)
    return sorted(folder.glob("*.ndjson"))


def make_word(source: random.Random) -> str:
    return "".join(source.choices("abcdefghijklmnoprstuvw", k=source.randint(3, 10)))


def make_fields(
    source: random.Random, seq: int, text: list[str], paths: list[str]
) -> dict[str, Any]:
    return {
        "v": 1,
        "kind": "decision",
        "project": "0d9d51c4-6a5a-5b4e-9f3f-2f0c6f1f3f10",
        "at": f"2026-{1 + seq % 12:02}-01T00:00:00.000Z",
        "seq": seq,
        "actor": {"name": "Ada", "email": "ada@example.com"},
        "key": f"{source.getrandbits(64):016x}",
        "type": "decision",
        "summary": " ".join(text[:8]),
        "why": " ".join(text[8:]),
        "paths": [{"path": path} for path in source.sample(paths, 2)],
        "captured_by": "agent",
        "branch": "main",
        "base": f"{source.getrandbits(160):040x}",
    }


def read_ref(file: Path) -> SegmentRef:
    return SegmentRef(file.name.partition("-")[2])


# --- the two sides --------------------------------------------------------------------------


def rebuild_ours(target: Path, files: list[Path], mark: Mark) -> None:
    """Project everything, streamed."""
    cache = open_cache(target, repository="bench")
    named = {read_ref(file): file for file in files}
    cache.projection.set_folder_place("work:main", "1", list(named))

    def iter_segments() -> Iterator[Segment]:
        for number, ref in enumerate(cache.projection.list_unprojected(named)):
            if number % MARK_SEGMENTS == 0:
                mark()
            yield decode_segment(ref, named[ref].read_bytes(), named[ref].name)

    cache.projection.project(iter_segments())
    cache.close()


def rebuild_baseline(target: Path, files: list[Path], mark: Mark) -> None:
    """The smallest script that decodes, checks the hash, and inserts and full-text-indexes the
    same rows: the same tables and indexes, none of our checks, no other process in mind."""
    db = sqlite3.connect(target, isolation_level=None)
    db.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536;" + SCHEMA
    )
    decode = msgspec.json.decode
    encode = msgspec.json.Encoder(order="sorted").encode
    pids: dict[str, int] = {}
    rid = 0
    for start in range(0, len(files), BATCH // RECORDS_IN_SEGMENT):
        mark()
        rows, lists, holdings, texts, known = [], [], [], [], len(pids)
        for sid, file in enumerate(files[start : start + BATCH // RECORDS_IN_SEGMENT], start):
            for raw in file.read_bytes().splitlines():
                value = decode(raw)
                claimed = value.pop("id")
                if hashlib.sha256(encode(value)).hexdigest() != claimed:
                    raise SystemExit("a record whose id is wrong")
                rid += 1
                seq, kind = value["seq"], value["kind"]
                key = int(value["key"], 16) - 2**63
                rows.append((rid, bytes.fromhex(claimed), seq, kind, key, 0, raw))
                holdings.append((rid, sid))
                texts.append((rid, value["summary"] + "\n" + value["why"]))
                names = {"/kind/" + kind}
                for ref in value["paths"]:
                    path = ref["path"]
                    names.add(path)
                    while "/" in path:
                        path = path.rpartition("/")[0]
                        names.add(f"/dir/{path}/")
                for name in names:
                    pid = pids.setdefault(name, len(pids))
                    lists.append((pid, seq, int(claimed[:15], 16), rid))
        fresh = list(pids.items())[known:]
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        db.executemany("INSERT INTO listing VALUES (?, ?, ?, ?)", lists)
        db.executemany("INSERT INTO holding VALUES (?, ?)", holdings)
        db.executemany("INSERT INTO full_text (rowid, text) VALUES (?, ?)", texts)
        db.executemany(
            "INSERT INTO path (path, pid, reversed) VALUES (?, ?, ?)",
            [(path, pid, path[::-1]) for path, pid in fresh],
        )
        db.execute("COMMIT")
    db.close()


if __name__ == "__main__":
    sys.exit(main())
