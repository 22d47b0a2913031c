"""`gitmem hook EVENT --agent NAME`: JSON in, JSON or nothing out, always 0, always in time.

Whatever breaks, the agent goes on as if gitmem were not there; the reason goes to a log.
"""

from __future__ import annotations

import _thread
import codecs
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from gitmem.app.agent_hooking import Hooking
from gitmem.config import environment
from gitmem.core.agent_events import MOMENTS

DEADLINE_SECONDS = 1.8
"""From here to the end; with the interpreter's own start it is two seconds."""
LAST_DEADLINE_SECONDS = 0.8
"""Claude Code gives all hooks at a session's end one and a half seconds together, and its
settings give this one a second."""
STDIN_SECONDS = 1.0
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
OPTION = "--agent"


def run(words: list[str]) -> int | None:
    """The exit code, always 0; None where the words are not those of an agent's hook."""
    agent = _find_agent(words)
    if agent is None:
        return None
    environ = environment()
    moment = words[1]
    if environ.get("GITMEM") == "0" or moment not in MOMENTS:
        return 0
    hooking = Hooking(moment, agent, _find_cwd(), environ)  # type: ignore[arg-type]
    seconds = LAST_DEADLINE_SECONDS if moment == "session-end" else DEADLINE_SECONDS
    once = _Once(seconds, hooking.give_up)
    try:
        raw = read_payload(min(STDIN_SECONDS, seconds / 2))
        said = hooking.answer(raw) if raw else b""
    except BaseException as error:  # an interrupt, too, must not look like a failure
        said = b""
        hooking.complain(f"{type(error).__name__}: {error}")
    once.write(said)
    return 0


def _find_agent(words: list[str]) -> str | None:
    for number, word in enumerate(words[1:], 1):
        if word == OPTION:
            return words[number + 1] if number + 1 < len(words) else ""
        if word.startswith(f"{OPTION}="):
            return word.partition("=")[2]
    return None


def _find_cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:  # the folder is gone
        return Path(os.sep)


class _Once:
    """Lets one of two speak: the event's part, or the end of its time, which says nothing.

    The end is not negotiated: whatever runs, and whatever it waits for, the process goes; what
    it writes durably is written whole or not at all."""

    def __init__(self, seconds: float, give_up: Callable[[str], None]) -> None:
        self._lock = _thread.allocate_lock()
        self._give_up = give_up
        self._seconds = seconds
        _thread.start_new_thread(self._watch, ())

    def write(self, data: bytes) -> None:
        """Say it, unless time is up; then this does not come back."""
        self._lock.acquire()
        try:
            while data:
                data = data[os.write(1, data) :]
        except OSError:
            pass  # nobody listens any more

    def _watch(self) -> None:
        time.sleep(self._seconds)
        if self._lock.acquire(blocking=False):
            self._give_up(f"it took longer than {self._seconds:g} seconds")
            os._exit(0)
        time.sleep(self._seconds)
        os._exit(0)  # whoever reads us takes nothing


def read_payload(seconds: float) -> bytes:
    """What is on stdin, up to its end, or to the end of one JSON object, or for so long; b""
    for a terminal and for nothing. Raises ValueError for more than is worth looking at, which
    is taken and thrown away, so that whoever writes it is not left hanging."""
    try:
        if os.isatty(0):
            return b""
    except OSError:
        return b""  # closed
    reader = _Reader()
    _thread.start_new_thread(reader.run, ())
    reader.done.acquire(timeout=seconds)
    return reader.take()


class _Reader:
    """Reads stdin in a thread of its own, which may stay behind, waiting."""

    def __init__(self) -> None:
        self.done = _thread.allocate_lock()
        self.done.acquire()
        self._parts: list[bytes] = []
        self._size = 0

    def run(self) -> None:
        try:
            while chunk := os.read(0, _CHUNK_BYTES):
                self._size += len(chunk)
                if self._size > MAX_PAYLOAD_BYTES:
                    self._parts.clear()
                    continue
                self._parts.append(chunk)
                if chunk.rstrip().endswith(b"}") and _is_whole(b"".join(self._parts)):
                    break
        except (OSError, MemoryError):
            self._parts.clear()
        self.done.release()

    def take(self) -> bytes:
        if self._size > MAX_PAYLOAD_BYTES:
            raise ValueError(f"the payload is larger than {MAX_PAYLOAD_BYTES:,} bytes")
        return b"".join(list(self._parts))


def _is_whole(data: bytes) -> bool:
    """Whether the JSON ends here: the end of the stream may never come."""
    try:
        msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, RecursionError, ValueError):
        return False
    return True


if sys.platform == "win32":
    import msvcrt

    msvcrt.setmode(0, os.O_BINARY)
    msvcrt.setmode(1, os.O_BINARY)
