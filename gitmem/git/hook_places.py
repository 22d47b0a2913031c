"""Where git looks for hooks here, and who else looks after them: husky, lefthook, pre-commit.

Nothing outside the repository is ever written, neither through a link nor through a setting.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.errors import Refused, UsageError
from gitmem.git.complaints import build_error
from gitmem.git.layout import Layout
from gitmem.git.process import Git

Keeper = Literal["git", "husky", "lefthook"]
_LEFTHOOK = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml")
_MAX_HOOK_BYTES = 1024 * 1024


class HookPlace(msgspec.Struct, frozen=True):
    """`folder` holds the hook files to write; `roots` are the folders that a file may
    resolve into. `uses_framework`: pre-commit's configuration stands in the work tree."""

    keeper: Keeper
    folder: Path
    roots: tuple[Path, ...]
    common_dir: Path
    uses_framework: bool

    def is_private(self, file: Path) -> bool:
        """Whether a file is this clone's alone, and can never be committed."""
        return _is_inside(file, (self.common_dir,))


def find_place(git: Git, layout: Layout) -> HookPlace:
    """Where hooks of this repository go. Raises UsageError in a bare repository, and Refused
    where git looks outside of it."""
    if layout.work_tree is None:
        raise UsageError("a bare repository makes no commits, and needs no hooks")
    done = git.query("rev-parse", "--git-path", "hooks")
    if done.code != 0:
        raise build_error(("rev-parse",), done.stderr)
    named = done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
    folder = layout.work_tree / named
    roots = (layout.common_dir, layout.work_tree)
    keeper: Keeper = "git"
    if any((layout.work_tree / name).is_file() for name in _LEFTHOOK):
        keeper, folder = "lefthook", layout.work_tree
    elif folder.name == "_" and folder.parent.name == ".husky":
        keeper, folder = "husky", folder.parent
    if not _is_inside(folder, roots):
        raise Refused(
            f"git looks for hooks in {folder}, outside of this repository",
            hint="Add to the hooks there, by hand: gitmem hook pre-commit || true",
        )
    framework = (layout.work_tree / ".pre-commit-config.yaml").is_file()
    return HookPlace(keeper, folder, roots, layout.common_dir, framework)


def resolve_hook(place: HookPlace, hook: str) -> Path:
    """The file that a hook's name leads to. Raises Refused where that is outside."""
    file = place.folder / hook
    if not _is_inside(file, place.roots):
        raise Refused(f"{file} is a link that leads out of the repository")
    return Path(os.path.realpath(file))


def read_hook(file: Path) -> tuple[bytes, int] | None:
    """Bytes and permission bits; None where there is no such file. Raises Refused for what
    is no file, or is longer than a script ever is."""
    try:
        mode = file.stat().st_mode
        if not file.is_file():
            raise Refused(f"{file} is not a file")
        with open(file, "rb") as opened:
            data = opened.read(_MAX_HOOK_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}") from None
    if len(data) > _MAX_HOOK_BYTES:
        raise Refused(f"{file} is too long for a script")
    return data, mode & 0o7777


def find_lefthook_file(place: HookPlace) -> Path:
    """The file for one's own settings of lefthook, which is not shared."""
    dotted = place.folder / ".lefthook-local.yml"
    file = dotted if dotted.exists() else place.folder / "lefthook-local.yml"
    if not _is_inside(file, place.roots):
        raise Refused(f"{file} is a link that leads out of the repository")
    return Path(os.path.realpath(file))


def _is_inside(path: Path, roots: tuple[Path, ...]) -> bool:
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(root)) for root in roots)
