"""Opening the cache: made, checked and rebuilt by itself, by any number of processes at once.

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
from gitmem.cache.connection import BUSY_TIMEOUT_SECONDS, CacheDamaged, Connection, companions
from gitmem.cache.lock import hold_lock
from gitmem.cache.path_ids import PathIds
from gitmem.cache.projection import CacheProjection
from gitmem.cache.records import CacheRecords
from gitmem.cache.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION
from gitmem.errors import CannotWrite, Contended, Damaged

_ATTEMPTS = 5


class _Unfit(Exception):
    """The file that is there is not our cache; says why."""


class Cache:
    """An open cache. `was_rebuilt` says why it is a new one, "" where it is not; a file that
    was simply missing is "missing"."""

    def __init__(self, db: Connection, was_rebuilt: str) -> None:
        paths = PathIds(db)
        self._db = db
        self.was_rebuilt = was_rebuilt
        self.projection = CacheProjection(db, paths)
        self.records = CacheRecords(db)
        self.commits = CacheCommits(db, paths)

    def close(self) -> None:
        """Closing twice is fine."""
        self._db.close()


def open_cache(path: Path, *, repository: str) -> Cache:
    """Open the cache of a repository (an identity: a cache made for another is not used).

    What is missing, damaged, of another version or another repository is rebuilt, empty.
    Raises CannotWrite where no cache can be kept (fall back to `open_memory_cache`), and
    Contended where others hold it for too long.
    """
    try:
        return Cache(_open_fit(path, repository), "")
    except _Unfit:
        _ensure_folder(path.parent)
    with hold_lock(_lock_path(path), timeout_seconds=BUSY_TIMEOUT_SECONDS):
        try:
            return Cache(_open_fit(path, repository), "")
        except _Unfit as unfit:
            reason = str(unfit)
        _remove(path)
        _create(path, repository)
    for _ in range(_ATTEMPTS):
        # Somebody else may discard it in between, and then builds it again.
        with contextlib.suppress(_Unfit):
            return Cache(_open_fit(path, repository), reason)
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


def _open_fit(path: Path, repository: str) -> Connection:
    """The cache that is there. Raises _Unfit with the reason why it is not to be used."""
    before = _identity(path)
    if before is None:
        raise _Unfit("missing")
    try:
        db = Connection(str(path))
    except CacheDamaged as error:
        raise _Unfit("damaged") from error
    try:
        _check(db, repository)
    except CacheDamaged as error:
        db.close()
        raise _Unfit("damaged") from error
    except BaseException:
        db.close()
        raise
    if _identity(path) != before:
        # Replaced while we opened it: its log, read by name, may be that of the new one.
        db.close()
        raise _Unfit("replaced")
    return db


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file it is; None where there is none, or nothing in it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotWrite(f"the cache cannot be reached: {error}") from error
    return (found.st_dev, found.st_ino) if found.st_size else None


def _check(db: Connection, repository: str) -> None:
    application, version = db.scalar("PRAGMA application_id"), db.scalar("PRAGMA user_version")
    if application != APPLICATION_ID:
        raise _Unfit("not a cache of gitmem")
    if version != SCHEMA_VERSION:
        raise _Unfit("of another version")
    if db.scalar("SELECT value FROM meta WHERE name = 'repository'") != repository:
        raise _Unfit("of another repository")


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
