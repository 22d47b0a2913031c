"""Where a memory's own files lie: in the git common dir, and in the tracked folder."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import msgspec

FOLDER = ".gitmem"
RECORDS = f"{FOLDER}/records"

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class ClonePaths(msgspec.Struct, frozen=True):
    """What this clone keeps for itself: `<common dir>/gitmem/`, shared by linked work trees."""

    home: Path

    @property
    def spool(self) -> Path:
        return self.home / "spool"

    @property
    def private(self) -> Path:
        return self.home / "private"

    @property
    def config(self) -> Path:
        return self.home / "config.toml"

    @property
    def writer(self) -> Path:
        return self.home / "writer"

    @property
    def cache(self) -> Path:
        return self.home / "cache.db"

    @property
    def memory_git(self) -> Path:
        """The bare repository of a detached memory."""
        return self.home / "memory.git"


def clone_paths(common_dir: Path) -> ClonePaths:
    return ClonePaths(common_dir / "gitmem")


def spool_folder_name(worktree: str) -> str:
    """A work tree's name as a folder name that every file system takes."""
    if _PLAIN.fullmatch(worktree):
        return worktree
    # `%` never begins a plain name, so an escaped name cannot meet another's.
    return "%" + quote(worktree, safe="", errors="surrogateescape").replace(".", "%2E")


class Memory(msgspec.Struct, frozen=True):
    """One project's memory as seen from one work tree.

    `folder` is the tracked `.gitmem/` of the work tree: None for a detached memory and for a
    bare repository. `worktree` is the work tree's `spool_folder_name`.
    """

    clone: ClonePaths
    project_id: str
    worktree: str
    folder: Path | None
    is_detached: bool = False
