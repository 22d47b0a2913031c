"""The git adapters of one repository, each chosen here once and loaded on first use.

Two object readers, two ref stores and two transports are one choice each: pygit2 reads for
commands that read everything, where it can open the repository at all; dulwich stands in
where there is no git executable. Never decided by an exception half-way through.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from gitmem.app.adapters import Lazy, load
from gitmem.config import Settings
from gitmem.git.files import Layout, discover
from gitmem.ports.transport import Transport
from gitmem.store.paths import ClonePaths
from gitmem.store.sources import Sources


class Ports:
    """The ports of a repository; `sources` and `history` start nothing by themselves."""

    def __init__(
        self,
        layout: Layout,
        git: Any,
        clone: ClonePaths,
        environ: Mapping[str, str],
        *,
        is_detached: bool,
        heavy: bool,
    ) -> None:
        self._layout = layout
        self._git = git
        self._environ = environ
        self._heavy = heavy
        objects: Any = Lazy(lambda: self._make_objects(layout, git))
        refs: Any = Lazy(lambda: self._make_refs(layout, layout.git_dir, git))
        memory_objects, memory_refs = objects, refs
        if is_detached:
            bare = clone.memory_git
            memory_git: Any = Lazy(lambda: load("git")(bare, None, environ))
            memory_objects = Lazy(lambda: self._make_objects(discover(bare, {}), memory_git))
            memory_refs = Lazy(lambda: self._make_refs(discover(bare, {}), bare, memory_git))
        settings: Any = Lazy(self._make_settings)
        self.sources = Sources(objects, refs, settings, memory_objects, memory_refs)
        self.history: Any = Lazy(self._make_history)
        self.ranges: Any = Lazy(lambda: load("ranges-exec")(git, layout))
        self.tree: Any = Lazy(lambda: load("tree-exec")(git))

    def keep_settings(self, before: Sources) -> None:
        """Go on with what git's configuration said when the repository was opened before."""
        self.sources = msgspec.structs.replace(self.sources, settings=before.settings)

    @cached_property
    def has_git(self) -> bool:
        return has_git(self._environ)

    def _make_objects(self, layout: Layout | None, git: Any) -> Any:
        heavy = self._heavy or not self.has_git
        if heavy and layout is not None and load("supports-pygit2")(layout, self._environ):
            return load("objects-pygit2")(layout)
        return load("objects-exec")(git)

    def _make_refs(self, layout: Layout | None, git_dir: Path, git: Any) -> Any:
        """Refs are written by git; they are read from its files where it keeps them there."""
        if not self.has_git:
            return load("refs-dulwich")(git_dir)
        writer = load("refs-exec")(git)
        if layout is None or layout.format.ref_storage != "files":
            return writer
        return load("refs-files")(layout, writer)

    def _make_settings(self) -> Any:
        if self.has_git:
            return load("settings-exec")(self._git)
        return load("settings-dulwich")(self._layout.git_dir, self._environ)

    def _make_history(self) -> Any:
        if self.has_git:
            return load("history-exec")(self._git, self._layout)
        return load("history-none")()


def has_git(environ: Mapping[str, str]) -> bool:
    """Whether there is a git executable on the path."""
    name = "git.exe" if sys.platform == "win32" else "git"
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(Path(folder or ".") / name, os.X_OK) for folder in folders)


def choose_transport(settings: Settings, git_dir: Path, environ: Mapping[str, str]) -> Transport:
    """git's own transport, which alone honours all of the user's configuration; dulwich's
    where there is no git, or where the user says so."""
    name = settings.transport
    if name == "auto":
        name = "git" if has_git(environ) else "dulwich"
    adapter = "transport-exec" if name == "git" else "transport-dulwich"
    transport: Transport = load(adapter)(git_dir, environ, timeout_seconds=settings.timeout_seconds)
    return transport
