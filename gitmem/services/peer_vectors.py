"""The vectors that we keep of one peer: what it shares first, and what we make of its texts."""

from __future__ import annotations

import msgspec

from gitmem.core.peer_verdicts import judge_vectors
from gitmem.core.peers import PeerState
from gitmem.errors import GitmemError, ModelDamaged, PartMissing, RemoteError
from gitmem.services.reindex import drop_gone, embed_missing
from gitmem.services.take_vectors import Taken, list_shared_stamps, take_vectors
from gitmem.services.workspace import Notice, Workspace

MAX_EMBEDDED = 200_000
"""Of one peer so many texts are embedded at once, the newest: more would be work for hours."""
_TAKEN = "vectors-taken"
"""The memo of how many vectors a peer gave under which stamp."""


class PeerVectors(msgspec.Struct, frozen=True):
    """What is known of a peer now, and what could not be used."""

    state: PeerState
    notices: tuple[Notice, ...] = ()


def bring_peer_vectors(
    workspace: Workspace, state: PeerState, *, embed: bool, is_hosted: bool
) -> PeerVectors:
    """Bring our vectors of a peer in step with its records, which were projected just now.

    What it shares under our stamp is taken over; `embed` makes the rest, of at most 200,000
    texts, resumably. A hosted model (`is_hosted`) is sent nothing unless that was asked for.
    Raises PartMissing, ModelDamaged and RemoteError for embedding only; CannotWrite, Contended.
    """
    stamps = list_shared_stamps(workspace)
    vectors = workspace.vectors
    try:
        vectors.check()
        stamp = vectors.stamp.format()
    except (PartMissing, ModelDamaged, RemoteError) as error:
        if embed:
            raise
        nothing = msgspec.structs.replace(
            state, stamps=stamps, verdict="unknown", our_stamp="", vectors=0, lacking=0
        )
        return PeerVectors(nothing, (note_unused(error),) if stamps else ())
    drop_gone(workspace, ("record",))
    taken = Taken()
    if stamp in stamps and (embed or not is_hosted):
        taken = take_vectors(workspace)
    given = _count_given(workspace, stamp, taken.taken)
    if embed:
        embed_missing(workspace, ("record",), most=MAX_EMBEDDED)
    vectors.clear(only_other_stamps=True)
    kept = vectors.count()
    now = msgspec.structs.replace(
        state,
        stamps=stamps,
        verdict=judge_vectors(stamps, stamp, kept=kept, taken=given),
        our_stamp=stamp,
        vectors=kept,
        lacking=len(vectors.list_missing(workspace.documents.iter_keys("record"))),
    )
    return PeerVectors(now, taken.notices)


def note_unused(error: GitmemError) -> Notice:
    """The notice for whoever has no model: peers are found by their words alone."""
    hint = f" ({error.hint})" if error.hint else ""
    return Notice(error.code, f"no vectors of peers are used: {error.message}{hint}")


def _count_given(workspace: Workspace, stamp: str, more: int) -> int:
    """How many vectors the peer gave in all, under this stamp."""
    known, _, count = (workspace.facts.get_memo(_TAKEN) or "").partition(" ")
    total = more + (int(count) if known == stamp and count.isdigit() else 0)
    if more:
        workspace.facts.set_memo(_TAKEN, f"{stamp} {total}")
    return total
