"""What an agent's session was shown, was asked and touched: a log of this clone's own.

One file a session, `<git common dir>/gitmem/sessions/<hash>.ndjson`, only ever appended to, one
line a write, so that hooks which run in parallel need no lock: who wants to be the first with
something appends a claim and reads back whose came first. Never committed, never pushed; the
session's own name is nowhere in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.store.durable import cannot_write, ensure_directory
from gitmem.store.paths import ClonePaths

MAX_READ_BYTES = 4 * 1024 * 1024
MAX_FILE_BYTES = 16 * 1024 * 1024
KEPT_SECONDS = 14 * 86_400
REQUESTS_KEPT_SECONDS = 180 * 86_400
MAX_REQUEST_BYTES = 64 * 1024
_DAY_MS = 86_400_000

EntryKind = Literal["prompt", "message", "touched", "shown", "claim", "done", "quiet"]


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line. `sub` is the sub-agent's id, "" for the main one.

    prompt: `text` was asked at `at_ms`, when HEAD was `head`. message: `text` was answered.
    touched: an edit tool changed `paths` of the work tree `root`. shown: `name` (a path, a
    key) came before the model. claim: whoever wrote `nonce` takes the turn `name` in hand.
    done: the turn `name` was captured, about `paths`; `answer` is a digest of its last words.
    quiet: the turn `name` changed no file;
    `text` was asked, `answer` answered.
    """

    kind: EntryKind
    at_ms: int = 0
    sub: str = ""
    name: str = ""
    nonce: str = ""
    text: str = ""
    answer: str = ""
    head: str = ""
    root: str = ""
    paths: tuple[str, ...] = ()


class SessionLog:
    """One session's log; nothing is made before something is appended."""

    def __init__(self, clone: ClonePaths, agent: str, session: str, now_ms: int) -> None:
        """Without a session's id, a day is a session."""
        name = session or f"day {now_ms // _DAY_MS}"
        digest = hashlib.sha256(f"{agent}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
        self.file = sessions_folder(clone) / f"{digest[:32]}.ndjson"
        self._now_ms = now_ms

    def append(self, *entries: Entry) -> None:
        """Add lines, in one write. Raises CannotWrite."""
        stamped = (
            entry if entry.at_ms else msgspec.structs.replace(entry, at_ms=self._now_ms)
            for entry in entries
        )
        data = b"".join(_encode(entry) + b"\n" for entry in stamped)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            try:
                descriptor = os.open(self.file, flags, 0o600)
            except FileNotFoundError:
                ensure_directory(self.file.parent)
                descriptor = os.open(self.file, flags, 0o600)
            try:
                if os.fstat(descriptor).st_size < MAX_FILE_BYTES:
                    os.write(descriptor, data)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise cannot_write(self.file, error) from error

    def read(self) -> list[Entry]:
        """All lines, or the last of them where there are very many; what is no line of ours
        is passed over."""
        return [entry for raw in _read_tail(self.file).split(b"\n") if (entry := _decode(raw))]

    def claim(self, kind: Literal["shown", "claim"], names: Sequence[str], nonce: str) -> set[str]:
        """Of these names those that nobody was first with. `nonce` is new in each call."""
        if not names:
            return set()
        self.append(*(Entry(kind=kind, name=name, nonce=nonce) for name in names))
        first: dict[str, str] = {}
        for entry in self.read():
            if entry.kind == kind:
                first.setdefault(entry.name, entry.nonce)
        return {name for name in names if first.get(name) == nonce}

    def list_shown(self) -> set[str]:
        """The names of what was shown."""
        return {entry.name for entry in self.read() if entry.kind == "shown"}


def sessions_folder(clone: ClonePaths) -> Path:
    return clone.home / "sessions"


def request_file(clone: ClonePaths, key: str) -> Path:
    """Where a request is kept in full, by its decision's key (16 hexadecimal digits)."""
    return clone.home / "requests" / f"{key}.txt"


def write_request(clone: ClonePaths, key: str, text: str) -> None:
    """Keep a request in full beside the memory, in this clone alone: `requests/<key>.txt`,
    by the decision's key. Raises CannotWrite."""
    file = request_file(clone, key)
    data = text.encode("utf-8", "replace")[:MAX_REQUEST_BYTES] + b"\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        ensure_directory(file.parent)
        descriptor = os.open(file, flags, 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise cannot_write(file, error) from error


def prune_sessions(clone: ClonePaths) -> int:
    """Remove logs of sessions, and requests, that are long over; how many. Raises nothing."""
    removed = 0
    now = time.time()
    kept = (
        (sessions_folder(clone), KEPT_SECONDS),
        (clone.home / "requests", REQUESTS_KEPT_SECONDS),
    )
    for folder, seconds in kept:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False) and (
                    now - entry.stat(follow_symlinks=False).st_mtime > seconds
                ):
                    Path(entry.path).unlink(missing_ok=True)
                    removed += 1
    return removed


def _encode(entry: Entry) -> bytes:
    try:
        return msgspec.json.encode(entry)
    except UnicodeEncodeError:  # a lone surrogate, from a name that is not UTF-8
        plain = {
            name: value.encode("utf-8", "replace").decode()
            for name in ("sub", "name", "text", "answer", "root")
            if isinstance(value := getattr(entry, name), str)
        }
        kept = tuple(path for path in entry.paths if _is_utf8(path))
        return msgspec.json.encode(msgspec.structs.replace(entry, paths=kept, **plain))


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _decode(raw: bytes) -> Entry | None:
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw, type=Entry)
    except (msgspec.DecodeError, RecursionError):
        return None


def _read_tail(file: Path) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(file, flags | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return b""
    with os.fdopen(descriptor, "rb") as opened:
        if about.st_size > MAX_READ_BYTES:
            opened.seek(about.st_size - MAX_READ_BYTES)
            opened.readline()
        return opened.read(MAX_READ_BYTES)
