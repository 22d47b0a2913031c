"""Where a repository is, read from git's own files without starting git.

This is the way of the hooks, which run before every edit: no process, few imports. It finds
what git would find; where plain files cannot tell, the answer is None and the caller asks
the executable.
"""

# Strings, not Path objects, until the answer is known: half the time, before every edit.
# ruff: noqa: PTH112, PTH113, PTH114, PTH115, PTH116, PTH117, PTH118, PTH119, PTH120

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gitmem.git.config_file import RepositoryFormat, read_format

_SMALL_BYTES = 4096
_MAX_LEVELS = 512
_HEX = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


class Layout(msgspec.Struct, frozen=True):
    """The places of one repository, absolute, symbolic links resolved.

    `work_tree` is None where there is none (bare). `worktree_name` is `main`, or the name
    that a linked work tree has under `worktrees/`. `is_explicit`: named by GIT_DIR.
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path | None
    worktree_name: str = "main"
    is_shallow: bool = False
    is_explicit: bool = False
    gitfile: Path | None = None
    format: RepositoryFormat = RepositoryFormat()


def discover(start: Path | str, environ: Mapping[str, str]) -> Layout | None:
    """The repository that git would find from a folder, or None.

    Honours GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR, GIT_CEILING_DIRECTORIES and
    GIT_DISCOVERY_ACROSS_FILESYSTEM.
    """
    if "\0" in os.fspath(start):
        return None
    here = os.path.realpath(start)
    if explicit := environ.get("GIT_DIR"):
        git_dir = _resolve_git_dir(os.path.join(here, explicit), environ)
        if git_dir is None:
            return None
        return _build_layout(git_dir, here, here, environ, is_explicit=True)
    ceilings = _list_ceilings(environ)
    may_cross = environ.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in ("1", "true", "yes")
    device = _device(here)
    folder = here
    for _ in range(_MAX_LEVELS):
        dot_git = os.path.join(folder, ".git")
        if os.path.lexists(dot_git):
            git_dir = _resolve_git_dir(dot_git, environ)
            if git_dir is not None:
                gitfile = dot_git if os.path.isfile(dot_git) else None
                return _build_layout(git_dir, here, folder, environ, gitfile=gitfile)
            if os.path.isfile(dot_git):
                return None
        if _is_git_dir(folder, environ):
            return _build_layout(folder, here, None, environ)
        parent = os.path.dirname(folder)
        if parent == folder or parent in ceilings:
            return None
        if not may_cross and _device(parent) != device:
            return None
        folder = parent
    return None


def is_owned_by_us(layout: Layout, environ: Mapping[str, str]) -> bool:
    """Whether git trusts the repository by its default rule: named by GIT_DIR, or all its
    places owned by this user. Where False, ask git: `safe.directory` may allow it."""
    return layout.is_explicit or has_own_places(layout, environ)


def has_own_places(layout: Layout, environ: Mapping[str, str]) -> bool:
    """Whether this user (or the one behind sudo) owns git dir, work tree and `.git` file.
    Always False where the system has no such owners."""
    if os.name != "posix":
        return False
    users = {os.geteuid()}
    sudo = environ.get("SUDO_UID", "")
    if 0 in users and sudo.isdecimal() and len(sudo) < 11:
        users.add(int(sudo))
    places = (layout.git_dir, layout.work_tree, layout.gitfile)
    try:
        return all(place.lstat().st_uid in users for place in places if place is not None)
    except OSError:
        return False


def is_partial_clone(layout: Layout) -> bool:
    """Whether objects may be missing here that a remote promises to have."""
    return layout.format.is_partial_clone


def object_format(layout: Layout) -> str:
    """`sha1` or `sha256`."""
    return layout.format.object_format


def read_small(path: str | Path, limit_bytes: int = _SMALL_BYTES) -> str | None:
    """The text of a small regular file; None where it is absent, or longer."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            data = file.read(limit_bytes + 1)
    except OSError:
        return None
    return data.decode("utf-8", "surrogateescape") if len(data) <= limit_bytes else None


def _build_layout(
    git_dir: str,
    cwd: str,
    found_in: str | None,
    environ: Mapping[str, str],
    *,
    is_explicit: bool = False,
    gitfile: str | None = None,
) -> Layout:
    git_dir = os.path.realpath(git_dir)
    common = find_common_dir(git_dir, environ)
    form = read_format(Path(git_dir), Path(common))
    work_tree: str | None
    if named := environ.get("GIT_WORK_TREE"):
        work_tree = os.path.join(cwd, named)
    elif form.work_tree is not None:
        work_tree = os.path.join(git_dir, form.work_tree)
    elif form.is_bare:
        work_tree = None
    else:
        work_tree = found_in
    name = "main"
    if git_dir != common and os.path.dirname(git_dir) == os.path.join(common, "worktrees"):
        name = os.path.basename(git_dir)
    return Layout(
        git_dir=Path(git_dir),
        common_dir=Path(common),
        work_tree=None if work_tree is None else Path(os.path.realpath(work_tree)),
        worktree_name=name,
        is_shallow=os.path.isfile(os.path.join(common, "shallow")),
        is_explicit=is_explicit,
        gitfile=None if gitfile is None else Path(gitfile),
        format=form,
    )


def _resolve_git_dir(path: str, environ: Mapping[str, str]) -> str | None:
    """The git dir that `.git` is, or that it names if it is a file."""
    if os.path.isfile(path):
        text = read_small(path)
        if text is None or not text.startswith("gitdir:"):
            return None
        named = text.removeprefix("gitdir:").strip(" \r\n")
        if not named or "\0" in named:
            return None
        path = os.path.join(os.path.dirname(path), named)
    return path if _is_git_dir(path, environ) else None


def _is_git_dir(path: str, environ: Mapping[str, str]) -> bool:
    head = os.path.join(path, "HEAD")
    if os.path.islink(head):
        if not os.readlink(head).startswith("refs/"):
            return False
    else:
        text = read_small(head)
        if text is None or not (
            (text.startswith("ref:") and text[4:].strip().startswith("refs/"))
            or _HEX.fullmatch(text.strip())
        ):
            return False
    common = find_common_dir(path, environ)
    objects = environ.get("GIT_OBJECT_DIRECTORY") or os.path.join(common, "objects")
    return os.path.isdir(objects) and os.path.isdir(os.path.join(common, "refs"))


def find_common_dir(git_dir: str, environ: Mapping[str, str]) -> str:
    """What all work trees of a repository share; for most, the git dir itself."""
    if named := environ.get("GIT_COMMON_DIR"):
        return os.path.realpath(named)
    text = read_small(os.path.join(git_dir, "commondir"))
    if text is None or not text.strip() or "\0" in text:
        return os.path.realpath(git_dir)
    return os.path.realpath(os.path.join(git_dir, text.rstrip("\r\n")))


def _list_ceilings(environ: Mapping[str, str]) -> frozenset[str]:
    ceilings = set()
    resolve = True
    for entry in environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep):
        if not entry:
            # git's own rule: after an empty entry links are taken as they are.
            resolve = False
        elif os.path.isabs(entry):
            ceilings.add(os.path.realpath(entry) if resolve else os.path.normpath(entry))
    return frozenset(ceilings)


def _device(path: str) -> int:
    try:
        return os.stat(path).st_dev
    except OSError:
        return -1
