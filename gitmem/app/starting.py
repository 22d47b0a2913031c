"""Wiring of `init` and `uninstall`."""

from __future__ import annotations

import shutil
from pathlib import Path

from gitmem.app.adapters import load
from gitmem.app.opening import Opened
from gitmem.errors import CannotWrite
from gitmem.services.initialise import Plan, carry_out, plan_init


def plan_memory(opened: Opened, *, detached: bool) -> Plan:
    """What `init` would do here."""
    workspace = opened.workspace
    if detached and opened.settings.is_detached and opened.project is not None:
        return Plan(
            project=opened.project, detached=True, files=(), joins="this clone's detached memory"
        )
    return plan_init(
        workspace.sources,
        workspace.tree,
        clock=workspace.clock,
        work_tree=opened.layout.work_tree,
        clone=workspace.clone,
        is_shallow=opened.layout.is_shallow,
        is_detached_already=opened.settings.is_detached,
        detached=detached,
    )


def start_memory(opened: Opened, plan: Plan) -> list[str]:
    """Carry the plan out; the paths written. A detached memory gets its own bare repository
    first, and the line that names it last."""
    clone = opened.workspace.clone
    if plan.detached and plan.joins is not None:
        return []
    if plan.detached:
        load("create-bare")(clone.memory_git, opened.layout.format.object_format, opened.environ)
    return carry_out(plan, work_tree=opened.layout.work_tree, clone=clone)


def remove_clone_data(home: Path) -> None:
    """Remove this clone's own data: cache, spool, private records, settings, detached memory."""
    try:
        shutil.rmtree(home)
    except FileNotFoundError:
        return
    except OSError as error:
        raise CannotWrite(f"{home} cannot be removed: {error.strerror}") from error
