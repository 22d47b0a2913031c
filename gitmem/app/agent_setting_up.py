"""Wiring of `agent install`, `uninstall` and `status`: which files of which agent, and where."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitmem.agents.setup.registry import AGENTS, AGENTS_FILE, Agent
from gitmem.errors import Contended, NoRepository, Refused, UsageError
from gitmem.git.files import Layout
from gitmem.ports.agent_setup import ManagedFile
from gitmem.services.agent_files import read_file
from gitmem.services.agent_setup import (
    Change,
    Spot,
    check_spot,
    install_changes,
    plan_installation,
    plan_removal,
    remove_changes,
)
from gitmem.store.paths import clone_paths

Scope = Literal["project", "user"]
State = Literal["installed", "missing", "partly", "outdated", "unreadable"]
SCOPES: tuple[Scope, ...] = ("project", "user")
NAMES = tuple(AGENTS)
_ATTEMPTS = 5


class Ground(msgspec.Struct, frozen=True):
    """Where agents are set up. `layout` is None outside of a repository."""

    layout: Layout | None
    environ: Mapping[str, str]


class ScopeStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One agent in one scope. `reason` says what is wrong, "" for nothing. `shadowed`: it is
    there, and the agent would not run it; `doubled`: it would run more than once."""

    agent: str
    scope: Scope
    file: str
    state: State
    shadowed: bool = False
    doubled: bool = False
    reason: str = ""

    @property
    def is_sound(self) -> bool:
        return self.state == "installed" and not self.shadowed and not self.doubled


def plan_agents(ground: Ground, names: Sequence[str], scope: Scope) -> list[Change]:
    """What installing would write; nothing is written. Raises Refused, UsageError, and
    NoRepository for the project's scope outside of one."""
    return plan_installation(_list_spots(ground, names, scope))


def install_agents(ground: Ground, names: Sequence[str], scope: Scope) -> list[Change]:
    """Install; what was written. Another process at the same file makes it look again."""
    return _insist(lambda: plan_agents(ground, names, scope), install_changes)


def plan_agents_removal(ground: Ground, names: Sequence[str], scope: Scope) -> list[Change]:
    """What uninstalling would write. The instructions in the project stay for as long as
    another agent is set up in it."""
    return plan_removal(_list_spots_to_clear(ground, names, scope))


def uninstall_agents(ground: Ground, names: Sequence[str], scope: Scope) -> list[Change]:
    """Uninstall; what was written."""
    return _insist(lambda: plan_agents_removal(ground, names, scope), remove_changes)


def check_agents(
    ground: Ground, names: Sequence[str], scopes: Sequence[Scope]
) -> list[ScopeStatus]:
    """How each agent stands in each scope that there is here."""
    there = [scope for scope in scopes if scope == "user" or _work_tree(ground) is not None]
    return [_check(ground, AGENTS[name], scope) for name in names for scope in there]


def is_on_path(ground: Ground) -> bool:
    """Whether agents would find the program."""
    return shutil.which("gitmem", path=ground.environ.get("PATH")) is not None


def list_notes(names: Sequence[str]) -> list[str]:
    """What a person must do besides, agent by agent."""
    return [AGENTS[name].note for name in names if AGENTS[name].note]


def get_title(name: str) -> str:
    """What an agent is called by its makers."""
    return AGENTS[name].title


def _insist(
    plan: Callable[[], list[Change]], write: Callable[[Sequence[Change]], None]
) -> list[Change]:
    for _ in range(_ATTEMPTS - 1):
        changes = plan()
        try:
            write(changes)
            return changes
        except Contended:
            continue
    changes = plan()
    write(changes)
    return changes


def _work_tree(ground: Ground) -> Path | None:
    return ground.layout.work_tree if ground.layout is not None else None


def _project_spot(ground: Ground, file: ManagedFile) -> Spot:
    if ground.layout is None:
        raise NoRepository(
            "no git repository here, so there are no settings of a project",
            hint="Go into one, or set the agent up for every project: --scope user",
        )
    if ground.layout.work_tree is None:
        raise UsageError(
            "a bare repository has no work tree, and no settings of a project",
            hint="Set the agent up for every project: --scope user",
        )
    backups = clone_paths(ground.layout.common_dir).home / "agents"
    return Spot(ground.layout.work_tree, file, backups)


