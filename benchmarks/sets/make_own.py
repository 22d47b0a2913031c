"""Make the set of this project's own memory: `python -m benchmarks.sets.make_own`.

Documents are the decisions in `.gitmem/` and the commits before BASE that give a reason; links
lead from a decision to those that it supersedes and to older ones on the same files. The
queries are written by hand and stay as they are.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = Path(__file__).parent / "own"
BASE = "cb185eb"
ID_DIGITS = 12


def list_decisions() -> list[dict[str, object]]:
    lines = [
        json.loads(line)
        for file in sorted((ROOT / ".gitmem" / "records").rglob("*.ndjson"))
        for line in file.read_text("utf-8").splitlines()
    ]
    decisions = {one["id"]: one for one in lines if one.get("kind") == "decision"}
    return sorted(decisions.values(), key=lambda one: (one["seq"], one["id"]))


def list_commits() -> list[tuple[str, str, str]]:
    """(id, subject, body) of commits with a body, newest first."""
    log = subprocess.run(
        ["git", "log", "--no-merges", "--format=%H%x00%s%x00%b%x01", BASE],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    commits = (one.strip("\n").split("\0") for one in log.split("\x01") if one.strip())
    return [(oid[:ID_DIGITS], subject, body.strip()) for oid, subject, body in commits if body]


def main() -> None:
    decisions = list_decisions()
    docs = [
        {
            "id": str(one["id"])[:ID_DIGITS],
            "title": one["summary"],
            "text": f"{one['summary']}\n{one.get('why') or ''}",
        }
        for one in decisions
    ]
    docs += [
        {"id": oid, "title": subject, "text": f"{subject}\n{body}"}
        for oid, subject, body in list_commits()
    ]
    links: list[tuple[str, str]] = []
    by_path: dict[str, list[str]] = {}
    for one in decisions:
        own = str(one["id"])
        links += [(own, old) for old in one.get("supersedes", [])]  # type: ignore[attr-defined]
        for ref in one.get("paths", []):  # type: ignore[attr-defined]
            links += [(own, older) for older in by_path.get(ref["path"], [])]
            by_path.setdefault(ref["path"], []).append(own)
    pairs = dict.fromkeys((a[:ID_DIGITS], b[:ID_DIGITS]) for a, b in links)
    write("docs.jsonl", docs)
    write("links.jsonl", [{"from": a, "to": b} for a, b in pairs])


def write(name: str, rows: list[dict[str, object]] | list[dict[str, str]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    (OWN / name).write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
