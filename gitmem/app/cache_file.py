"""Where the cache lies, and which clone it belongs to."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import Any

from gitmem.cache import discard_cache, open_cache, open_memory_cache
from gitmem.config import Settings
from gitmem.errors import CannotWrite
from gitmem.store.paths import ClonePaths


def open_cache_for(common_dir: Path, clone: ClonePaths, settings: Settings) -> Any:
    """The cache of a clone: in its git dir; where that cannot be written, in the user's cache
    folder; where that cannot be written either, in memory, for this one command."""
    try:
        return open_cache(clone.cache, repository=_clone_token(clone))
    except CannotWrite:
        pass
    if settings.cache_home is not None:
        digest = hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:32]
        elsewhere = settings.cache_home / "repositories" / digest / "cache.db"
        try:
            return open_cache(elsewhere, repository=str(common_dir))
        except CannotWrite:
            pass
    return open_memory_cache()


def reopen_cache(cache: Any, common_dir: Path, clone: ClonePaths, settings: Settings) -> Any:
    """Throw a cache away and open an empty one in its place."""
    cache.close()
    discard_cache(clone.cache)
    return open_cache_for(common_dir, clone, settings)


def drop_cache(clone: ClonePaths) -> None:
    """Delete the cache; it is rebuilt when it is next needed."""
    discard_cache(clone.cache)


def remember_project(cache: Any, project_id: str) -> bool:
    """Note whose records the cache holds; True where it holds another project's, so that it
    must be thrown away."""
    known = cache.projection.get_memo("project-id")
    if known == project_id:
        return False
    if known is None:
        cache.projection.set_memo("project-id", project_id)
        return False
    return True


def _clone_token(clone: ClonePaths) -> str:
    """A name for this clone that moves with it, so that a cache copied from another clone is
    recognised. Raises CannotWrite."""
    file = clone.home / "clone"
    for _ in range(2):
        try:
            token = file.read_text("ascii")
            if len(token) == 32:
                return token
            file.unlink()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, UnicodeDecodeError) as error:
            raise CannotWrite(f"{file} cannot be read") from error
        _create(file)
    return file.read_text("ascii")


def _create(file: Path) -> None:
    temporary = file.with_name(f".clone.{secrets.token_hex(6)}.tmp")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(secrets.token_hex(16), "ascii")
        try:
            os.link(temporary, file)  # the first of several processes decides
        except FileExistsError:
            pass
        except OSError:
            temporary.replace(file)
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"{file.parent} cannot be written: {error.strerror}") from error
