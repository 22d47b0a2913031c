"""Diagnose the installation and one clone: each check has an id, a state, and a fix."""

from __future__ import annotations

import platform
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from gitmem import __file__ as package_file
from gitmem import __version__
from gitmem.app.adapters import load
from gitmem.app.agent_setting_up import NAMES, SCOPES, Ground, check_agents, is_on_path
from gitmem.app.embedding import is_hosted
from gitmem.app.opening import Opened, open_repository
from gitmem.core.wording import format_count
from gitmem.errors import (
    CheckFailed,
    Damaged,
    GitmemError,
    ModelDamaged,
    NoMemory,
    PartMissing,
)
from gitmem.services.catch_up import catch_up
from gitmem.services.embedding import FEW
from gitmem.services.initialise import find_ignore_rule
from gitmem.services.reindex import KINDS
from gitmem.services.status import get_status
from gitmem.services.verify import verify
from gitmem.store.hook_log import log_file, read_log

VERIFY_RECORDS = 50_000
MAX_LOG_LINES = 20
MOST_DOCUMENTS = 100_000
MINIMUM_GIT = (2, 30)
# The WAL-reset race: a transaction can be lost when two connections write and checkpoint at
# once. Fixed in 3.51.3, and in these two releases of older lines.
_WAL_FIXED = frozenset({(3, 44, 6), (3, 50, 7)})
_WAL_FIRST, _WAL_LAST = (3, 7, 0), (3, 51, 2)


class Check(msgspec.Struct, frozen=True):
    """One finding. `exit_code` is what the command ends with if this is the worst."""

    id: str
    state: Literal["ok", "warning", "problem"]
    message: str
    fix: str = ""
    exit_code: int = 0


def examine(cwd: Path, environ: Mapping[str, str]) -> list[Check]:
    """Every check that can be made here; a check that itself fails becomes a finding."""
    checks = [_versions(), _sqlite(sqlite3.sqlite_version_info), _package(), _git(environ)]
    try:
        opened = open_repository(cwd, environ)
    except GitmemError as error:
        return [*checks, _failed("repository", error)]
    try:
        for name, check in _CLONE_CHECKS.items():
            try:
                checks.extend(check(opened))
            except GitmemError as error:
                checks.append(_failed(name, error))
    finally:
        opened.close()
    return checks


def exit_code_of(checks: list[Check]) -> int:
    """0 where nothing needs mending; else the gravest finding's code."""
    return max((check.exit_code for check in checks if check.state == "problem"), default=0)


def is_in_wal_reset_range(version: tuple[int, ...]) -> bool:
    """Whether this SQLite has the WAL-reset race."""
    return _WAL_FIRST <= version <= _WAL_LAST and version not in _WAL_FIXED


def _failed(name: str, error: GitmemError) -> Check:
    """A check that could not be made: for want of an optional part a warning, no more."""
    if isinstance(error, PartMissing):
        return Check(name, "warning", f"not checked: {error.message}", error.hint)
    return Check(name, "problem", error.message, error.hint, error.exit_code)


def _versions() -> Check:
    system = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    return Check("version", "ok", f"gitmem {__version__}, {system}")


def _sqlite(version: tuple[int, ...]) -> Check:
    text = ".".join(str(part) for part in version[:3])
    if is_in_wal_reset_range(version):
        return Check(
            "sqlite",
            "warning",
            f"SQLite {text} can lose a cache transaction when two processes write at once; the "
            "cache is derived and heals, records are not touched",
            "Use a Python linked with SQLite 3.51.3 or newer (or 3.50.7, 3.44.6)",
        )
    return Check("sqlite", "ok", f"SQLite {text}")


def _package() -> Check:
    """Another distribution installs a package of the same import name over ours."""
    folder = Path(package_file).parent
    foreign = [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_dir() and path.name not in _OUR_ROOMS and (path / "__init__.py").is_file()
    ]
    if foreign:
        return Check(
            "package",
            "problem",
            f"another package named gitmem was installed over this one ({', '.join(foreign)})",
            "Install afresh: pip uninstall gitmem gitmem-sync; pip install gitmem-sync",
            CheckFailed.exit_code,
        )
    return Check("package", "ok", f"installed in {folder}")


_OUR_ROOMS = frozenset(
    {"agents", "app", "cache", "cli", "core", "forges", "git", "llm", "mcp", "ports"}
    | {"retrieval", "schemas", "services", "sources", "store", "vaults", "web", "wiki"}
)


def _git(environ: Mapping[str, str]) -> Check:
    try:
        version = load("git-version")(environ)
    except GitmemError:
        return Check(
            "git",
            "warning",
            "there is no git executable; push and pull go through dulwich, and commit messages "
            "are not read",
            "Install git",
        )
    text = ".".join(str(part) for part in version)
    if version[:2] < MINIMUM_GIT:
        return Check("git", "warning", f"git {text} is old", "Use git 2.30 or newer")
    return Check("git", "ok", f"git {text}")


def _memory(opened: Opened) -> Iterator[Check]:
    if opened.project is None:
        raise NoMemory("this repository has no memory yet")
    kind = "detached" if opened.settings.is_detached else "tracked"
    yield Check("memory", "ok", f"{kind}, project {opened.project.project_id}")
    for key in opened.settings.unknown:
        yield Check("configuration", "warning", f"an unknown setting is ignored: {key}")


def _writability(opened: Opened) -> Iterator[Check]:
    home = opened.workspace.clone.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home, prefix=".doctor-"):
            pass
    except OSError as error:
        yield Check(
            "writability",
            "problem",
            f"{home} cannot be written: {error.strerror}",
            "Make it writable; until then nothing can be captured here",
            10,
        )
        return
    yield Check("writability", "ok", f"{home} can be written")


