"""Which git is installed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

from gitmem.errors import GitFailed
from gitmem.git.process import build_environ, find_git

CALL_SECONDS = 10
_VERSION = re.compile(rb"git version (\d+)\.(\d+)(?:\.(\d+))?")


def get_git_version(environ: Mapping[str, str]) -> tuple[int, int, int]:
    """The version of the git executable. Raises PartMissing, GitFailed."""
    done = subprocess.run(
        [find_git(environ), "--version"],
        env=build_environ(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CALL_SECONDS,
        check=False,
    )
    match = _VERSION.match(done.stdout)
    if match is None:
        raise GitFailed("git does not say which version it is")
    major, minor, patch = (int(part or 0) for part in match.groups())
    return major, minor, patch
