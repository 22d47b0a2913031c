"""init, completion and uninstall: from words to a memory, and back."""

from __future__ import annotations

from collections.abc import Sequence

from click.shell_completion import get_completion_class

from gitmem.app.cache_making import drop_cache
from gitmem.app.embedding import remove_vectors
from gitmem.app.opening import Opened
from gitmem.app.starting import plan_memory, remove_clone_data, start_memory
from gitmem.cli import main as group
from gitmem.cli.agents import list_agent_files, remove_agents, set_up_agents
from gitmem.cli.asking import ask
from gitmem.cli.boundary import Session
from gitmem.cli.hooks import offer_hooks, remove_hooks, report_refused
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.wording import format_count
from gitmem.errors import Refused
from gitmem.services.initialise import Plan
from gitmem.services.status import get_status


def run_init(
    session: Session,
    *,
    yes: bool,
    is_dry_run: bool,
    detached: bool,
    with_hooks: bool = True,
    agents: Sequence[str] = (),
) -> int:
    opened = open_for(session)
    try:
        plan = plan_memory(opened, detached=detached)
        agent_files = list_agent_files(opened, agents)
        hooks = offer_hooks(session, opened, detached=plan.detached) if with_hooks else None
        if not session.is_json:
            _announce(session, opened, plan, is_joined=hooks is None)
            if hooks is not None:
                session.text(_name_hooks(hooks.list_files()))
            if is_dry_run:
                for file in agent_files:
                    session.text(f"  will change {clean_line(file)}")
        if not is_dry_run and (plan.files or plan.detached or hooks is not None):
            if not yes and session.may_ask and not ask("Write them?", default=True):
                raise Refused("nothing was written")
            start_memory(opened, plan)
            if hooks is not None:
                report_refused(session, hooks.install())
        if agents and not is_dry_run:
            set_up_agents(session, opened, agents, yes=yes)
        if session.is_json:
            session.data(
                "init",
                {
                    "project_id": plan.project.project_id,
                    "name": plan.project.name,
                    "files": plan.files,
                    "detached": plan.detached,
                    "joins": plan.joins,
                    "ignored_by": plan.ignored_by,
                    "hooks": hooks.list_files() if hooks is not None else (),
                    "agent_files": agent_files,
                    "dry_run": is_dry_run,
                },
            )
        elif not is_dry_run:
            session.text(_next_step(plan))
    finally:
        opened.close()
    return 0


def _name_hooks(files: Sequence[str]) -> str:
    """The hooks that get lines, those of one folder together."""
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, _, name = clean_line(file).rpartition("/")
        folders.setdefault(folder, []).append(name)
    return "\n".join(
        f"  will add a few lines to {', '.join(names)}" + (f" in {folder}" if folder else "")
        for folder, names in folders.items()
    )


def _announce(session: Session, opened: Opened, plan: Plan, *, is_joined: bool) -> None:
    name = clean_line(plan.project.name or plan.project.project_id)
    if plan.joins is not None and not plan.files and is_joined:
        session.text(f"The memory of {name} is here already, in {clean_line(plan.joins)}.")
    elif plan.joins is not None:
        session.text(f"Joining the memory of {name}, found in {clean_line(plan.joins)}.")
    elif plan.detached:
        session.text(
            f"A detached memory of {name}: it lives in {opened.workspace.clone.home}, "
            "and nothing of it is tracked or pushed to the code's remotes."
        )
    else:
        session.text(f"A memory of {name}.")
    for path in plan.files:
        session.text(f"  will write {path}")
    if plan.ignored_by is not None:
        session.note(
            f"gitmem: git ignores the records folder here, by {plan.ignored_by}\n"
            "  Until that line is changed, records cannot be committed; they are kept in this "
            "clone and can be pushed."
        )


def _next_step(plan: Plan) -> str:
    if plan.files:
        return 'Next: git add .gitmem && git commit -m "Start a memory"'
    return 'Next: gitmem capture -m "what was decided" FILE'


def run_completion(session: Session, shell: str) -> int:
    kind = get_completion_class(shell)
    if kind is None:
        raise Refused(f"no completion is known for {shell}")
    script = kind(group.cli, {}, group.PROGRAM, "_GITMEM_COMPLETE").source()
    if session.is_json:
        session.data("completion", {"script": script})
    else:
        session.text(script)
    return 0


def _were(count: int) -> str:
    return f"{format_count(count, 'record')} {'was' if count == 1 else 'were'}"


def run_uninstall(session: Session, *, yes: bool, keep_data: bool) -> int:
    opened = open_for(session)
    try:
        home = opened.workspace.clone.home
        lost = 0
        if opened.workspace.memory is not None and not keep_data:
            status = get_status(opened.workspace, "")
            lost = status.unpushed + status.private
            if lost:
                session.note(
                    f"{_were(status.unpushed)} never pushed, and {status.private} "
                    f"{'is' if status.private == 1 else 'are'} private to this clone; what is "
                    f"in {home} would be lost."
                )
        may_lose = yes or not lost
        if not may_lose and session.may_ask:
            may_lose = ask("Remove them all the same?", default=False)
        if not may_lose:
            raise Refused(
                "nothing was removed",
                hint="Push first: gitmem push. Or keep the records: gitmem uninstall --keep-data",
            )
        remove_hooks(session, opened)
        agent_files = remove_agents(session, opened)
    finally:
        opened.close()
    drop_cache(opened.layout.common_dir, opened.workspace.clone, opened.settings)
    remove_vectors(home, opened.settings)
    if not keep_data:
        remove_clone_data(home)
    done = {"removed": str(home), "kept_data": keep_data, "agent_files": agent_files}
    if session.is_json:
        session.data("uninstall", done)
    else:
        for file in agent_files:
            session.text(f"Took gitmem out of {clean_line(file)}.")
        session.text(
            f"Removed the hooks and {'what is derived in ' if keep_data else ''}{home}. "
            "The tracked folder .gitmem/ is the project's, and stays."
        )
    return 0
