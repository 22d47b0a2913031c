"""Wiring of coding agents' hooks: one event in, at most one text out, nothing else touched.

The light events only read git's files and append to the session's log; the others open the
memory as `why` does. Each event's part is loaded when it is asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gitmem.agents.reading import decode_payload
from gitmem.app.adapters import load
from gitmem.app.clock import SystemClock
from gitmem.core.agent_events import AGENTS, Event, Moment
from gitmem.core.timestamps import format_at
from gitmem.errors import GitmemError
from gitmem.git.files import Layout, discover, is_owned_by_us, read_head
from gitmem.ports.clock import Clock
from gitmem.store.hook_log import append_log
from gitmem.store.paths import FOLDER, ClonePaths, clone_paths
from gitmem.store.sessions import SessionLog

MAX_MODEL_CHARS = 80

_LIGHT = "gitmem.app.agent_notes"
_HEAVY = "gitmem.app.agent_answers"
_TURNS = "gitmem.app.agent_turns"
_PARTS: dict[Moment, tuple[str, str]] = {
    "session-start": (_HEAVY, "answer_session_start"),
    "subagent-start": (_HEAVY, "answer_session_start"),
    "user-prompt-submit": (_LIGHT, "note_prompt"),
    "pre-tool-use": (_LIGHT, "look_before_edit"),
    "post-tool-use": (_LIGHT, "note_edit"),
    "agent-response": (_LIGHT, "note_message"),
    "stop": (_TURNS, "end_main_turn"),
    "subagent-stop": (_TURNS, "end_sub_turn"),
    "pre-compact": (_TURNS, "keep_quiet_turns"),
    "session-end": (_TURNS, "end_session"),
}


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event happened, and what its part is given. `cwd` is where the agent is, inside
    the work tree or not; `hooks` is the agent's module. `rescues` are called where time is up:
    whoever begins what may take long leaves one there."""

    event: Event
    hooks: Any
    layout: Layout
    clone: ClonePaths
    cwd: Path
    environ: Mapping[str, str]
    clock: Clock
    rescues: list[Callable[[], object]]

    @property
    def log(self) -> SessionLog:
        return SessionLog(self.clone, self.event.agent, self.event.session, self.clock.now_ms())

    @property
    def head(self) -> str:
        """HEAD's commit; "" before the first, and where git's files do not tell."""
        head = read_head(self.layout)
        return (head.oid if head is not None else None) or ""

    @property
    def model(self) -> str | None:
        return " ".join(self.event.model.split())[:MAX_MODEL_CHARS] or None


class Hooking:
    """One event. `complain` and `give_up` may be called at any time, from any thread, and raise
    nothing."""

    def __init__(self, moment: Moment, agent: str, cwd: Path, environ: Mapping[str, str]) -> None:
        self._moment = moment
        self._agent = agent
        self._cwd = cwd
        self._environ = environ
        self._clone: ClonePaths | None = None
        self._rescues: list[Callable[[], object]] = []

    def answer(self, raw: bytes) -> bytes:
        """What goes to stdout for one payload. Raises whatever goes wrong."""
        payload = decode_payload(raw)
        if not isinstance(payload, dict) or self._agent not in AGENTS:
            return b""
        hooks = importlib.import_module(f"gitmem.agents.{self._agent}")
        event: Event = hooks.decode_event(self._moment, payload, self._environ)
        scene = self._find_scene(event, hooks)
        if scene is None:
            return b""
        module, function = _PARTS[self._moment]
        part: Callable[[Scene], str] = getattr(importlib.import_module(module), function)
        answer: bytes = hooks.encode_answer(event, part(scene))
        return answer

    def complain(self, text: str) -> None:
        """Add a line to the log of the repository that the event is about."""
        clone = self._clone
        if clone is None:
            layout = _discover(str(self._cwd), self._environ)
            if layout is None or not is_owned_by_us(layout, self._environ):
                return
            clone = clone_paths(layout.common_dir)
        at = format_at(SystemClock(None).now_ms())
        append_log(clone, at, f"{self._agent} {self._moment}: {text}")

    def give_up(self, text: str) -> None:
        """Time is up: log it, and let others finish what could not be finished."""
        self.complain(text)
        for rescue in list(self._rescues):
            with contextlib.suppress(Exception):
                rescue()

    def _find_scene(self, event: Event, hooks: Any) -> Scene | None:
        """The first repository with a memory among: where the agent is, where it was started,
        where we are. A file that is edited in another work tree of that repository moves the
        scene there. What somebody else owns is left alone unless git trusts it."""
        for folder in dict.fromkeys((event.cwd, event.home, str(self._cwd))):
            layout = _discover(folder, self._environ) if folder else None
            if layout is None or not _has_memory(layout) or not self._is_trusted(layout):
                continue
            layout = _follow_edit(event, layout, folder, self._environ)
            self._clone = clone_paths(layout.common_dir)
            return Scene(
                event=event,
                hooks=hooks,
                layout=layout,
                clone=self._clone,
                cwd=Path(folder),
                environ=self._environ,
                clock=SystemClock(self._environ.get("GITMEM_NOW") or None),
                rescues=self._rescues,
            )
        return None

    def _is_trusted(self, layout: Layout) -> bool:
        if is_owned_by_us(layout, self._environ):
            return True
        try:
            load("git")(layout.git_dir, layout.work_tree, self._environ).check_trusted()
        except GitmemError:
            return False
        return True


def _discover(folder: str, environ: Mapping[str, str]) -> Layout | None:
    try:
        return discover(folder, environ) if os.path.isdir(folder) else None  # noqa: PTH112
    except (OSError, ValueError):
        return None


def _has_memory(layout: Layout) -> bool:
    """Whether anything of ours is here, by a look at two folders; a bare repository has no
    work tree that an agent could work in."""
    if layout.work_tree is None:
        return False
    return (layout.work_tree / FOLDER).is_dir() or clone_paths(layout.common_dir).home.is_dir()


def _follow_edit(event: Event, layout: Layout, cwd: str, environ: Mapping[str, str]) -> Layout:
    for path in event.paths[:1]:
        folder = os.path.dirname(os.path.join(cwd, path))  # noqa: PTH118, PTH120
        there = _discover(folder, environ)
        if there is not None and there.common_dir == layout.common_dir and _has_memory(there):
            return there
    return layout
