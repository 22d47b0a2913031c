"""What is linked to a decision, commit, note or file, both ways; without links, what is near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from gitmem.core.fusion import DEFAULTS, Fused, walk
from gitmem.core.paths import fold_path
from gitmem.core.ranking import Neighbour, format_key, kind_of
from gitmem.core.words import make_storable
from gitmem.errors import NotFound
from gitmem.services.asking import Question
from gitmem.services.documents import format_text
from gitmem.services.recall import Excerpt, RecallOptions, build_answer
from gitmem.services.retrieve import KINDS
from gitmem.services.targets import Target, resolve_target
from gitmem.services.workspace import Notice, Workspace

DEFAULT_LIMIT = 10
MAX_STARTS = 50
"""Of a file so many of the newest decisions are begun with."""
QUESTION_CHARS = 2000
"""Of what is asked about so much is looked for elsewhere."""
EXCERPT_TOKENS = 80


class Related(msgspec.Struct, frozen=True, kw_only=True):
    """`excerpts` are linked (their `explain.chain` says by which hops), or on the file that
    was asked about (no chain), or near, where `is_near`: nothing is linked."""

    target: str
    kind: Literal["record", "commit", "note", "path"]
    excerpts: tuple[Excerpt, ...] = ()
    is_near: bool = False
    notices: tuple[Notice, ...] = ()


def find_related(workspace: Workspace, text: str, *, limit: int = DEFAULT_LIMIT) -> Related:
    """Raises what `resolve_target` raises, and NotFound for what neither memory, notes nor
    the work tree know."""
    asked = Question(workspace, "", kinds=KINDS, depth="standard", with_everything=True)
    kind, starts = _find_starts(workspace, text)
    options = RecallOptions(
        limit=limit, max_tokens=limit * EXCERPT_TOKENS, with_explain=True, with_everything=True
    )
    order = _walk(workspace, asked, starts, limit)
    if kind == "path":
        own = asked.judge([key for key in starts if kind_of(key) == "record"])
        order = [*(Fused(key, 1.0) for key in own), *order]
    is_near = not order
    if is_near:
        asked.text = _make_question(asked, starts, text)
        order = [one for one in asked.retrieve(limit + len(starts)) if one.key not in starts]
    answer = build_answer(asked, order[:limit], options)
    return Related(
        target=make_storable(text),
        kind=kind,
        excerpts=answer.excerpts,
        is_near=is_near,
        notices=answer.notices,
    )


def _walk(workspace: Workspace, asked: Question, starts: Sequence[str], limit: int) -> list[Fused]:
    settings = msgspec.structs.replace(DEFAULTS, seeds=len(starts))

    def list_neighbours(keys: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        return workspace.links.list_neighbours(keys, most=settings.degree)

    found = walk([Fused(key, 1.0) for key in starts], list_neighbours, settings)
    visible = asked.judge([one.key for one in found[: 4 * limit]])
    return [one for one in found if one.key in visible]


def _find_starts(
    workspace: Workspace, text: str
) -> tuple[Literal["record", "commit", "note", "path"], list[str]]:
    target = resolve_target(workspace, text)
    if target.kind == "record":
        return "record", [format_key("record", target.id)]
    if target.kind == "commit":
        ids = workspace.records.list_by_commits([target.oid])
        return "commit", [
            format_key("commit", target.oid),
            *(format_key("record", one) for one in ids),
        ]
    chunks = _find_chunks(workspace, target, make_storable(text))
    if target.kind == "unknown" and chunks:
        return "note", chunks
    paths = [fold_path(target.name)]
    ids, _ = workspace.records.list_by_paths(paths, limit=MAX_STARTS)
    if target.kind == "unknown" and not ids:
        raise NotFound(
            f"no decision, commit, note or file is called {text}",
            hint="Find one by its words: gitmem search WORDS",
        )
    return "path", [*(format_key("record", one) for one in ids), *chunks]


def _find_chunks(workspace: Workspace, target: Target, text: str) -> list[str]:
    """The chunks of the page that is meant by its path in the repository or by its name."""
    path = target.name if target.kind != "unknown" else text
    for vault in workspace.vaults():
        folder = "" if vault.name == "." else f"{vault.name.rstrip('/')}/"
        if path.startswith(folder):
            chunks = workspace.notes.list_chunk_ids(vault.name, path.removeprefix(folder))
            if chunks:
                return [format_key("note", one) for one in chunks]
    notes = workspace.notes.find_notes(text)[:1] if target.kind == "unknown" else []
    return [
        format_key("note", chunk_id)
        for note in notes
        for chunk_id in workspace.notes.list_chunk_ids(note.vault, note.path)
    ]


def _make_question(asked: Question, starts: Sequence[str], text: str) -> str:
    """The words of what is asked about; of a file that nothing is known of, its name."""
    asked.judge(starts)
    texts = [format_text(asked.hits[key]) for key in starts if key in asked.hits]
    return "\n".join(texts)[:QUESTION_CHARS] or text
