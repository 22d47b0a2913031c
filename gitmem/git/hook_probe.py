"""Prove that a hook fires: let git run it, with a mark that makes gitmem's lines answer and
end it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from gitmem.git.hook_scripts import PROBE, PROBE_ANSWER
from gitmem.git.process import build_environ, find_git

PROBE_SECONDS = 20


def does_fire(hook: str, file: Path, work_tree: Path, environ: Mapping[str, str]) -> bool:
    """Whether git, from the work tree, reaches gitmem's lines in this hook. To be asked only
    where they stand first in `file`: what stood before them would run."""
    words = [find_git(environ), "-C", str(work_tree), "hook", "run", "--ignore-missing", hook]
    code, said = _run(words, work_tree, environ)
    if code == 1 and "is not a git command" in said:  # before 2.36
        code, said = _run([str(file)], work_tree, environ)
    return code == 0 and f"{PROBE_ANSWER} {hook}" in said.splitlines()


def _run(words: list[str], work_tree: Path, environ: Mapping[str, str]) -> tuple[int, str]:
    try:
        done = subprocess.run(
            words,
            cwd=work_tree,
            env={**build_environ(environ), PROBE: "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return 127, ""
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")
