"""Running the git executable on one repository, so that nothing in it can run anything.

Every call names the repository explicitly, reads no inherited stdin, cannot prompt, and is
bounded in time. Configuration given through the environment (`GIT_CONFIG_*`) still counts;
hooks, pagers, file-system monitors, external diffs and signature programs never start.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from gitmem.errors import CannotWrite, GitFailed, NoRepository, PartMissing, RemoteUnreachable

CALL_SECONDS = 120.0
IDLE_SECONDS = 120.0
CHUNK_BYTES = 1 << 18
_STDERR_BYTES = 1 << 14

# What `git rev-parse --local-env-vars` lists, GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS
# apart, and what would change the output or start a program.
_DROPPED = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CONFIG",
        "GIT_OBJECT_DIRECTORY",
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_GRAFT_FILE",
        "GIT_INDEX_FILE",
        "GIT_REPLACE_REF_BASE",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_FLUSH",
        "GIT_ATTR_SOURCE",
        "GIT_REDIRECT_STDIN",
        "GIT_REDIRECT_STDOUT",
        "GIT_REDIRECT_STDERR",
    }
)
_FORCED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
}
_SAFE_CONFIG = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.pager=cat",
    "core.alternateRefsCommand=",
    "log.showSignature=false",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
)
_SAFE_OPTIONS = tuple(word for setting in _SAFE_CONFIG for word in ("-c", setting))
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class OutOfTime(GitFailed):
    """git was ended because its time was up."""


class Done(NamedTuple):
    """How a call ended."""

    code: int
    stdout: bytes
    stderr: bytes


class Git:
    """The git executable, for one repository.

    `work_tree` is None for a bare repository; `environ` is the environment to start from.
    """

    def __init__(self, git_dir: Path, work_tree: Path | None, environ: Mapping[str, str]) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self._environ = build_environ(environ)
        self._executable: str | None = None

    def attempt(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> Done:
        """Run to the end, whatever the exit code. `extra` is added to the environment.

        Raises PartMissing where there is no git, NoRepository where the folder is gone,
        OutOfTime when it takes longer than `seconds`.
        """
        return self._finish(self._command(args), args, stdin, extra, seconds)

    def run(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> bytes:
        """Run to the end and give stdout. Raises as `attempt` does, and GitFailed (or what
        `build_error` makes of it) where git does not succeed."""
        done = self.attempt(*args, stdin=stdin, extra=extra, seconds=seconds)
        if done.code != 0:
            raise build_error(args, done.stderr)
        return done.stdout

    def query(self, *args: str) -> Done:
        """As `attempt`, but with the configuration as it is, our safe settings left out: only
        for `config`, `var` and `rev-parse`, which start nothing and are asked for it."""
        command = self._command(args)
        at = len(command) - len(args)
        return self._finish(command[: at - len(_SAFE_OPTIONS)] + command[at:], args)

    def open_child(
        self,
        *args: str | bytes,
        extra: Mapping[str, str] | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> Child:
        """Start a process to talk to; close it, or use it in a `with` statement."""
        process = self._start(self._command(args), self._environ | dict(extra or {}))
        return Child(process, args, idle_seconds)

    def stream(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        deadline_seconds: float | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> Iterator[bytes]:
        """Stdout in big chunks, as it comes. Closing the iterator ends git.

        Raises as `run` does; OutOfTime at the deadline, if there is one.
        """
        with self.open_child(*args, idle_seconds=idle_seconds) as child:
            if deadline_seconds is not None:
                child.set_deadline(deadline_seconds)
            child.write(stdin)
            child.close_stdin()
            while chunk := child.read_some():
                yield chunk
            child.finish()

    def check_trusted(self) -> None:
        """Ask git whether it would work here (`safe.directory`). Raises NoRepository, with
        the line to type, where somebody else owns the repository."""
        place = str(self.work_tree or self.git_dir)
        words = ("rev-parse", "--git-dir")
        done = self._finish([self._find_executable(), "-C", place, *_SAFE_OPTIONS, *words], words)
        if done.code != 0:
            raise build_error(words, done.stderr)

    def _finish(
        self,
        command: Sequence[str | bytes],
        args: Sequence[str | bytes],
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> Done:
        process = self._start(command, self._environ | dict(extra or {}))
        with process:
            try:
                stdout, stderr = process.communicate(stdin, timeout=seconds)
            except subprocess.TimeoutExpired:
                end_process(process)
                raise OutOfTime(f"git {_verb(args)} took longer than {seconds:g} seconds") from None
            except BaseException:
                end_process(process)
                raise
        return Done(process.returncode, stdout, stderr)

    def _command(self, args: Sequence[str | bytes]) -> list[str | bytes]:
        place = [f"--git-dir={self.git_dir}"]
        if self.work_tree is not None:
            place.append(f"--work-tree={self.work_tree}")
        return [self._find_executable(), *place, *_SAFE_OPTIONS, *args]

    def _find_executable(self) -> str:
        if self._executable is None:
            self._executable = find_git(self._environ)
        return self._executable

    def _start(
        self, command: Sequence[str | bytes], environ: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        cwd = self.work_tree or self.git_dir
        try:
            return subprocess.Popen(
                command,
                cwd=cwd,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A session of its own has no terminal to prompt on, and ends as a group.
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            if not cwd.is_dir():
                raise NoRepository(f"the folder {cwd} is gone") from None
            raise PartMissing(f"the git executable does not start: {error.strerror}") from None
        except ValueError as error:
            raise GitFailed(f"not fit for a command line: {error}") from None


class Child:
    """A running git: bytes in, bytes out. A watch ends it when it is silent for too long."""

    def __init__(
        self, process: subprocess.Popen[bytes], args: Sequence[str | bytes], idle_seconds: float
    ) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._args = args
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._stderr = process.stderr
        self._idle_seconds = idle_seconds
        self._waiting_since: float | None = None
        self._deadline: float | None = None
        self._timed_out = False
        self._ended = threading.Event()
        self._complaint = bytearray()
        self._threads = (
            threading.Thread(target=self._drain, daemon=True),
            threading.Thread(target=self._watch, daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def set_deadline(self, seconds: float) -> None:
        """End the process so many seconds from now."""
        self._deadline = time.monotonic() + seconds

    def write(self, data: bytes) -> None:
        """Send bytes, now. A process that has ended shows at the next read."""
        self._waiting_since = time.monotonic()
        with contextlib.suppress(BrokenPipeError, OSError):
            self._stdin.write(data)
            self._stdin.flush()
        self._waiting_since = None

    def close_stdin(self) -> None:
        with contextlib.suppress(BrokenPipeError, OSError):
            self._stdin.close()

    def read_some(self) -> bytes:
        """What there is, at least one byte; nothing at the end."""
        self._waiting_since = time.monotonic()
        data = self._stdout.read1(CHUNK_BYTES)  # type: ignore[attr-defined]
        self._waiting_since = None
        return bytes(data)

    def read_line(self, limit_bytes: int) -> bytes:
        """A line with its end, cut at the limit; nothing at the end."""
        self._waiting_since = time.monotonic()
        line = self._stdout.readline(limit_bytes)
        self._waiting_since = None
        return line

    def read_exactly(self, size_bytes: int) -> bytes:
        """So many bytes. Raises GitFailed where the process ends before."""
        parts = []
        left = size_bytes
        while left:
            self._waiting_since = time.monotonic()
            part = self._stdout.read(min(left, 1 << 20))
            self._waiting_since = None
            if not part:
                raise self.build_failure()
            parts.append(part)
            left -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def finish(self) -> None:
        """Wait for the end. Raises what git complained of, OutOfTime at the deadline."""
        code = self._process.wait()
        if code != 0:
            raise self.build_failure()

    def build_failure(self) -> Exception:
        """What went wrong, as an error to raise."""
        end_process(self._process)
        self._threads[0].join(2)
        if self._timed_out:
            return OutOfTime(f"git {_verb(self._args)} did not answer in time")
        return build_error(self._args, bytes(self._complaint))

    def close(self) -> None:
        """End the process. Closing twice is fine."""
        self._ended.set()
        self.close_stdin()
        end_process(self._process)
        for stream in (self._stdout, self._stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.close()

    def _drain(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := self._stderr.read1(4096):  # type: ignore[attr-defined]
                if len(self._complaint) < _STDERR_BYTES:
                    self._complaint += part

    def _watch(self) -> None:
        while not self._ended.wait(self._next_look()):
            now = time.monotonic()
            since, deadline = self._waiting_since, self._deadline
            is_silent = since is not None and now - since > self._idle_seconds
            if is_silent or (deadline is not None and now >= deadline):
                self._timed_out = True
                end_process(self._process)
                return

    def _next_look(self) -> float:
        if self._deadline is None:
            return min(0.5, self._idle_seconds)
        return min(0.05, max(0.0, self._deadline - time.monotonic()))


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started; wait for it."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()


def build_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for a git that works on a repository named on its command line."""
    kept = {name: value for name, value in environ.items() if name not in _DROPPED}
    return kept | _FORCED


