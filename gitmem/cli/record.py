"""capture, note, edit, supersede: from words, a file or the editor to a kept decision."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from gitmem.app.opening import Opened
from gitmem.cli.boundary import Session
from gitmem.cli.draft_text import parse_rejected, parse_text
from gitmem.cli.render_hits import short
from gitmem.cli.repository import open_for
from gitmem.cli.terminal import clean_line
from gitmem.core.records import Decision, PathRef
from gitmem.errors import UsageError
from gitmem.services.capture import Captured, Draft, amend, capture, flush
from gitmem.services.catch_up import catch_up
from gitmem.services.explained import list_explained
from gitmem.services.paths import parse_path_refs, resolve_ids
from gitmem.services.revise import draft_of, edit, get_editable, list_paths_of, supersede

MAX_TEXT_BYTES = 1024 * 1024

# Asks a person for a draft, in an editor; without one, the words must say all of it.
Ask = Callable[[Session, Opened, Draft], Draft]


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed to capture or change a decision."""

    summary: str | None = None
    file: str | None = None
    why: str | None = None
    type: str | None = None
    rejected: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    explains: str | None = None
    is_amend: bool = False
    is_flush: bool = False
    is_local: bool = False


def run_capture(session: Session, words: Words, ask: Ask | None = None) -> int:
    opened = open_for(session)
    try:
        workspace = opened.workspace
        workspace.get_memory()
        if words.is_amend:
            done = amend(workspace, lambda old: _amended(session, opened, words, old, ask))
            return _finish(session, opened, done, words)
        if words.is_flush and words.summary is None and words.file is None:
            return _flush_only(session, opened)
        catch_up(workspace, with_history=False)
        draft = _draft(session, opened, words, Draft(summary=""), ask)
        commits: tuple[str, ...] = ()
        touched: tuple[PathRef, ...] = ()
        if words.explains is not None:
            commits, touched = list_explained(workspace, words.explains)
        refs = touched if touched and not words.paths else parse_path_refs(workspace, words.paths)
        supersedes = resolve_ids(workspace, words.supersedes)
        if supersedes and not words.paths:
            refs = tuple(dict.fromkeys((*list_paths_of(workspace, supersedes), *refs)))
        draft = msgspec.structs.replace(
            draft,
            paths=refs,
            commits=commits,
            supersedes=supersedes,
            is_private=words.is_local,
        )
        return _finish(session, opened, capture(workspace, draft), words)
    finally:
        opened.close()


def run_edit(session: Session, prefix: str, words: Words, ask: Ask | None = None) -> int:
    opened = open_for(session)
    try:
        hit, key = get_editable(opened.workspace, prefix)
        draft = _draft(session, opened, words, draft_of(hit), ask)
        if words.paths:
            refs = parse_path_refs(opened.workspace, words.paths)
            draft = msgspec.structs.replace(draft, paths=refs)
        done = edit(opened.workspace, hit, key, draft)
        if done.id == hit.id:
            session.note("Nothing changed.")
        return _finish(session, opened, done, words, kind="edit")
    finally:
        opened.close()


def run_supersede(session: Session, prefix: str, words: Words, ask: Ask | None = None) -> int:
    opened = open_for(session)
    try:
        workspace = opened.workspace
        get_editable(workspace, prefix)
        draft = _draft(session, opened, words, Draft(summary=""), ask)
        if words.paths:
            refs = parse_path_refs(workspace, words.paths)
            draft = msgspec.structs.replace(draft, paths=refs)
        draft = msgspec.structs.replace(draft, is_private=words.is_local)
        done = supersede(workspace, prefix, draft)
        return _finish(session, opened, done, words, kind="supersede")
    finally:
        opened.close()


def _draft(session: Session, opened: Opened, words: Words, start: Draft, ask: Ask | None) -> Draft:
    """The draft: from -m, else -F, else the editor; options override what a text says."""
    if words.summary is not None:
        draft = msgspec.structs.replace(start, summary=words.summary)
    elif words.file is not None:
        said = parse_text(_read_text(session.cwd, words.file))
        draft = msgspec.structs.replace(
            start, summary=said.summary, why=said.why, rejected=said.rejected
        )
    elif _has_details(words) and start.summary:
        draft = start
    elif ask is None:
        raise UsageError("a decision needs a summary", hint='gitmem capture -m "…"')
    else:
        draft = ask(session, opened, start)
    if words.why is not None:
        draft = msgspec.structs.replace(draft, why=words.why)
    if words.type is not None:
        draft = msgspec.structs.replace(draft, type=words.type)
    if words.rejected:
        rejected = tuple(parse_rejected(text) for text in words.rejected)
        draft = msgspec.structs.replace(draft, rejected=rejected)
    if words.tags:
        draft = msgspec.structs.replace(draft, tags=words.tags)
    return draft


def _has_details(words: Words) -> bool:
    said = (words.type, words.rejected, words.tags, words.paths, words.supersedes)
    return words.why is not None or words.explains is not None or words.is_local or any(said)


def _amended(
    session: Session, opened: Opened, words: Words, old: Decision, ask: Ask | None
) -> Draft:
    start = Draft(
        summary=old.summary,
        why=old.why,
        type=old.type,
        rejected=old.rejected,
        paths=old.paths,
        supersedes=old.supersedes,
        tags=old.tags,
        commits=old.commits,
    )
    draft = _draft(session, opened, words, start, ask)
    if words.paths:
        refs = parse_path_refs(opened.workspace, words.paths)
        draft = msgspec.structs.replace(draft, paths=refs)
    if words.supersedes:
        draft = msgspec.structs.replace(
            draft, supersedes=resolve_ids(opened.workspace, words.supersedes)
        )
    if words.explains is not None:
        commits, _ = list_explained(opened.workspace, words.explains)
        draft = msgspec.structs.replace(draft, commits=commits)
    return msgspec.structs.replace(draft, is_private=words.is_local)


def _read_text(cwd: Path, name: str) -> str:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
        else:
            with (cwd / name).open("rb") as file:
                data = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from error
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"{name} is longer than {MAX_TEXT_BYTES} bytes")
    return data.decode("utf-8", "replace")


def _finish(
    session: Session, opened: Opened, done: Captured, words: Words, *, kind: str = "capture"
) -> int:
    written: Sequence[str] = ()
    if words.is_flush and not done.private:
        written = flush(opened.reopen())
        opened.workspace.tree.stage(written)
    if session.is_json:
        data = msgspec.structs.asdict(done)
        data.pop("notices")
        session.data(kind, {**data, "flushed": list(written)}, done.notices)
        return 0
    about = ", ".join(clean_line(path) for path in done.paths[:3]) or "no file"
    more = f" and {len(done.paths) - 3} more" if len(done.paths) > 3 else ""
    where = "; private: it never leaves this clone" if done.private else ""
    session.text(f"{short(done.id)}  {clean_line(done.summary)}  (about {about}{more}{where})")
    for path in written:
        session.note(f"staged {path}")
    session.warn(done.notices)
    return 0


def _flush_only(session: Session, opened: Opened) -> int:
    written = flush(opened.workspace)
    opened.workspace.tree.stage(written)
    if session.is_json:
        session.data("capture", {"flushed": written})
    elif written:
        session.text("\n".join(f"staged {path}" for path in written))
    else:
        session.text("Nothing is pending here.")
    return 0
