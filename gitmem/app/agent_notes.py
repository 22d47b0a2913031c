"""An agent's session as its log has it: what is noted, and whether the memory must be asked."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gitmem.app.agent_hooking import Scene
from gitmem.config import read_settings
from gitmem.core.prompts import is_skipped
from gitmem.core.redaction import redact_text
from gitmem.errors import CannotWrite, GitmemError
from gitmem.services.targets import relative_path
from gitmem.services.workspace import Place
from gitmem.store.paths import FOLDER, spool_folder_name
from gitmem.store.sessions import Entry

MAX_NOTED_CHARS = 16 * 1024
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def note_edit(scene: Scene) -> str:
    """Remember the files that an edit tool changed; and, for an agent that can be told of
    decisions only now, tell."""
    paths = list_own_paths(scene)
    if paths:
        root = str(scene.layout.work_tree)
        sub = scene.event.sub
        scene.log.append(Entry(kind="touched", sub=sub, root=root, paths=tuple(paths)))
    return _guard(scene, paths)


def look_before_edit(scene: Scene) -> str:
    """The decisions about the files that are going to be edited."""
    return _guard(scene, list_own_paths(scene))


def _guard(scene: Scene, paths: Sequence[str]) -> str:
    """What is to be told of these files, each once a session and agent in it, by an agent that
    can be told now."""
    if scene.event.moment != scene.hooks.GUARDS_AT or not paths:
        return ""
    shown = scene.log.list_shown()
    names = {path: f"file {scene.event.sub} {path}" for path in paths}
    fresh = {path: name for path, name in names.items() if name not in shown}
    return _answer("guard", scene, fresh) if fresh else ""


def _answer(name: str, *given: Any) -> str:
    """Let the memory answer: opened only where there is something to ask."""
    said: str = getattr(importlib.import_module("gitmem.app.agent_answers"), name)(*given)
    return said


def note_message(scene: Scene) -> str:
    """Remember the agent's last words, for a `stop` that does not bring them."""
    text = redact_text(scene.event.message)[0][:MAX_NOTED_CHARS]
    if text:
        scene.log.append(Entry(kind="message", sub=scene.event.sub, text=text))
    return ""


def note_prompt(scene: Scene) -> str:
    """Remember what was asked, and the state of things when it was; then let the memory
    answer, unless it is a command to the agent, or a word or two."""
    prompt = scene.event.prompt
    text = redact_text(prompt)[0][:MAX_NOTED_CHARS]
    with suppress(CannotWrite):  # what is known can be told all the same
        scene.log.append(Entry(kind="prompt", sub=scene.event.sub, text=text, head=scene.head))
    if scene.event.moment not in scene.hooks.INJECTS or is_skipped(prompt):
        return ""
    return _answer("answer_prompt", scene) if _wants_excerpts(scene) else ""


def _wants_excerpts(scene: Scene) -> bool:
    """Whether recall is on, by a look at three small files: a memory that nobody asks is not
    opened."""
    root = scene.layout.work_tree
    project = root / FOLDER / "project.toml" if root is not None else None
    settings = read_settings(
        clone_file=scene.clone.config, project_file=project, environ=scene.environ
    )
    return settings.recall.is_enabled


def list_own_paths(scene: Scene) -> list[str]:
    """The event's files as this work tree names them; those outside it, in git's own folder
    or in the memory's are left out."""
    layout = scene.layout
    worktree = spool_folder_name(layout.worktree_name)
    place = Place(scene.cwd, layout.work_tree, worktree, None, layout.is_shallow)
    names = (_find_relative(place, path) for path in scene.event.paths)
    return list(dict.fromkeys(name for name in names if name and not _is_of_memory(name)))


def _find_relative(place: Place, path: str) -> str | None:
    if os.name != "nt" and _DRIVE.match(path):
        return None  # another system's path, which here would be a name in this folder
    try:
        return relative_path(place, path)
    except (GitmemError, OSError, ValueError):
        return None


def _is_of_memory(name: str) -> bool:
    return name == FOLDER or name.startswith(FOLDER + "/")
