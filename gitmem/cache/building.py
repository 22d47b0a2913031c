"""Making the cache: built, checked and rebuilt by itself, by any number of processes at once.

A file is only ever put in place complete, and only ever taken away, under the lock. A process
that has the old file open goes on with it unharmed: SQLite sees that it was moved and leaves
the new one's log alone.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from gitmem.cache.commits import CacheCommits
from gitmem.cache.connection import BUSY_TIMEOUT_SECONDS, Connection, companions
from gitmem.cache.lock import hold_lock
from gitmem.cache.opening import CacheReader, Unfit, open_fit
from gitmem.cache.projection import CacheProjection
from gitmem.cache.schema import SCHEMA
from gitmem.cache.versions import APPLICATION_ID, SCHEMA_VERSION
from gitmem.errors import CannotWrite, Contended, Damaged

_ATTEMPTS = 5


class Cache(CacheReader):
    """An open cache, with all that writes."""

    def __init__(self, db: Connection, was_rebuilt: str) -> None:
        super().__init__(db, was_rebuilt)
        self.projection = CacheProjection(db, self.paths)
        self.commits = CacheCommits(db, self.paths)


def open_cache(path: Path, *, repository: str) -> Cache:
    """Open the cache of a repository (an identity: a cache made for another is not used).

    What is missing, damaged, of another version or another repository is rebuilt, empty.
    Raises CannotWrite where no cache can be kept (fall back to `open_memory_cache`), and
    Contended where others hold it for too long.
    """
    try:
        return Cache(open_fit(path, repository), "")
    except Unfit:
        _ensure_folder(path.parent)
    with hold_lock(_lock_path(path), timeout_seconds=BUSY_TIMEOUT_SECONDS):
        try:
            return Cache(open_fit(path, repository), "")
        except Unfit as unfit:
            reason = str(unfit)
        _remove(path)
        _create(path, repository)
    for _ in range(_ATTEMPTS):
        # Somebody else may discard it in between, and then builds it again.
        with contextlib.suppress(Unfit):
            return Cache(open_fit(path, repository), reason)
    raise Contended(f"{path.name} is being replaced all the time")


def open_memory_cache() -> Cache:
    """A cache that ends with the process."""
    db = Connection(":memory:")
    _build(db, "")
    return Cache(db, "in memory")


def discard_cache(path: Path) -> None:
    """Delete a cache and what belongs to it, safely beside other processes; closed first by
    whoever calls. Raises CannotWrite, Contended."""
    if not path.parent.is_dir():
        return
    with hold_lock(_lock_path(path), timeout_seconds=BUSY_TIMEOUT_SECONDS):
        _remove(path)


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _ensure_folder(folder: Path) -> None:
    try:
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"the cache's folder cannot be made: {error}") from error


def _create(path: Path, repository: str) -> None:
    """Build an empty cache beside its place and move it there, complete."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        _remove(draft)
        # SQLite gives its other files the mode of this one.
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        db = Connection(str(draft))
        try:
            _build(db, repository)
        finally:
            db.close()
        draft.replace(path)
    except OSError as error:
        raise CannotWrite(f"the cache cannot be made: {error}") from error
    except Damaged as error:
        raise CannotWrite(f"the cache cannot be made: {error.message}") from error
    finally:
        with contextlib.suppress(CannotWrite):
            _remove(draft)


def _build(db: Connection, repository: str) -> None:
    mode = db.scalar("PRAGMA journal_mode=WAL")
    if mode not in ("wal", "memory"):
        raise CannotWrite("the file system here has no shared memory for the cache's log")
    db.run_script(
        f"BEGIN IMMEDIATE; PRAGMA application_id={APPLICATION_ID};"
        f" PRAGMA user_version={SCHEMA_VERSION}; {SCHEMA} COMMIT;"
    )
    with db.transaction():
        db.query("INSERT INTO meta (name, value) VALUES ('repository', ?)", (repository,))
        db.query("INSERT INTO meta (name, value) VALUES ('sqlite', ?)", (sqlite3.sqlite_version,))


def _remove(path: Path) -> None:
    """The file first, moved out of its place, so that nobody opens it without its log."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.old")
    try:
        with contextlib.suppress(FileNotFoundError):
            path.replace(aside)
        for gone in (*companions(path), aside):
            gone.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"the old cache cannot be removed: {error}") from error
