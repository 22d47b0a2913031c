"""Wiring of `hooks install`, `uninstall` and `status`: which hook is where, and is it alive."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.errors import CannotWrite, Refused
from gitmem.git.files import Layout
from gitmem.git.hook_places import (
    HookPlace,
    find_lefthook_file,
    find_place,
    read_hook,
    resolve_hook,
)
from gitmem.git.hook_probe import does_fire
from gitmem.git.hook_scripts import (
    HOOKS,
    MARKING_HOOKS,
    has_block,
    insert_block,
    is_first,
    line_by_hand,
    remove_block,
    why_not,
)
from gitmem.git.lefthook_file import format_commands, insert_commands, remove_commands
from gitmem.git.process import Git
from gitmem.store.durable import remove_durably, write_durably

State = Literal["installed", "missing", "silent", "refused"]

FRAMEWORK_SNIPPET = """repos:
  - repo: local
    hooks:
      - id: gitmem
        name: decisions go with their commit
        entry: sh -c 'command -v gitmem >/dev/null || exit 0; gitmem hook pre-commit'
        language: system
        always_run: true
        pass_filenames: false
"""


class HookState(msgspec.Struct, frozen=True, kw_only=True):
    """One hook. `silent`: its lines are there, and git does not reach them. `reason` says
    what stands in the way; `line` is what to add by hand."""

    hook: str
    file: str
    state: State
    changed: bool = False
    reason: str = ""
    line: str = ""


class Hooks(msgspec.Struct, frozen=True, kw_only=True):
    """All hooks of one repository. `advice` is for people: what else to do."""

    keeper: str
    hooks: tuple[HookState, ...]
    advice: tuple[str, ...] = ()

    @property
    def is_alive(self) -> bool:
        return all(hook.state == "installed" for hook in self.hooks)


class HookFiles:
    """The hooks of one repository. Raises UsageError in a bare one, and Refused where git
    looks for hooks outside of the repository."""

    def __init__(self, layout: Layout, environ: Mapping[str, str], *, is_detached: bool) -> None:
        self._layout = layout
        self._environ = environ
        self._names = MARKING_HOOKS if is_detached else HOOKS
        git = Git(layout.git_dir, layout.work_tree, environ)
        self.place: HookPlace = find_place(git, layout)

    def list_files(self) -> list[str]:
        """The files that `install` would make or extend, as they are shown."""
        if self.place.keeper == "lefthook":
            return [self._show(find_lefthook_file(self.place))]
        return [self._show(self.place.folder / name) for name in self._names]

    def install(self) -> Hooks:
        """Put the lines in, beside whatever is there. Installing twice changes nothing."""
        if self.place.keeper == "lefthook":
            return self._install_lefthook()
        done = tuple(self._guard(name, self._install_one) for name in self._names)
        return Hooks(keeper=self.place.keeper, hooks=done, advice=self._advice())

    def uninstall(self) -> Hooks:
        """Take the lines out of every hook they stand in; every other byte stays."""
        if self.place.keeper == "lefthook":
            file = find_lefthook_file(self.place)
            self._write_text(file, remove_commands(_read_text(file)))
        done = tuple(self._guard(name, self._uninstall_one) for name in HOOKS)
        changed = tuple(state for state in done if state.changed or state.state == "refused")
        return Hooks(keeper=self.place.keeper, hooks=changed)

    def check(self, *, with_probe: bool = True) -> Hooks:
        """Whether each hook is there and, asked through git, answers."""
        if self.place.keeper == "lefthook":
            text = _read_text(find_lefthook_file(self.place))
            state: State = "installed" if insert_commands(text, self._names) == text else "missing"
            names = self._names
            done = tuple(self._state(name, state, Path("lefthook-local.yml")) for name in names)
            return Hooks(keeper="lefthook", hooks=done)
        done = tuple(
            self._guard(name, lambda one: self._check_one(one, with_probe)) for name in self._names
        )
        return Hooks(keeper=self.place.keeper, hooks=done)

    def is_installed(self) -> bool:
        """Whether the lines of the first hook are there; asks nobody."""
        return self.check(with_probe=False).is_alive

    def _guard(self, name: str, action: Callable[[str], HookState]) -> HookState:
        try:
            return action(name)
        except Refused as error:
            file = self.place.folder / name
            return self._state(name, "refused", file, reason=error.message)

    def _install_one(self, name: str) -> HookState:
        file = resolve_hook(self.place, name)
        found = read_hook(file)
        data, mode = found if found is not None else (None, 0o755)
        if data is not None:
            self._check_script(data, mode)
        python = sys.executable if self.place.is_private(file) and sys.executable else None
        python = Path(python).as_posix() if python else None
        new = insert_block(data, name, python)
        if new != data:
            _write(file, new, mode)
        return self._state(name, "installed", file, changed=new != data)

    def _check_script(self, data: bytes, mode: int) -> None:
        is_husky = self.place.keeper == "husky"
        reason = why_not(data, may_be_bare=is_husky)
        if reason is None and os.name == "posix" and not mode & 0o100 and not is_husky:
            reason = "it is not executable, so git passes it over, and what it says would run"
        if reason is not None:
            raise Refused(reason)

    def _uninstall_one(self, name: str) -> HookState:
        file = resolve_hook(self.place, name)
        found = read_hook(file)
        if found is None or not has_block(found[0]):
            return self._state(name, "missing", file)
        left = remove_block(found[0])
        if left is None:
            remove_durably(file)
        else:
            _write(file, left, found[1])
        return self._state(name, "missing", file, changed=True)

    def _check_one(self, name: str, with_probe: bool) -> HookState:
        file = resolve_hook(self.place, name)
        found = read_hook(file)
        if found is None or not has_block(found[0]):
            return self._state(name, "missing", file, reason="its lines are not there")
        if not with_probe:
            return self._state(name, "installed", file)
        if not is_first(found[0]):
            reason = "other commands stand before its lines"
            return self._state(name, "silent", file, reason=reason)
        assert self._layout.work_tree is not None
        if not does_fire(name, file, self._layout.work_tree, self._environ):
            return self._state(name, "silent", file, reason="git does not run it")
        return self._state(name, "installed", file)

    def _install_lefthook(self) -> Hooks:
        file = find_lefthook_file(self.place)
        old = _read_text(file)
        new = insert_commands(old, self._names)
        if new is None:
            reason = f"{file.name} has settings of the same hooks; join them by hand"
            refused = tuple(
                self._state(name, "refused", file, reason=reason) for name in self._names
            )
            advice = (format_commands(self._names),)
            return Hooks(keeper="lefthook", hooks=refused, advice=advice)
        self._write_text(file, new)
        done = tuple(
            self._state(name, "installed", file, changed=new != old) for name in self._names
        )
        return Hooks(keeper="lefthook", hooks=done, advice=("Then run: lefthook install",))

    def _write_text(self, file: Path, text: str) -> None:
        if text != _read_text(file):
            if text:
                _write(file, text.encode("utf-8", "surrogateescape"), 0o644)
            else:
                remove_durably(file)

    def _advice(self) -> tuple[str, ...]:
        if not self.place.uses_framework or "pre-commit" not in self._names:
            return ()
        words = (
            "`pre-commit install` writes its hook anew, without gitmem. So that it stays, add to "
            ".pre-commit-config.yaml:"
        )
        return (f"{words}\n{FRAMEWORK_SNIPPET.rstrip()}",)

    def _state(
        self, name: str, state: State, file: Path, *, changed: bool = False, reason: str = ""
    ) -> HookState:
        line = line_by_hand(name) if state in ("refused", "silent") else ""
        return HookState(
            hook=name, file=self._show(file), state=state, changed=changed, reason=reason, line=line
        )

    def _show(self, file: Path) -> str:
        root = self._layout.work_tree
        assert root is not None
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)


def _read_text(file: Path) -> str:
    found = read_hook(file)
    return found[0].decode("utf-8", "surrogateescape") if found else ""


def _write(file: Path, data: bytes, mode: int) -> None:
    """Replace the file, its permission bits as they were (or as the umask lets them be)."""
    existed = file.exists()
    write_durably(file, data, mode=mode)
    if existed:
        try:
            file.chmod(mode)
        except OSError as error:
            raise CannotWrite(f"{file}: {error.strerror}") from None
