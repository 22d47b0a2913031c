"""Opening the cache that is there, if it is ours; making one is in `building`.

This is the way of commands that run before every edit: only what answers questions is loaded.
"""

from __future__ import annotations

from pathlib import Path

from gitmem.cache.commit_queries import CommitQueries
from gitmem.cache.connection import CacheDamaged, Connection
from gitmem.cache.facts import CacheFacts
from gitmem.cache.path_ids import PathIds
from gitmem.cache.records import CacheRecords
from gitmem.cache.versions import APPLICATION_ID, SCHEMA_VERSION
from gitmem.errors import CannotWrite


class Unfit(Exception):
    """The file that is there is not our cache; says why."""


class CacheReader:
    """An open cache, to be asked. `was_rebuilt` says why it is a new one, "" where it is not;
    a file that was simply missing is "missing". What writes is made of `db` and `paths`."""

    def __init__(self, db: Connection, was_rebuilt: str) -> None:
        self.db = db
        self.paths = PathIds(db)
        self.was_rebuilt = was_rebuilt
        self.facts = CacheFacts(db)
        self.records = CacheRecords(db)
        self.queries = CommitQueries(db)

    def close(self) -> None:
        """Closing twice is fine."""
        self.db.close()


def open_reader(path: Path, *, repository: str) -> CacheReader:
    """Open the cache of a repository. Raises Unfit where there is none, or it is damaged, of
    another version or another repository: `building.open_cache` makes it anew."""
    return CacheReader(open_fit(path, repository), "")


def open_fit(path: Path, repository: str) -> Connection:
    """The cache that is there. Raises Unfit with the reason why it is not to be used."""
    before = _identity(path)
    if before is None:
        raise Unfit("missing")
    try:
        db = _open_checked(path, repository)
    except CacheDamaged as error:
        raise Unfit("damaged") from error
    except CannotWrite as error:
        if _identity(path) == before:
            raise
        raise Unfit("replaced") from error
    if _identity(path) != before:
        # Replaced while we opened it: its log, read by name, may be that of the new one.
        db.close()
        raise Unfit("replaced")
    return db


def _open_checked(path: Path, repository: str) -> Connection:
    db = Connection(str(path))
    try:
        _check(db, repository)
    except BaseException:
        db.close()
        raise
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
        raise Unfit("not a cache of gitmem")
    if version != SCHEMA_VERSION:
        raise Unfit("of another version")
    if db.scalar("SELECT value FROM meta WHERE name = 'repository'") != repository:
        raise Unfit("of another repository")
