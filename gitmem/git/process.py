"""Running the git executable on one repository, so that nothing in it can run anything.

Every call names the repository explicitly, reads no inherited stdin, cannot prompt, and is
bounded in time. Configuration given through the environment (`GIT_CONFIG_*`) still counts;
hooks, pagers, file-system monitors, external diffs and signature programs never start.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gitmem.errors import GitFailed, NoRepository, PartMissing
from gitmem.git.child import Child, end_process
from gitmem.git.complaints import OutOfTime, build_error, verb_of
from gitmem.git.config_file import read_format
from gitmem.git.layout import find_common_dir

__all__ = ["NO_NETWORK", "Done", "Git", "build_environ", "end_process", "find_git"]

CALL_SECONDS = 120.0
IDLE_SECONDS = 120.0

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
# In a partial clone any read may fetch. A fetch that the repository's own configuration
# would give a program to run does not take place: what it was for counts as missing.
_FETCH_PROGRAMS = (
    r"^(core\.(sshcommand|gitproxy|askpass)|remote\..*\.(uploadpack|vcs)"
    r"|credential\.(.*\.)?helper|protocol\.(.*\.)?allow)$"
)
NO_NETWORK = {"GIT_ALLOW_PROTOCOL": "none"}
_PIPE_BYTES = 1024 * 1024
_SAFE_OPTIONS = tuple(word for setting in _SAFE_CONFIG for word in ("-c", setting))


class Done(NamedTuple):
    """How a call ended."""

    code: int
    stdout: bytes
    stderr: bytes


class Git:
    """The git executable, for one repository.

    `work_tree` is None for a bare repository; `environ` is the environment to start from.
    `index_file` is the index of the commit that is being made, which a commit hook is told
    by GIT_INDEX_FILE (relative to the work tree); elsewhere None.
    """

    def __init__(
        self,
        git_dir: Path,
        work_tree: Path | None,
        environ: Mapping[str, str],
        *,
        index_file: str | None = None,
    ) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self._environ = build_environ(environ)
        if index_file is not None:
            self._environ["GIT_INDEX_FILE"] = index_file
        self._is_fetching_settled = False
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
        self._settle_fetching()
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
        self._settle_fetching()
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
            yield from child.iter_chunks()

    def check_trusted(self) -> None:
        """Ask git whether it would work here (`safe.directory`). Raises NoRepository, with
        the line to type, where somebody else owns the repository."""
        top = self.work_tree
        is_inside = top is not None and (top / ".git").exists()
        place = str(top if is_inside else self.git_dir)
        words = ("rev-parse", "--git-dir")
        done = self._finish([self._find_executable(), "-C", place, *_SAFE_OPTIONS, *words], words)
        if done.code != 0:
            raise build_error(words, done.stderr)

    def list_own_settings(self, pattern: str) -> list[str]:
        """Names of settings that match and that this repository's own files make, not those
        of the user or the system."""
        done = self.query("config", "-z", "--show-scope", "--name-only", "--get-regexp", pattern)
        items = done.stdout.decode("utf-8", "surrogateescape").split("\0")
        pairs = zip(items[::2], items[1::2], strict=False)
        return sorted({name for scope, name in pairs if scope in ("local", "worktree")})

    def may_have_filters(self) -> bool:
        """Whether the repository's own files may name filter programs; a cheap look, without
        starting git."""
        form = read_format(self.git_dir, Path(find_common_dir(str(self.git_dir), {})))
        return form.has_filters or form.has_includes

    def _settle_fetching(self) -> None:
        if self._is_fetching_settled:
            return
        self._is_fetching_settled = True
        form = read_format(self.git_dir, Path(find_common_dir(str(self.git_dir), {})))
        may_fetch = form.is_partial_clone or form.has_includes
        if may_fetch and self.list_own_settings(_FETCH_PROGRAMS):
            self._environ |= NO_NETWORK

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
                raise OutOfTime(
                    f"git {verb_of(args)} took longer than {seconds:g} seconds"
                ) from None
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
                # git goes on while what it printed is worked through (where pipes can grow).
                pipesize=_PIPE_BYTES,
                # A session of its own has no terminal to prompt on, and ends as a group.
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            if not cwd.is_dir():
                raise NoRepository(f"the folder {cwd} is gone") from None
            raise PartMissing(f"the git executable does not start: {error.strerror}") from None
        except ValueError as error:
            raise GitFailed(f"not fit for a command line: {error}") from None


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