def find_git(environ: Mapping[str, str]) -> str:
    """The executable's path; relative entries of PATH are not looked at, because they lead
    into the repository. Raises PartMissing."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        candidate = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isabs(folder) and os.access(candidate, os.X_OK):  # noqa: PTH117
            return candidate
    raise PartMissing(
        "the git executable is not on the PATH", hint="Install git, or put it on the PATH."
    )


def build_error(args: Sequence[str | bytes], stderr: bytes) -> Exception:
    """The error that git's words stand for."""
    text = stderr.decode("utf-8", "replace")
    lines = [_CONTROL.sub(" ", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    shown = next((line for line in lines if line.startswith(("fatal:", "error:"))), "")
    shown = shown or (lines[0] if lines else "it gave no reason")
    if "dubious ownership" in text:
        place = re.search(r"dubious ownership in repository at '([^'\n]*)'", text)
        folder = _CONTROL.sub("?", place.group(1)) if place else "."
        return NoRepository(
            f"somebody else owns the repository at {folder}, so git does not trust it",
            hint=f"If you do: git config --global --add safe.directory '{folder}'",
        )
    if "promisor remote" in text:
        return RemoteUnreachable(
            f"what is missing from this partial clone could not be fetched: {shown[:300]}"
        )
    if "not a git repository" in text:
        return NoRepository(shown)
    if re.search(r"Permission denied|Read-only file system|No space left|quota exceeded", text):
        return CannotWrite(f"git {_verb(args)}: {shown[:300]}")
    return GitFailed(f"git {_verb(args)}: {shown[:300]}")


def _verb(args: Sequence[str | bytes]) -> str:
    words = (os.fsdecode(arg) for arg in args)
    return next((word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)), "")
