"""Quality of retrieval, all arms on all sets: `python -m benchmarks.bench_quality [SET]...`.

Prints the tables of RESULTS.md. The sets that are made or shipped here are always measured;
others are folders of the same form (docs/evaluation.md).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.sets.make_chains import make_chains

OWN = Path(__file__).parent / "sets" / "own"
COLUMNS = ("recall@5", "recall@10", "mrr", "ndcg@10", "all@8", "all@10")


def measure(folder: Path) -> dict[str, Any]:
    """What `gitmem eval SET --json` says of a set."""
    command = [sys.executable, "-m", "gitmem", "eval", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout.decode(errors="replace"))
    data: dict[str, Any] = json.loads(done.stdout)["data"]
    return data


def format_set(name: str, data: dict[str, Any]) -> str:
    lines = [
        f"### {name}: {data['documents']:,} documents, {data['links']:,} links,"
        f" {data['queries']} queries",
        "",
        f"| arm | {' | '.join(COLUMNS)} | tokens |",
        "|---" * (len(COLUMNS) + 2) + "|",
    ]
    best = {one: max(arm[one] for arm in data["arms"].values()) for one in COLUMNS}
    for arm, figures in data["arms"].items():
        cells = [
            f"**{figures[one]:.3f}**" if figures[one] == best[one] else f"{figures[one]:.3f}"
            for one in COLUMNS
        ]
        mark = " (in use)" if arm == data["in_use"] else ""
        lines.append(f"| {arm}{mark} | {' | '.join(cells)} | {figures['tokens']:,.0f} |")
    lines += ["", f"Pasting everything: {data['all_tokens']:,} tokens."]
    hops = {arm: figures["hops"] for arm, figures in data["arms"].items()}
    if len(hops["text"]) > 1:
        lines += ["", "All evidence within 8, by hops:", "", "| arm | " + " | ".join(hops["text"])]
        lines[-1] += " |"
        lines.append("|---" * (len(hops["text"]) + 1) + "|")
        for arm, groups in hops.items():
            cells = [f"{group['all@8']:.3f}" for group in groups.values()]
            lines.append(f"| {arm} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(folders: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        made = [Path(scratch) / "chains", Path(scratch) / "chains-branching"]
        for folder in made:
            make_chains(folder, is_branching=folder.name.endswith("branching"))
        for folder in [*folders, OWN, *made]:
            print(format_set(folder.name, measure(folder)), flush=True)


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]])
