"""Making and dropping the cache of a clone, and choosing where it lies."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from gitmem.app.cache_file import TOKEN_LENGTH, read_token, token_file
from gitmem.cache.building import discard_cache, open_cache, open_memory_cache
from gitmem.cache.opening import CacheReader
from gitmem.config import Settings
from gitmem.errors import CannotWrite
from gitmem.store.paths import ClonePaths


def make_cache(common_dir: Path, clone: ClonePaths, settings: Settings) -> CacheReader:
    """Open the cache, made anew where it is not fit: in the git dir; where that cannot be
    written, in the user's cache folder; where that cannot be written either, in memory, for
    this one command."""
    for path in _places(common_dir, clone, settings):
        try:
            in_clone = path == clone.cache
            return open_cache(
                path, repository=_ensure_token(clone) if in_clone else str(common_dir)
            )
        except CannotWrite:
            continue
    return open_memory_cache()


def drop_cache(common_dir: Path, clone: ClonePaths, settings: Settings) -> None:
    """Delete the cache wherever it lies; it is made again when it is next needed."""
    for path in _places(common_dir, clone, settings):
        if path.exists():
            discard_cache(path)


def _places(common_dir: Path, clone: ClonePaths, settings: Settings) -> Iterator[Path]:
    yield clone.cache
    if settings.cache_home is not None:
        digest = hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:32]
        yield settings.cache_home / "repositories" / digest / "cache.db"


def _ensure_token(clone: ClonePaths) -> str:
    """The clone's token, made by the first of several processes. Raises CannotWrite."""
    file = token_file(clone)
    for _ in range(3):
        token = read_token(clone)
        if token is not None:
            return token
        _create_token(file)
    raise CannotWrite(f"{file} cannot be kept")


def _create_token(file: Path) -> None:
    temporary = file.with_name(f".clone.{secrets.token_hex(6)}.tmp")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(secrets.token_hex(TOKEN_LENGTH // 2), "ascii")
        try:
            os.link(temporary, file)
        except FileExistsError:
            if file.stat().st_size != TOKEN_LENGTH:
                temporary.replace(file)  # what is there is damaged
        except OSError:
            temporary.replace(file)  # a file system without hard links
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWrite(f"{file.parent} cannot be written: {error.strerror}") from error
