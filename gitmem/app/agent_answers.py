"""The events of an agent's session that are answered from the memory."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gitmem.app.adapters import load
from gitmem.app.agent_hooking import Scene
from gitmem.app.opening import Opened, open_repository
from gitmem.core.paths import decode_path
from gitmem.core.ranking import format_key
from gitmem.core.sealing import seal
from gitmem.core.timestamps import format_at
from gitmem.errors import GitmemError
from gitmem.services.brief import build_brief
from gitmem.services.catch_up import catch_up
from gitmem.services.guardrail import MAX_SHOWN, find_guards
from gitmem.services.hits import Hit
from gitmem.services.injection import build_item
from gitmem.store.sessions import Entry, prune_sessions

BRIEF_CHARS = 6_000
GUARD_CHARS = 4_000


def answer_session_start(scene: Scene) -> str:
    """The brief; the logs of sessions that are long over go."""
    if scene.event.moment not in scene.hooks.INJECTS:
        return ""
    prune_sessions(scene.clone)
    with open_scene(scene) as opened:
        if opened is None:
            return ""
        brief = build_brief(opened.workspace, opened.project.name if opened.project else "")
        return seal(
            brief.items,
            asked_at=format_at(scene.clock.now_ms()),
            subject=brief.subject,
            budget_chars=BRIEF_CHARS,
            left_out=brief.more,
        )


def answer_prompt(scene: Scene) -> str:
    """The excerpts that have something to do with the request, each once a session."""
    with open_scene(scene) as opened:
        if opened is None or not opened.settings.recall.is_enabled:
            return ""
        part = importlib.import_module("gitmem.app.agent_recall")
        said: str = part.recall_into(scene, opened)
        return said


def guard(scene: Scene, names: Mapping[str, str]) -> str:
    """The decisions about the first of these files that has any; `names` is how the session's
    log names each file as shown."""
    with open_scene(scene) as opened:
        if opened is None or not opened.settings.guardrail_is_enabled:
            return ""
        excluded = frozenset(opened.settings.guardrail_excluded_types)
        for path, shown_as in names.items():
            name = decode_path(path.encode("utf-8", "surrogateescape"))[0]
            hits, more = find_guards(opened.workspace, name, excluded_types=excluded)
            hits += _list_of_peers(opened, name, MAX_SHOWN - len(hits), excluded)
            nonce = scene.clock.random_hex(16)
            if hits and scene.log.claim("shown", [shown_as], nonce):
                _spare_recall(scene, hits)
                return seal(
                    map(build_item, hits),
                    asked_at=format_at(scene.clock.now_ms()),
                    subject=f"the file {name}",
                    budget_chars=GUARD_CHARS,
                    left_out=more,
                )
    return ""


def _list_of_peers(
    opened: Opened, name: str, room: int, excluded_types: Collection[str]
) -> list[Hit]:
    """What peers say that were added with `--inject`, where there is room for it."""
    if room <= 0 or not opened.has_peers():
        return []
    try:
        found: list[Hit] = load("list-injected")(opened, name, most=room)
    except GitmemError:
        return []  # their failure is no reason to say nothing of one's own
    return [hit for hit in found if hit.type not in excluded_types]


def _spare_recall(scene: Scene, hits: Sequence[Hit]) -> None:
    """What was told of a file need not be told again when it is asked about."""
    keys = (format_key("record", hit.id) for hit in hits if hit.id is not None)
    scene.log.append(*(Entry(kind="shown", name=name_excerpt(scene, key)) for key in keys))


def name_excerpt(scene: Scene, key: str) -> str:
    """How a session's log names an excerpt that an agent, or a sub-agent, was shown."""
    return f"excerpt {scene.event.sub} {key}"


@contextmanager
def open_scene(scene: Scene) -> Iterator[Opened | None]:
    """The repository, open, with its cache in step; None where it has no memory."""
    root = scene.layout.work_tree
    assert root is not None
    opened = open_repository(root, scene.environ)
    try:
        if opened.workspace.memory is None:
            yield None
        else:
            # A memory that is new here takes longer to read than a hook may.
            scene.rescues.append(opened.workspace.grow_in_background)
            catch_up(opened.workspace, with_history=False)
            yield opened
    finally:
        opened.close()
