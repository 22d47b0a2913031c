"""Vectors within an answer: what has none yet is embedded if it is little, and what cannot be
had is one notice, never an error."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from gitmem.core.ranking import Passage, Ranked
from gitmem.errors import (
    CannotWrite,
    Contended,
    GitmemError,
    ModelDamaged,
    PartMissing,
    RemoteError,
)
from gitmem.services.workspace import Notice, Workspace

FEW = 8
"""As many documents are embedded within an answer: each takes some milliseconds."""
LOOKED_AT = 256
"""Only the newest documents of each kind are looked at for vectors they lack."""
MAX_TEXT_CHARS = 100_000
PURGED = "vectors-purged"
"""The memo that says of how many redacted records the vectors are gone."""
BEHIND = Notice(
    "vectors-behind",
    "many documents have no vector yet, so only words find them (embed them: gitmem reindex)",
)


def cut_passage(passage: Passage) -> Passage:
    """What a model can look at of a text: more than any reads, and no megabytes."""
    return Passage(passage.key, passage.text[:MAX_TEXT_CHARS])


def try_rank_vectors(
    workspace: Workspace, question: str, kinds: Collection[str], limit: int
) -> tuple[list[Ranked], tuple[Notice, ...]]:
    """The documents nearest to a question, best first; none, and one notice that says why,
    where there is no model, a broken one, or no optional part. Tries nothing twice."""
    try:
        workspace.vectors.check()
        notices = _keep_up(workspace, kinds)
        return workspace.vectors.rank(question, kinds=kinds, limit=limit), notices
    except (PartMissing, ModelDamaged, RemoteError) as error:
        return [], (_notice("answered from words alone", error),)


def forget_withheld(workspace: Workspace) -> None:
    """Purge the vectors of all redacted records, if there are more of these than last time.
    Needs no optional part. Raises CannotWrite, Contended."""
    withheld = workspace.documents.list_withheld()
    count = str(len(withheld))
    if not withheld or workspace.facts.get_memo(PURGED) == count:
        return
    workspace.vectors.forget(withheld)
    workspace.facts.set_memo(PURGED, count)


def _keep_up(workspace: Workspace, kinds: Collection[str]) -> tuple[Notice, ...]:
    """Embed the newest documents that have no vector, if they are few; else say so."""
    missing: list[str] = []
    for kind in sorted(kinds):
        newest = islice(workspace.documents.iter_keys(kind), LOOKED_AT)
        missing += workspace.vectors.list_missing(newest)
        if len(missing) > FEW:
            return (BEHIND,)
    if missing:
        try:
            workspace.vectors.add(workspace.documents.get_passages(missing), lambda done: None)
        except (CannotWrite, Contended) as error:
            return (_notice("what came last has no vector yet", error),)
    return ()


def _notice(what: str, error: GitmemError) -> Notice:
    hint = f" ({error.hint})" if error.hint else ""
    return Notice(error.code, f"{what}: {error.message}{hint}")
