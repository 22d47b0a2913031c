"""What an agent waits for at each event, in a large memory, beside a bare interpreter.

    python -m benchmarks.bench_agent_hooks [--records 100000] [--runs 15] [--keep DIR]

Each row is one event of a session of Claude Code, as a process of its own with its payload on
stdin, in turn with `python -c pass`. Asked: at most 6 times that and 80 MB; at the beginning of a
session and at the end of a turn, which writes a decision, 8 times.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.bench_memory import BARE
from benchmarks.big_memory import bench_environment, gitmem, make_big_memory, run
from benchmarks.harness import Sample, run_once

FILE = "src/0/0/file0.py"
MESSAGE = "Rows are keyed by tenant now, because two tenants shared one."
PROMPT = "Why is the first file of the source written as it is, and what was decided of it?"
ASKED = {"session-start": 8, "subagent-start": 8, "stop": 8, "subagent-stop": 8}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--keep", type=Path, help="keep the repository in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = (options.keep or Path(scratch)).resolve()
        env = bench_environment(root / "home")
        repository = root / "big"
        if not repository.exists():
            make_big_memory(repository, options.records, env)
        run(repository, env, *map(str, gitmem("why", FILE)))
        run(repository, env, "git", "status")  # a copied repository's index is stale
        print(f"{options.records} records, Python {sys.version.split()[0]}")
        for name, payload, before in _list_events(repository, env):
            _report(repository, env, name, payload, before, options.runs)


Prepare = Callable[[int], None]


def _list_events(
    repository: Path, env: dict[str, str]
) -> Iterator[tuple[str, Callable[[int], dict[str, Any]], Prepare | None]]:
    """(event, payload of a run, what goes before a run). Every run is a session of its own,
    so that nothing was shown yet."""
    counter = itertools.count()
    tool = {"tool_name": "Edit", "tool_input": {"file_path": str(repository / FILE)}}

    def payload(**fields: Any) -> Callable[[int], dict[str, Any]]:
        return lambda run: {"session_id": f"{os.getpid()} {run}", "cwd": str(repository), **fields}

    def work(number: int) -> None:
        """A turn that is under way: a request, and a file that was edited."""
        (repository / FILE).write_text(f"{next(counter)}\n")
        for name, fields in (("user-prompt-submit", {"prompt": "/x"}), ("post-tool-use", tool)):
            _run_hook(repository, env, name, payload(**fields)(number))

    yield "session-start", payload(source="startup"), None
    yield "subagent-start", payload(agent_id="a"), None
    yield "user-prompt-submit", payload(prompt=PROMPT), None
    yield "user-prompt-submit", payload(prompt="/skip"), None
    yield "pre-tool-use", payload(**tool), None
    yield "post-tool-use", payload(**tool), None
    yield "stop", payload(last_assistant_message="Nothing was changed."), None
    yield "stop", payload(last_assistant_message=MESSAGE), work
    yield "pre-compact", payload(trigger="auto"), None
    yield "session-end", payload(reason="other"), None
    yield "session-end", payload(reason="other"), work


def _report(
    repository: Path,
    env: dict[str, str],
    name: str,
    payload: Callable[[int], dict[str, Any]],
    before: Prepare | None,
    runs: int,
) -> None:
    """Run the event and a bare interpreter in turn, after one run of each that does not
    count."""
    hooks: list[Sample] = []
    bare: list[Sample] = []
    for number in range(runs + 1):
        if before is not None:
            before(number)
        hooks.append(_run_hook(repository, env, name, payload(number)))
        bare.append(run_once(BARE, cwd=repository, env=env))
    seconds, floor = (statistics.median(s.seconds for s in taken[1:]) for taken in (hooks, bare))
    peak = statistics.median(sample.peak_bytes for sample in hooks[1:])
    what = f"{name}{' that captures' if before else ''}"
    if payload(0).get("prompt") == "/skip":
        what += ", skipped"
    print(
        f"{what:32} {seconds * 1000:5.0f} ms, {seconds / floor:4.1f} times python -c pass "
        f"(asked: at most {ASKED.get(name, 6)}), {peak / 2**20:.0f} MB"
    )


def _run_hook(repository: Path, env: dict[str, str], name: str, payload: dict[str, Any]) -> Sample:
    with tempfile.NamedTemporaryFile() as file:
        file.write(json.dumps(payload).encode())
        file.flush()
        words = [*gitmem("hook", name, "--agent", "claude")]
        return run_once(words, cwd=repository, env=env, stdin=Path(file.name))


if __name__ == "__main__":
    main()
