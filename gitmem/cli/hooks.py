"""hooks install, uninstall and status: from words to what was done."""

from __future__ import annotations

from gitmem.app.hooks import HookFiles, Hooks
from gitmem.app.opening import Opened
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.errors import NeedsPerson, Refused

_MARKS = {"installed": "  ", "missing": "x ", "silent": "x ", "refused": "! "}


def run_hooks(session: Session, action: str) -> int:
    opened = open_for(session)
    try:
        opened.workspace.get_memory()
        files = hook_files(opened)
    finally:
        opened.close()
    if action == "install":
        return _tell(session, files.install(), "installed")
    if action == "uninstall":
        return _tell(session, files.uninstall(), "uninstalled")
    hooks = files.check()
    _report(session, hooks)
    if not session.is_json and any(hook.state == "missing" for hook in hooks.hooks):
        session.note("Put them in: gitmem hooks install")
    return 0 if hooks.is_alive else 1


def hook_files(opened: Opened) -> HookFiles:
    """The hooks of an open repository."""
    return HookFiles(opened.layout, opened.environ, is_detached=opened.settings.is_detached)


def offer_hooks(session: Session, opened: Opened, *, detached: bool) -> HookFiles | None:
    """The hooks that `init` is to install; None where they are there already, or where they
    cannot be, which is said."""
    if opened.layout.work_tree is None:
        return None
    try:
        files = HookFiles(opened.layout, opened.environ, is_detached=detached)
        return None if files.is_installed() else files
    except Refused as error:
        session.note(f"gitmem: no hooks: {error.message}\n  {error.hint}")
        return None


def report_refused(session: Session, hooks: Hooks) -> None:
    """Say which hooks a person must see to."""
    for hook in hooks.hooks:
        if hook.state == "refused":
            session.note(
                f"gitmem: {hook.file} is left alone: {hook.reason}\n  run there, first: {hook.line}"
            )
    for advice in hooks.advice:
        session.note(advice)


def remove_hooks(session: Session, opened: Opened) -> None:
    """Take gitmem's lines out of every hook they stand in."""
    if opened.layout.work_tree is None:
        return
    try:
        report_refused(session, hook_files(opened).uninstall())
    except Refused as error:
        session.note(f"gitmem: hooks are left alone: {error.message}")


def _tell(session: Session, hooks: Hooks, what: str) -> int:
    """What was done; 4 where a person must do the rest."""
    _report(session, hooks, is_removal=what == "uninstalled")
    if not session.is_json and not any(hook.changed for hook in hooks.hooks):
        session.note(f"Nothing changed: the hooks are {what} already.")
    refused = any(hook.state == "refused" for hook in hooks.hooks)
    return NeedsPerson.exit_code if refused else 0


def _report(session: Session, hooks: Hooks, *, is_removal: bool = False) -> None:
    if session.is_json:
        session.data("hooks", {"keeper": hooks.keeper, "hooks": hooks.hooks})
    else:
        for hook in hooks.hooks:
            because = f": {clean_line(hook.reason)}" if hook.reason else ""
            mark, state = _MARKS[hook.state], str(hook.state)
            if is_removal and hook.state == "missing":
                mark, state = "  ", "removed" if hook.changed else "not there"
            name = f"{mark}{hook.hook}"
            session.text(f"{name:<20} {state}  {clean_line(hook.file)}{because}")
            if hook.line:
                session.text(f"      run there, first: {hook.line}")
    for advice in hooks.advice:
        session.note(advice)
