"""A running git to talk to: bytes in, bytes out, and a watch that ends it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType

from gitmem.git.complaints import OutOfTime, build_error, verb_of

CHUNK_BYTES = 1 << 18
_STDERR_BYTES = 1 << 14


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

    def iter_chunks(self) -> Iterator[bytes]:
        """Stdout in big pieces, as it comes, until the end. Raises what git complained of,
        OutOfTime at the deadline."""
        while True:
            self._waiting_since = time.monotonic()
            data = self._stdout.read1(CHUNK_BYTES)  # type: ignore[attr-defined]
            self._waiting_since = None
            if not data:
                break
            yield bytes(data)
        if self._process.wait() != 0:
            raise self.build_failure()

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

    def build_failure(self) -> Exception:
        """What went wrong, as an error to raise."""
        end_process(self._process)
        self._threads[0].join(2)
        if self._timed_out:
            return OutOfTime(f"git {verb_of(self._args)} did not answer in time")
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
