"""The events at which an agent's work becomes decisions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from gitmem.agents.transcript import Said, read_last_exchange
from gitmem.app.agent_answers import open_scene
from gitmem.app.agent_hooking import Scene
from gitmem.app.opening import Opened
from gitmem.cache.holdings import find_holdings
from gitmem.git.files import discover
from gitmem.services.turns import (
    Turn,
    TurnRules,
    capture_quiet_turns,
    end_turn,
    find_open_turn,
)


def end_main_turn(scene: Scene) -> str:
    """Capture what the agent itself did; what shell commands changed is found here."""
    _end(scene, "", compares=True)
    return ""


def end_sub_turn(scene: Scene) -> str:
    """Capture what a sub-agent did. Without its id its work counts as its parent's."""
    if scene.event.sub:
        _end(scene, scene.event.sub, compares=False)
    return ""


def keep_quiet_turns(scene: Scene) -> str:
    """Capture the exchanges that changed no file, before the agent forgets them."""
    if not any(entry.kind == "quiet" for entry in scene.log.read()):
        return ""
    with open_scene(scene) as opened:
        if opened is not None:
            capture_quiet_turns(
                opened.workspace,
                scene.log,
                scene.event.agent,
                scene.model or "",
                _rules(opened, compares=False),
            )
    return ""


def end_session(scene: Scene) -> str:
    """Capture what was left when the session broke off: files that edit tools touched, and no
    more, since there is little time."""
    entries = scene.log.read()
    for sub in sorted({entry.sub for entry in entries if entry.kind == "touched"}):
        if find_open_turn(entries, sub).touched:
            _end(scene, sub, compares=False)
    return ""


def _end(scene: Scene, sub: str, *, compares: bool) -> None:
    scene = _move_to_work(scene, sub)
    event = scene.event
    said = Said()
    is_open = find_open_turn(scene.log.read(), sub)
    if not (event.prompt or is_open.request) or not (event.message or is_open.message):
        said = read_last_exchange(event.transcript, is_sidechain=bool(sub))
    with open_scene(scene) as opened:
        if opened is None:
            return
        turn = Turn(
            agent=event.agent,
            session=event.session,
            sub=sub,
            turn=event.turn,
            request=event.prompt or is_open.request or said.prompt,
            message=event.message or is_open.message or said.message,
            model=scene.model or "",
        )
        end_turn(opened.workspace, scene.log, turn, _rules(opened, compares=compares))


def _rules(opened: Opened, *, compares: bool) -> TurnRules:
    cache = opened.workspace.clone.cache
    return TurnRules(
        share=opened.settings.share_agents,
        has_key=lambda key: bool(find_holdings(cache, (), (key,)).by_key),
        compares=compares,
    )


def _move_to_work(scene: Scene, sub: str) -> Scene:
    """The scene in the work tree of this repository where most of the turn's files are."""
    roots = Counter(
        entry.root
        for entry in scene.log.read()
        if entry.kind == "touched" and entry.sub == sub and entry.root
    )
    for root, _ in roots.most_common(1):
        if root == str(scene.layout.work_tree) or not Path(root).is_dir():
            continue
        there = discover(root, scene.environ)
        if there is not None and there.common_dir == scene.layout.common_dir:
            return replace(scene, layout=there)
    return scene
