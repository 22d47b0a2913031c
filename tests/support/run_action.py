"""Run the action of this repository as a runner would, on this machine.

    python -m tests.support.run_action REPOSITORY BASE HEAD [--api ADDRESS] [--fork]

The event of a pull request from HEAD into BASE is written, the environment of a step set, and
the step's own script run in a folder of its own; summary, outputs and log are printed. Without
an address of an API there is no token, as for a pull request that may not comment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "action.yml"
_RUN = "      run: |\n"
_INDENT = " " * 8


class Step(NamedTuple):
    """How the step ended, and what it left for the runner."""

    code: int
    log: str
    summary: str
    outputs: Mapping[str, str]


def read_script() -> str:
    """The one script of the action, as bash gets it."""
    _, run, after = ACTION.read_text(encoding="utf-8").partition(_RUN)
    if not run or _RUN in after:
        raise ValueError("the action has not exactly one script")
    lines = after.split("\n")
    if any(line and not line.startswith(_INDENT) for line in lines):
        raise ValueError("something follows the action's script")
    return "\n".join(line.removeprefix(_INDENT) for line in lines)


def run_action(
    repository: Path,
    base: str,
    head: str,
    folder: Path,
    *,
    api: str | None = None,
    is_fork: bool = False,
    inputs: Mapping[str, str] | None = None,
) -> Step:
    """Run the step in a folder of its own; the work tree is as the runner checked it out."""
    for name in ("summary", "output"):
        (folder / name).touch()
    head_repository = "somebody/fork" if is_fork else "owner/project"
    event = {
        "number": 1,
        "pull_request": {
            "number": 1,
            "title": "A change",
            "body": None,
            "base": {"sha": base, "repo": {"full_name": "owner/project"}},
            "head": {"sha": head, "repo": {"full_name": head_repository}},
        },
    }
    (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
    given = {"comment": "true", "fail-on-conflict": "false", **(inputs or {})}
    environ = {
        **os.environ,
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_WORKSPACE": str(repository),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "owner/project",
        "GITHUB_API_URL": api or "http://127.0.0.1:9",
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_TOKEN": "a-token" if api else "",
        "WANTS_COMMENT": given["comment"],
        "WANTS_FAILURE": given["fail-on-conflict"],
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", read_script()],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    lines = (folder / "output").read_text("utf-8").splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return Step(
        done.returncode, done.stdout + done.stderr, (folder / "summary").read_text("utf-8"), outputs
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("base")
    parser.add_argument("head")
    parser.add_argument("--api")
    parser.add_argument("--fork", action="store_true")
    words = parser.parse_args()
    repository = words.repository.resolve()
    ends = [
        subprocess.run(
            ["git", "rev-parse", "--verify", f"{one}^{{commit}}"],
            cwd=repository,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for one in (words.base, words.head)
    ]
    with tempfile.TemporaryDirectory() as folder:
        step = run_action(repository, *ends, Path(folder), api=words.api, is_fork=words.fork)
    print(step.log)
    print(step.summary)
    print(dict(step.outputs))
    sys.exit(step.code)


if __name__ == "__main__":
    main()