def _user_spot(ground: Ground, agent: Agent, file: ManagedFile) -> Spot:
    named = ground.environ.get(agent.user_variable) if agent.user_variable else None
    if named:
        return Spot(Path(named).expanduser(), file, None)
    home = ground.environ.get("HOME") or ground.environ.get("USERPROFILE")
    if not home:
        raise UsageError("there is no home folder: HOME is not set")
    below = _Below(agent.user_folder, file) if agent.user_folder else file
    return Spot(Path(home), below, None)


class _Below:
    """A managed file in a folder below the place that it is for: links in between count."""

    def __init__(self, folder: str, file: ManagedFile) -> None:
        self.path = f"{folder}/{file.path}"
        self.install = file.install
        self.remove = file.remove
        self.check = file.check
        self.find_obstacle = file.find_obstacle


def _settings_spot(ground: Ground, agent: Agent, scope: Scope) -> Spot:
    if scope == "project":
        return _project_spot(ground, agent.project)
    return _user_spot(ground, agent, agent.user)


def _list_spots(ground: Ground, names: Sequence[str], scope: Scope) -> list[Spot]:
    spots = []
    for agent in (AGENTS[name] for name in names):
        spots.append(_settings_spot(ground, agent, scope))
        if scope == "project":
            spots.extend(_project_spot(ground, file) for file in agent.instructions)
    return spots


def _list_spots_to_clear(ground: Ground, names: Sequence[str], scope: Scope) -> list[Spot]:
    spots = _list_spots(ground, names, scope)
    if scope == "user":
        return spots
    others = [AGENTS[name] for name in NAMES if name not in names]
    if any(_is_there(_settings_spot(ground, agent, "project")) for agent in others):
        return [spot for spot in spots if spot.file is not AGENTS_FILE]
    return spots


def _is_there(spot: Spot) -> bool:
    return check_spot(spot)[0] not in (None, "missing")


def _check(ground: Ground, agent: Agent, scope: Scope) -> ScopeStatus:
    spot = _settings_spot(ground, agent, scope)
    state, obstacle = check_spot(spot)
    if state is None:
        return ScopeStatus(
            agent=agent.name, scope=scope, file=_shown(spot), state="unreadable", reason=obstacle
        )
    if state == "missing":
        return ScopeStatus(agent=agent.name, scope=scope, file=_shown(spot), state=state)
    others = list(_iter_others(ground, agent, scope))
    obstacles = [obstacle, *(check_spot(other)[1] for other in others)]
    shadows = [one for one in obstacles if one]
    seconds = [_shown(other) for other in others if _is_there(other)]
    if any(_has_plugin(agent, one) for one in (spot, *others)):
        seconds.append("its plugin")
    reasons = shadows[:1]
    if seconds:
        reasons.append(f"it would run twice: also in {', '.join(seconds)}")
    return ScopeStatus(
        agent=agent.name,
        scope=scope,
        file=_shown(spot),
        state=state,
        shadowed=bool(shadows),
        doubled=bool(seconds),
        reason="; ".join(reasons),
    )


def _iter_others(ground: Ground, agent: Agent, scope: Scope) -> Iterator[Spot]:
    """The other files that this agent would read here."""
    if _work_tree(ground) is not None:
        if scope == "user":
            yield _project_spot(ground, agent.project)
        yield from (_project_spot(ground, file) for file in agent.also)
    if scope == "project" and (ground.environ.get("HOME") or ground.environ.get("USERPROFILE")):
        yield _user_spot(ground, agent, agent.user)
    yield from (_user_spot(ground, agent, file) for file in agent.also_user)


def _has_plugin(agent: Agent, spot: Spot) -> bool:
    try:
        return agent.has_plugin(read_file(spot.resolve()) or b"{}")
    except Refused:
        return False


def _shown(spot: Spot) -> str:
    if spot.backups is not None:
        return spot.file.path
    return str(spot.root / spot.file.path)