def _cache(opened: Opened) -> Iterator[Check]:
    reason = opened.cache.was_rebuilt
    message = f"rebuilt just now ({reason})" if reason else "in use"
    yield Check("cache", "ok", f"{opened.workspace.clone.cache}: {message}")


def _ignored(opened: Opened) -> Iterator[Check]:
    if opened.settings.is_detached or opened.project is None:
        return
    rule = find_ignore_rule(opened.workspace.tree)
    if rule is not None:
        yield Check(
            "ignored-folder",
            "problem",
            f"git ignores the records folder, by {rule}: records cannot be committed",
            "Take that line out, or add `!.gitmem/` after it",
            CheckFailed.exit_code,
        )
    else:
        yield Check("ignored-folder", "ok", "git does not ignore the records folder")


def _refspecs(opened: Opened) -> Iterator[Check]:
    """Configuration by which an ordinary fetch or push would delete gitmem's refs."""
    settings = opened.workspace.sources.settings
    for remote in settings.list_remotes():
        if settings.find_config(f"remote.{remote}.mirror") == "true":
            yield Check(
                "refspecs",
                "warning",
                f"remote {remote} is a mirror: `git push` deletes there what is not here, other "
                "writers' refs too",
                f"git config --unset remote.{remote}.mirror",
            )
        fetch = settings.find_config(f"remote.{remote}.fetch") or ""
        if fetch.lstrip("+") == "refs/*:refs/*":
            yield Check(
                "refspecs",
                "warning",
                f"remote {remote} fetches refs/*:refs/*: `git fetch --prune` deletes this "
                "clone's own ref; `gitmem push` rebuilds it from the spool",
                f"git config remote.{remote}.fetch '+refs/heads/*:refs/remotes/{remote}/*'",
            )


def _records(opened: Opened) -> Iterator[Check]:
    if opened.project is None:
        return
    status = get_status(opened.workspace, "")
    yield Check(
        "records",
        "ok",
        f"{format_count(status.records, 'record')}, {status.pending} pending, "
        f"{status.unpushed} unpushed",
    )
    if status.records <= VERIFY_RECORDS:
        problems = verify(opened.workspace).problems
        count = len(problems)
    else:
        count = status.quarantined
    if count:
        yield Check(
            "integrity",
            "problem",
            f"{format_count(count, 'problem')} with damaged or foreign records, kept apart",
            "See them: gitmem verify",
            Damaged.exit_code,
        )
    else:
        yield Check("integrity", "ok", "every byte that was read agrees with its hash")


def _search(opened: Opened) -> Iterator[Check]:
    """Whether questions are answered by meaning, too: the optional part, its model, vectors."""
    vectors, documents = opened.workspace.vectors, opened.workspace.documents
    try:
        vectors.check()
        if not is_hosted(opened.settings):
            vectors.is_like_ours((), ())  # which loads the model
    except (PartMissing, ModelDamaged) as error:
        said = f"questions are answered by words alone: {error.message}"
        yield Check("search", "warning", said, error.hint)
        return
    catch_up(opened.workspace)
    keys = [key for kind in KINDS for key in islice(documents.iter_keys(kind), MOST_DOCUMENTS)]
    missing = len(vectors.list_missing(keys))
    total = format_count(vectors.count(), "vector")
    if missing > FEW:
        said = f"{total}, and {format_count(missing, 'document')} without one"
        yield Check("search", "warning", said, "Embed them: gitmem reindex")
    else:
        yield Check("search", "ok", f"{total} ({vectors.stamp.format()})")


def _agents(opened: Opened) -> Iterator[Check]:
    """Coding agents that are set up here, in this project or for all."""
    ground = Ground(opened.layout, opened.environ)
    there = [row for row in check_agents(ground, NAMES, SCOPES) if row.state != "missing"]
    for row in there:
        if not row.is_sound:
            because = f": {row.reason}" if row.reason else ""
            yield Check(
                "agents",
                "warning",
                f"{row.agent}, {row.file}: {row.state}{because}",
                f"gitmem agent status --agent {row.agent}",
            )
    if there and not is_on_path(ground):
        yield Check(
            "agents",
            "warning",
            "the command gitmem is not on the PATH, so agents go on without it",
            "Install it where the PATH leads: pipx install gitmem-sync",
        )
    elif all(row.is_sound for row in there):
        names = ", ".join(f"{row.agent} ({row.scope})" for row in there) or "none is set up"
        yield Check("agents", "ok", f"coding agents: {names}")


def _hook_log(opened: Opened) -> Iterator[Check]:
    """What went wrong in agents' hooks, which tell nobody at the time."""
    lines = read_log(opened.workspace.clone, most=MAX_LOG_LINES)
    if lines:
        yield Check(
            "agent-hooks",
            "warning",
            f"hooks of agents went wrong; the last of it: {lines[-1]}",
            f"All of it: {log_file(opened.workspace.clone)} (delete it when it is settled)",
        )


def _peers(opened: Opened) -> Iterator[Check]:
    if not opened.has_peers():
        return
    checks: Iterator[Check] = load("check-peers")(opened, Check)
    yield from checks


_CLONE_CHECKS: dict[str, Callable[[Opened], Iterator[Check]]] = {
    "writability": _writability,
    "cache": _cache,
    "memory": _memory,
    "ignored-folder": _ignored,
    "refspecs": _refspecs,
    "search": _search,
    "agents": _agents,
    "records": _records,
    "agent-hooks": _hook_log,
    "peers": _peers,
}
