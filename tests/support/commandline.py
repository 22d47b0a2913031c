"""The command line as a user runs it: real processes, in real clones of real remotes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from gitmem.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    words: tuple[str, ...]
    code: int
    raw_out: bytes
    raw_err: bytes

    @property
    def out(self) -> str:
        return self.raw_out.decode("utf-8")

    @property
    def err(self) -> str:
        return self.raw_err.decode("utf-8")

    @property
    def all(self) -> str:
        return self.out + self.err

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.raw_out)
        assert isinstance(value, dict)
        return value

    @property
    def data(self) -> Any:
        assert self.code == 0, self
        return self.json["data"]

    @property
    def error(self) -> dict[str, str]:
        assert self.code != 0, self
        failure = self.json["error"]
        assert set(failure) == {"code", "message", "hint"}
        return failure  # type: ignore[no-any-return]

    def ends(self, code: int) -> Done:
        """Assert the exit code, and that nobody was shown a traceback."""
        assert self.code == code, f"{self.words} ended with {self.code}\n{self.out}\n{self.err}"
        assert TRACEBACK not in self.err, self.err
        return self

    def ok(self) -> Done:
        return self.ends(0)


def environment(extra: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """The isolated environment of the test, with this source tree on Python's path."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    for name, value in (extra or {}).items():
        if value is None:
            environ.pop(name, None)
        else:
            environ[name] = value
    return environ


def run_gitmem(
    cwd: Path,
    *words: str,
    env: Mapping[str, str | None] | None = None,
    stdin: bytes | None = None,
    timeout: float = 120,
) -> Done:
    """Run `gitmem WORDS` in a folder, without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "gitmem", *words],
        cwd=cwd,
        env=environment(env),
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
    )
    return Done(words, done.returncode, done.stdout, done.stderr)


def call_gitmem(cwd: Path, *words: str, env: Mapping[str, str | None] | None = None) -> Done:
    """Run `gitmem WORDS` in this process, which takes a tenth of the time: for commands whose
    start is not what is tested."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    with (
        mock.patch.dict(os.environ, environment(env), clear=True),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        code = run(["-C", str(cwd), *words])
    out, err = (stream.buffer for stream in streams if stream.flush() is None)
    assert isinstance(out, io.BytesIO)
    assert isinstance(err, io.BytesIO)
    return Done(words, code, out.getvalue(), err.getvalue())


def start_gitmem(
    cwd: Path,
    *words: str,
    env: Mapping[str, str | None] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start `gitmem WORDS` and come back at once; stdout and stderr are pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "gitmem", *words],
        cwd=cwd,
        env=environment(env),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def start_python(cwd: Path, code: str, *argv: str) -> subprocess.Popen[bytes]:
    """Start a Python program that drives the Python interface."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *argv],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


class Clone:
    """A clone in which one person works."""

    def __init__(self, path: Path, name: str = "Ada", email: str | None = None) -> None:
        self.path = path
        self.env = {}
        email = email or f"{name.lower()}@example.com"
        for role in ("AUTHOR", "COMMITTER"):
            self.env[f"GIT_{role}_NAME"] = name
            self.env[f"GIT_{role}_EMAIL"] = email

    @property
    def home(self) -> Path:
        """What gitmem keeps for this clone."""
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir")) / "gitmem"

    def git(self, *words: str, check: bool = True, stdin: bytes | None = None) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=self.path,
            env={**os.environ, **self.env},
            input=stdin,
            capture_output=True,
            timeout=120,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"git {words}: {done.stdout!r} {done.stderr!r}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def gitmem(
        self,
        *words: str,
        env: Mapping[str, str | None] | None = None,
        stdin: bytes | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> Done:
        merged = {**self.env, **(env or {})}
        return run_gitmem(cwd or self.path, *words, env=merged, stdin=stdin, timeout=timeout)

    def call(self, *words: str) -> Done:
        """The same in this process: for what a test builds or looks at, and is not about."""
        return call_gitmem(self.path, *words, env=self.env)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def commit(self, message: str, files: Mapping[str, str] | None = None) -> str:
        """Write files, stage everything, commit; the new commit."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def init(self) -> None:
        """Start a memory and commit it."""
        self.call("init", "--yes", "--no-hooks").ok()
        self.commit("Start a memory")

    def capture(self, summary: str, *words: str) -> str:
        """Capture a decision; its id."""
        done = self.call("--json", "capture", "-m", summary, *words).ok()
        record_id = done.data["id"]
        assert isinstance(record_id, str)
        return record_id

    def decide(self, summary: str, path: str, *words: str) -> str:
        """Change a file, capture why, and commit both together; the decision's id."""
        self.write(path, f"{summary}\n")
        self.git("add", path)
        record_id = self.capture(summary, "--flush", *words, path)
        self.git("commit", "-q", "-m", f"Change {path}")
        return record_id

    def why(self, target: str, *words: str) -> dict[str, Any]:
        data = self.call("--json", "why", target, *words).ok().data
        assert isinstance(data, dict)
        return data

    def find_hit(self, target: str, record_id: str) -> dict[str, Any] | None:
        """The hit of one record in the answer about a target."""
        hits = self.why(target, "--all")["hits"]
        return next((hit for hit in hits if hit.get("id") == record_id), None)

    def hit(self, target: str, record_id: str) -> dict[str, Any]:
        found = self.find_hit(target, record_id)
        assert found is not None
        return found

    def status(self) -> dict[str, Any]:
        data = self.call("--json", "status").ok().data
        assert isinstance(data, dict)
        return data

    def verify(self) -> dict[str, Any]:
        data = self.call("--json", "verify").ok().data
        assert isinstance(data, dict)
        return data


class Team:
    """A bare remote in a folder, and the clones of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remote = folder / "remote.git"
        folder.mkdir(parents=True, exist_ok=True)
        self._git("init", "-q", "--bare", str(self.remote))

    def _git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.folder, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode("utf-8", "replace").strip()

    def clone(self, name: str, *words: str) -> Clone:
        """A fresh clone, in which a person of that name works."""
        path = self.folder / name.lower()
        self._git("clone", "-q", *words, str(self.remote), str(path))
        return Clone(path, name)

    def start(self, name: str = "Ada") -> Clone:
        """A clone that has a first commit and a memory, pushed."""
        clone = self.clone(name)
        clone.git("switch", "-q", "-C", "main")
        clone.commit("Begin", {"app.py": "one\ntwo\nthree\n"})
        clone.init()
        clone.git("push", "-q", "-u", "origin", "main")
        return clone

    def refs(self) -> dict[str, str]:
        """The remote's refs."""
        text = self._git(
            "-C", str(self.remote), "for-each-ref", "--format=%(refname) %(objectname)"
        )
        return dict(line.split(" ", 1) for line in text.splitlines())

    def holds(self, needle: str) -> bool:
        """Whether any object of the remote, reachable or not, contains this text."""
        objects = subprocess.run(
            ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"],
            cwd=self.remote,
            capture_output=True,
            timeout=120,
        )
        assert objects.returncode == 0 and objects.stdout
        return needle.encode() in objects.stdout
