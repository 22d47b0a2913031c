"""Start-up of everyday commands on a throw-away repository: `python -m benchmarks [RUNS]`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import compare

BARE: list[str | Path] = [sys.executable, "-c", "pass"]
GITMEM: list[str | Path] = [sys.executable, "-m", "gitmem"]
ADA = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]


def _make_repository(path: Path) -> None:
    """A hundred commits to a file, half of them with a reason, and a memory with a decision."""
    (path / "src.py").write_text("")
    commands: list[list[str | Path]] = [["git", "init", "-q"], ["git", "add", "src.py"]]
    for number in range(100):
        reason = ", because it was slow" if number % 2 else ""
        message = f"Change {number}{reason}"
        commands.append(["git", *ADA, "commit", "-q", "--allow-empty", "-m", message])
    commands.append([*GITMEM, "init", "--yes"])
    for name, value in (("user.name", "Ada"), ("user.email", "ada@example.com")):
        commands.append(["git", "config", name, value])
    commands.append([*GITMEM, "capture", "-m", "Cache by tenant", "src.py"])
    for command in commands:
        subprocess.run(command, cwd=path, check=True, capture_output=True)


def main(runs: int) -> None:
    """Print the ratio of each command to its floor."""
    rows: dict[str, tuple[list[str | Path], list[str | Path]]] = {
        "why FILE / bare interpreter": ([*GITMEM, "why", "src.py"], BARE),
        "why FILE --json / bare interpreter": ([*GITMEM, "why", "src.py", "--json"], BARE),
        "status / bare interpreter": ([*GITMEM, "status"], BARE),
        "--version / bare interpreter": ([*GITMEM, "--version"], BARE),
        "why FILE / git log FILE": ([*GITMEM, "why", "src.py"], ["git", "log", "--", "src.py"]),
    }
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder)
        _make_repository(repository)
        for name, (a, b) in rows.items():
            print(f"{name:36} {compare(a, b, runs=runs, cwd=repository)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
