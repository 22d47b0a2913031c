"""A repository with a memory and hooks, built once and copied for each test."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.app.hooks import HookFiles
from gitmem.app.memory import open_memory
from gitmem.app.opening import open_repository
from gitmem.app.starting import plan_memory, start_memory
from tests.conftest import Repo

ROOT = Path(__file__).parents[2]
_BUILT: dict[str, Path] = {}


class MemoryRepo(Repo):
    """A repository with a memory, and short words for what these tests do with it."""

    def capture(self, summary: str, *paths: str) -> str:
        """Record a decision about the paths (none: the whole repository); its id."""
        with open_memory(self.path) as memory:
            return memory.capture(summary, paths=paths or (".",)).id

    def said(self, rev: str = "HEAD") -> list[str]:
        """Summaries of the decisions in a commit's folder, sorted."""
        names = self.git("ls-tree", "-r", "--name-only", rev, ".gitmem/records").splitlines()
        rows = [row for name in names for row in self.git("show", f"{rev}:{name}").splitlines()]
        return sorted(json.loads(row).get("summary", "-") for row in rows)

    def added(self, rev: str = "HEAD") -> list[str]:
        """Summaries that a commit itself added, against its first parent."""
        before = self.said(f"{rev}^") if self.has(f"{rev}^") else []
        after = self.said(rev)
        for one in before:
            if one in after:
                after.remove(one)
        return after

    def has(self, rev: str) -> bool:
        return bool(self.git("rev-parse", "-q", "--verify", rev, check=False))

    def spooled(self) -> list[str]:
        """Summaries in the spools of all work trees."""
        common = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
        files = sorted((common / "gitmem" / "spool").glob("*/*.ndjson"))
        return sorted(json.loads(file.read_text())["summary"] for file in files)

    def commit_file(self, message: str, path: str, text: str, *words: str) -> str:
        """Write, stage and commit one file; what the commit printed on stderr."""
        self.write(path, text)
        self.git("add", "--", path)
        return self.try_git("commit", "-q", "-m", message, *words)[1]

    def try_git(self, *args: str, **environ: str) -> tuple[int, str]:
        """Exit code and stderr."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def status(self) -> str:
        return self.git("status", "--porcelain")

    def hash_files(self) -> dict[str, str]:
        """Digest of every file of the work tree outside `.gitmem/`, links as they are."""
        found = {}
        for file in sorted(self.path.rglob("*")):
            name = file.relative_to(self.path).as_posix()
            if name.split("/")[0] in (".git", ".gitmem") or file.is_dir():
                continue
            data = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
            found[name] = hashlib.sha256(data).hexdigest()
        return found

    def list_index(self) -> list[str]:
        """The index, `.gitmem/` aside."""
        rows = self.git("ls-files", "-s", "-z").split("\0")
        return [row for row in rows if "\t.gitmem/" not in row]

    def install_hooks(self) -> None:
        opened = open_repository(self.path, os.environ)
        try:
            files = HookFiles(opened.layout, os.environ, is_detached=opened.settings.is_detached)
            files.install()
        finally:
            opened.close()

    def start_memory(self) -> None:
        opened = open_repository(self.path, os.environ)
        try:
            start_memory(opened, plan_memory(opened, detached=False))
        finally:
            opened.close()


@pytest.fixture(autouse=True)
def hook_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hooks find the gitmem under test, and nobody's editor opens."""
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", folder + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("GIT_EDITOR", "true")
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)


MakeMemory = Callable[..., MemoryRepo]


@pytest.fixture
def make_memory(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeMemory:
    """Makes repositories with a memory, hooks and one commit; `words` are for `git init`."""

    def make(name: str = "repo", *words: str) -> MemoryRepo:
        key = " ".join(words)
        if key not in _BUILT:
            _BUILT[key] = tmp_path_factory.mktemp("built") / "repo"
            _build(_BUILT[key], words)
        shutil.copytree(_BUILT[key], tmp_path / name, symlinks=True)
        return MemoryRepo(tmp_path / name)

    return make


def _build(path: Path, words: tuple[str, ...]) -> None:
    path.mkdir()
    repo = MemoryRepo(path)
    repo.git("init", "-q", *words)
    repo.start_memory()
    repo.write("a.py", "a = 1\n")
    repo.write("b.py", "b = 1\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "Start")
    repo.install_hooks()


@pytest.fixture
def memory(make_memory: MakeMemory) -> MemoryRepo:
    return make_memory()
