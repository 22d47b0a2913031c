"""The MCP server beside its SDK: time to the first answer, and memory over many calls.

    python -m benchmarks.bench_mcp [--runs 7] [--calls 1000]

Printed: the median time from start until `initialize` is answered, over the median time of a
process that only imports the SDK; and the server's resident memory after a tenth of the calls
and after all of them (where the system tells).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.big_memory import bench_environment, gitmem, run

SDK = [sys.executable, "-c", "from mcp.server import MCPServer"]
SERVER = [sys.executable, "-m", "gitmem", "mcp"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("why", {"target": "a.py"}),
    ("recall", {"question": "how is the cache keyed"}),
    ("search", {"words": "tenant"}),
    ("status", {}),
    ("capture", {"summary": "Said again", "paths": ["a.py"]}),
    ("changelog", {"range": "HEAD~1..HEAD"}),
    ("impact", {"target": "a.py"}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--calls", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        env = bench_environment(root / "home")
        repository = root / "repository"
        _make_repository(repository, env)
        imports, starts = [], []
        for number in range(options.runs + 1):
            took = (_import_sdk(env), _start(repository, env))
            if number:
                imports.append(took[0])
                starts.append(took[1])
        floor, start = statistics.median(imports), statistics.median(starts)
        print(f"SDK imported {floor:.2f} s, initialize answered {start:.2f} s: {start / floor:.2f}")
        early, late = asyncio.run(_call_many(repository, env, options.calls))
        print(
            f"memory after {options.calls // 10} calls {early} MB, after {options.calls} {late} MB"
        )


def _make_repository(repository: Path, env: dict[str, str]) -> None:
    repository.mkdir()
    (repository / "a.py").write_text("1\n")
    run(repository, env, "git", "init", "-q")
    run(repository, env, "git", "add", "a.py")
    run(repository, env, "git", "commit", "-q", "-m", "Begin")
    run(repository, env, *map(str, gitmem("init", "--yes", "--no-hooks")))
    run(repository, env, *map(str, gitmem("capture", "--flush", "-m", "Keyed by tenant", "a.py")))
    run(repository, env, "git", "add", "-A")
    run(repository, env, "git", "commit", "-q", "-m", "Key the cache by tenant")


def _import_sdk(env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(SDK, env=env, check=True)
    return time.perf_counter() - start


def _start(repository: Path, env: dict[str, str]) -> float:
    start = time.perf_counter()
    with subprocess.Popen(
        SERVER, cwd=repository, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        took = time.perf_counter() - start
        server.kill()
    if b'"result"' not in answer:
        raise RuntimeError(f"initialize was answered with {answer[:200]!r}")
    return took


async def _call_many(repository: Path, env: dict[str, str], calls: int) -> tuple[int, int]:
    """Resident megabytes of the server after a tenth of the calls, and after all."""
    parameters = StdioServerParameters(
        command=SERVER[0], args=SERVER[1:], cwd=repository, env={**env, "GITMEM_BENCH": "mcp"}
    )
    early = 0
    async with Client(stdio_client(parameters)) as client:
        for number in range(calls):
            tool, arguments = CALLS[number % len(CALLS)]
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                raise RuntimeError(f"{tool}: {result.content}")
            if number + 1 == calls // 10:
                early = _resident_mb()
        return early, _resident_mb()


def _resident_mb() -> int:
    """Of the only server whose environment says that it is ours; 0 where nobody tells."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"GITMEM_BENCH=mcp" in (process / "environ").read_bytes():
                pages = int((process / "statm").read_text().split()[1])
                return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
        except (OSError, ValueError):
            continue
    return 0


if __name__ == "__main__":
    main()
