"""The cache of a clone, where it is there already; making one is in `cache_making`."""

from __future__ import annotations

from pathlib import Path

from gitmem.app.adapters import load
from gitmem.cache.opening import CacheReader, Unfit, open_reader
from gitmem.config import Settings
from gitmem.errors import CannotWrite
from gitmem.store.paths import ClonePaths

TOKEN_LENGTH = 32


def open_cache_for(common_dir: Path, clone: ClonePaths, settings: Settings) -> CacheReader:
    """The cache of a clone, made if need be: in its git dir, else in the user's cache folder,
    else in memory."""
    token = read_token(clone)
    if token is not None:
        try:
            return open_reader(clone.cache, repository=token)
        except (Unfit, CannotWrite):
            pass
    cache: CacheReader = load("make-cache")(common_dir, clone, settings)
    return cache


def reopen_cache(
    cache: CacheReader, common_dir: Path, clone: ClonePaths, settings: Settings
) -> CacheReader:
    """Throw a cache away and open an empty one in its place."""
    cache.close()
    load("drop-cache")(common_dir, clone, settings)
    return open_cache_for(common_dir, clone, settings)


def remember_project(cache: CacheReader, project_id: str) -> bool:
    """Note whose records the cache holds; True where it holds another project's, so that it
    must be thrown away."""
    known = cache.facts.get_memo("project-id")
    if known == project_id:
        return False
    if known is None:
        cache.facts.set_memo("project-id", project_id)
        return False
    return True


def token_file(clone: ClonePaths) -> Path:
    """The file with a name for this clone that moves with it, so that a cache copied from
    another clone is recognised."""
    return clone.home / "clone"


def read_token(clone: ClonePaths) -> str | None:
    try:
        token = token_file(clone).read_bytes()[: TOKEN_LENGTH + 1].decode("ascii", "replace")
    except OSError:
        return None
    return token if len(token) == TOKEN_LENGTH else None
