"""The light events of an agent's session: noted in its log, without opening the memory."""

from __future__ import annotations

import importlib
import os
import re

from gitmem.app.agent_hooking import Scene
from gitmem.core.redaction import redact_text
from gitmem.errors import GitmemError
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
    if scene.hooks.GUARDS_AT != "post-tool-use" or not paths:
        return ""
    answers = importlib.import_module("gitmem.app.agent_answers")
    said: str = answers.guard(scene, paths)
    return said


def note_message(scene: Scene) -> str:
    """Remember the agent's last words, for a `stop` that does not bring them."""
    text = redact_text(scene.event.message)[0][:MAX_NOTED_CHARS]
    if text:
        scene.log.append(Entry(kind="message", sub=scene.event.sub, text=text))
    return ""


def note_prompt(scene: Scene) -> None:
    """Remember what was asked, and the state of things when it was."""
    text = redact_text(scene.event.prompt)[0][:MAX_NOTED_CHARS]
    scene.log.append(Entry(kind="prompt", sub=scene.event.sub, text=text, head=scene.head))


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
