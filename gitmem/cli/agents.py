"""agent install, uninstall and status: from words to what was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitmem.app.agent_setting_up import (
    NAMES,
    SCOPES,
    Ground,
    Scope,
    ScopeStatus,
    check_agents,
    get_title,
    install_agents,
    is_on_path,
    list_notes,
    plan_agents,
    plan_agents_removal,
    uninstall_agents,
)
from gitmem.app.opening import Opened
from gitmem.cli.asking import ask
from gitmem.cli.boundary import Session
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean, clean_line
from gitmem.config import read_settings
from gitmem.errors import GitmemError, NoRepository, Refused, UsageError
from gitmem.services.agent_setup import Change, format_diff
from gitmem.services.workspace import Notice

NOT_ON_PATH = Notice(
    "not-on-path",
    "the command gitmem is not on the PATH, so agents cannot call it; until it is, they go on "
    "without",
)
_POLICIES = {
    "summary": "summary, reason and files of each go with your commits; the full request stays "
    "private, in this clone",
    "full": "summary, reason, files and the full request of each go with your commits",
    "none": "nothing of them is committed: they stay in this clone",
}


def run_agent(
    session: Session,
    action: str,
    names: Sequence[str],
    *,
    scope: Scope | None,
    yes: bool,
    is_dry_run: bool,
) -> int:
    if action == "status":
        return _status(session, names, scope)
    if action == "uninstall":
        return _uninstall(session, names, scope or "project", is_dry_run=is_dry_run)
    if not names:
        raise UsageError(
            "which agent? one of " + ", ".join(NAMES),
            hint="For example: gitmem agent install --agent claude",
        )
    return _install(session, names, scope or "project", yes=yes, is_dry_run=is_dry_run)


def _install(
    session: Session, names: Sequence[str], scope: Scope, *, yes: bool, is_dry_run: bool
) -> int:
    ground, opened = _open_ground(session, scope)
    try:
        changes = plan_agents(ground, names, scope)
        policy = _get_policy(session, opened)
        if not session.is_json:
            _announce(session, changes, names, policy)
        if changes and not is_dry_run:
            if not yes and session.may_ask and not ask("Write them?", default=True):
                raise Refused("nothing was written")
            changes = install_agents(ground, names, scope)
        notices = [] if is_on_path(ground) else [NOT_ON_PATH]
        notices += _warn_of_doubles(ground, names, scope)
        if opened is not None and opened.project is None:
            notices.append(Notice("no-memory", "there is no memory here yet: gitmem init"))
    finally:
        if opened is not None:
            opened.close()
    _tell(session, changes, notices, is_dry_run=is_dry_run, share_agents=policy)
    if not session.is_json and not is_dry_run:
        for note in list_notes(names):
            session.note(note)
    return 0


def _uninstall(session: Session, names: Sequence[str], scope: Scope, *, is_dry_run: bool) -> int:
    ground, opened = _open_ground(session, scope)
    try:
        names = names or NAMES
        if is_dry_run:
            changes = plan_agents_removal(ground, names, scope)
        else:
            changes = uninstall_agents(ground, names, scope)
    finally:
        if opened is not None:
            opened.close()
    _tell(session, changes, [], is_dry_run=is_dry_run, is_removal=True)
    return 0


def _status(session: Session, names: Sequence[str], scope: Scope | None) -> int:
    ground, opened = _open_ground(session, scope or "user")
    if opened is not None:
        opened.close()
    rows = check_agents(ground, names or NAMES, [scope] if scope else SCOPES)
    found = is_on_path(ground)
    if session.is_json:
        notices = [] if found else [NOT_ON_PATH]
        session.data("agent", {"agents": rows, "on_path": found}, notices)
    else:
        _print_rows(session, rows, is_terse=not names)
        if not found:
            session.warn([NOT_ON_PATH])
    return 0 if found and _is_complete(rows, names) else 1


def _is_complete(rows: Sequence[ScopeStatus], names: Sequence[str]) -> bool:
    """Whether each named agent (none: whichever is set up) is sound in a scope, and nothing
    that is there is not."""
    there = [row for row in rows if row.state != "missing"]
    if not all(row.is_sound for row in there):
        return False
    wanted = set(names) or {row.agent for row in there}
    return bool(wanted) and wanted <= {row.agent for row in there}


def set_up_agents(session: Session, opened: Opened, names: Sequence[str], *, yes: bool) -> None:
    """`agent install` as a part of `init`."""
    ground = Ground(opened.layout, opened.environ)
    changes = plan_agents(ground, names, "project")
    if not session.is_json:
        _announce(session, changes, names, opened.settings.share_agents)
    if changes and not yes and session.may_ask and not ask("Write them?", default=True):
        session.note("gitmem: the agent was not set up; later: gitmem agent install")
        return
    install_agents(ground, names, "project")
    if not is_on_path(ground):
        session.warn([NOT_ON_PATH])
    for note in list_notes(names):
        session.note(note)


def list_agent_files(opened: Opened, names: Sequence[str]) -> list[str]:
    """The files that `init --agent` would write; raises what makes it impossible."""
    ground = Ground(opened.layout, opened.environ)
    return [change.shown for change in plan_agents(ground, names, "project")] if names else []


def remove_agents(session: Session, opened: Opened) -> list[str]:
    """Take gitmem out of this project's settings of every agent; the files changed. What
    cannot be taken apart is left alone, and said."""
    ground = Ground(opened.layout, opened.environ)
    if opened.layout.work_tree is None:
        return []
    done = []
    for name in NAMES:
        try:
            done += [change.shown for change in uninstall_agents(ground, [name], "project")]
        except GitmemError as error:
            session.note(f"gitmem: settings of {name} are left alone: {error.message}")
    for row in check_agents(ground, NAMES, ["user"]):
        if row.state not in ("missing", "unreadable"):
            session.note(
                f"{row.file} is for all of your projects, and stays. Take it out: "
                f"gitmem agent uninstall --agent {row.agent} --scope user"
            )
    return done


def _open_ground(session: Session, scope: Scope) -> tuple[Ground, Opened | None]:
    """Where we are. For the user's scope it need not be in a repository."""
    try:
        opened = open_for(session)
    except NoRepository:
        if scope == "project":
            raise
        return Ground(None, session.environ), None
    return Ground(opened.layout, session.environ), opened


