"""Documents as hits: from the keys that rankers give to what answers show."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.core.notes import Chunk, Note
from gitmem.core.ranking import format_key, identity_of, kind_of
from gitmem.core.records import PathRef
from gitmem.services.hits import Hit, commit_hit, find_hits
from gitmem.services.workspace import Workspace

SHORT = 12


def load_hits(
    workspace: Workspace,
    keys: Iterable[str],
    *,
    as_of: int | None = None,
    with_reason: bool = False,
) -> dict[str, Hit]:
    """Key → hit; what is not here any more is left out, and commits without a reason if that
    is asked. `as_of` (milliseconds): only what was there then, with the standing it had."""
    names: dict[str, list[str]] = {}
    for key in keys:
        names.setdefault(kind_of(key), []).append(identity_of(key))
    hits: dict[str, Hit] = {}
    for hit in find_hits(workspace, names.get("record", ()), as_of=as_of):
        hits[format_key("record", hit.id or "")] = hit
    for oid in names.get("commit", ()):
        for commit in workspace.commits.find_commits(oid, limit=1):
            is_there = as_of is None or commit.at * 1000 <= as_of
            if is_there and (commit.has_reason or not with_reason):
                hits[format_key("commit", oid)] = commit_hit(commit)
    if as_of is None and "note" in names:
        for note, chunk in workspace.notes.get_chunks(names["note"]):
            hits[format_key("note", chunk.id)] = note_hit(note, chunk)
    return hits


def join_path(note: Note) -> str:
    """A page's path as a user types it: its vault's name goes before it."""
    return note.path if note.vault in ("", ".") else f"{note.vault.rstrip('/')}/{note.path}"


def note_hit(note: Note, chunk: Chunk) -> Hit:
    """A chunk of a note: its heading, else its title, as the summary, its text as the why."""
    path = join_path(note)
    return Hit(
        kind="note",
        id=chunk.id,
        summary=chunk.heading or note.title or path,
        why=chunk.text,
        paths=(PathRef(path),),
        heading=chunk.heading or None,
        line=chunk.line,
    )


def format_text(hit: Hit) -> str:
    """All that a hit says, as an excerpt shows it."""
    lines = [] if hit.kind == "note" else [hit.summary]
    if hit.why:
        lines.append(hit.why.strip())
    for rejected in hit.rejected:
        reason = f" ({rejected.reason})" if rejected.reason else ""
        lines.append(f"rejected: {rejected.option}{reason}")
    return "\n".join(lines)


def name_whole(hit: Hit) -> str:
    """How to get all of it: a command, or a file and line."""
    if hit.kind == "note" and hit.paths:
        return f"{hit.paths[0].path}:{hit.line or 1}"
    name = hit.commit if hit.kind == "commit" else hit.id
    return f"gitmem show {(name or '')[:SHORT]}"
