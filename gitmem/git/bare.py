"""Making the bare repository of a detached memory."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from dulwich.repo import Repo

from gitmem.errors import CannotWrite, PartMissing
from gitmem.git.complaints import build_error
from gitmem.git.process import build_environ, find_git

CALL_SECONDS = 60


def create_bare(path: Path, object_format: str, environ: Mapping[str, str]) -> None:
    """Make a bare repository, with no template and so no hooks; nothing if it is there.

    Raises CannotWrite."""
    if (path / "HEAD").is_file():
        return
    try:
        path.mkdir(parents=True, exist_ok=True)
        git = find_git(environ)
    except PartMissing:
        Repo.init_bare(str(path)).close()
        return
    except OSError as error:
        raise CannotWrite(f"{path} cannot be made: {error.strerror}") from error
    words = ["init", "-q", "--bare", "--template=", f"--object-format={object_format}"]
    done = subprocess.run(
        [git, *words, str(path)],
        env=build_environ(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CALL_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise build_error(("init",), done.stderr)