def _get_policy(session: Session, opened: Opened | None) -> str:
    if opened is not None:
        return opened.settings.share_agents
    settings = read_settings(clone_file=None, project_file=None, environ=session.environ)
    return settings.share_agents


def _warn_of_doubles(ground: Ground, names: Sequence[str], scope: Scope) -> list[Notice]:
    rows = check_agents(ground, names, [scope])
    return [
        Notice("agent-doubled" if row.doubled else "agent-shadowed", f"{row.agent}: {row.reason}")
        for row in rows
        if row.doubled or row.shadowed
    ]


def _announce(
    session: Session, changes: Sequence[Change], names: Sequence[str], policy: str
) -> None:
    """What will be written, and what will be committed: before anybody is asked."""
    titles = " and ".join(get_title(name) for name in names)
    if not changes:
        session.text(f"{titles}: everything is in place already.")
        return
    session.note(f"{titles} will call gitmem, and tell it what was decided.")
    session.note(f"Of such decisions, {_POLICIES[policy]} (share.agents = {policy}).")
    for change in changes:
        verb = "make" if change.before is None else "change"
        session.note(f"  will {verb} {clean_line(change.shown)}")


def _tell(
    session: Session,
    changes: Sequence[Change],
    notices: Sequence[Notice],
    *,
    is_dry_run: bool,
    is_removal: bool = False,
    **more: Any,
) -> None:
    if session.is_json:
        files = [
            {
                "file": change.shown,
                "action": _name_action(change),
                "diff": format_diff(change),
            }
            for change in changes
        ]
        session.data("agent", {"files": files, "dry_run": is_dry_run, **more}, notices)
        return
    if is_dry_run:
        session.text("".join(clean(format_diff(change)) for change in changes) or "No change.")
    else:
        for change in changes:
            session.text(f"{_name_action(change)}  {clean_line(change.shown)}")
        if is_removal and not changes:
            session.text("Nothing of gitmem is in the settings.")
    session.warn(notices)


def _name_action(change: Change) -> str:
    if change.after is None:
        return "removed"
    return "made" if change.before is None else "changed"


def _print_rows(session: Session, rows: Sequence[ScopeStatus], *, is_terse: bool) -> None:
    """Every row of agents that were named; of others those that say something."""
    shown = [row for row in rows if not is_terse or row.state != "missing"]
    for row in shown:
        state = row.state
        mark = "  " if row.is_sound else "x "
        kinds = ["shadowed"] * row.shadowed + ["doubled"] * row.doubled
        words = ", ".join([state, *kinds])
        because = f": {clean_line(row.reason)}" if row.reason else ""
        session.text(
            f"{mark}{row.agent:<9} {row.scope:<8} {words}  {clean_line(row.file)}{because}"
        )
    if not shown:
        session.text("No agent is set up here.")
        session.note("Set one up: gitmem agent install --agent claude")
