"""Isolation: no test sees the user's HOME, git configuration or environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
GLOBAL_CONFIG = """[user]
\tname = Ada
\temail = ada@example.com
[init]
\tdefaultBranch = main
[protocol "file"]
\tallow = always
[commit]
\tgpgsign = false
[gc]
\tauto = 0
"""


@pytest.fixture(autouse=True)
def isolated(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A fresh HOME with Ada's git configuration; every GIT_* and GITMEM_* variable gone."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "GITMEM", "XDG_", "SSH_")):
            monkeypatch.delenv(name)
    (home / ".gitconfig").write_text(GLOBAL_CONFIG)
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("GITMEM_NO_BACKGROUND", "1")
    yield home


class Repo:
    """A real git repository in a temporary folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str | bytes, stdin: bytes | None = None, check: bool = True) -> str:
        """Run git here and give its stdout, stripped of the last line end."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=stdin, capture_output=True, timeout=60
        )
        if check and done.returncode != 0:
            raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, message: str, **files: str) -> str:
        """Write the files (`a__b="x"` is a/b… pass paths through `write` for others), stage
        everything and commit; the new oid."""
        for name, text in files.items():
            self.write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    """Makes repositories: `make_repo("a")`, `make_repo("b", "--bare")`."""

    def make(name: str = "repo", *init_args: str) -> Repo:
        path = tmp_path / name
        path.mkdir(parents=True, exist_ok=True)
        repo = Repo(path)
        repo.git("init", "-q", *init_args)
        return repo

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    """An empty repository."""
    return make_repo()
