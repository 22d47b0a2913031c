"""Decisions of other projects about a range: they link to a file it touched, or name a commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gitmem.core.changelog_entries import PeerEntry
from gitmem.core.paths import fold_path
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.changelog import FromPeers
from gitmem.services.federate_links import Spoken, list_speaking
from gitmem.services.hits import Hit
from gitmem.services.our_names import OurNames
from gitmem.services.workspace import Workspace

if TYPE_CHECKING:
    from gitmem.ports.peers import Federation


def list_from_peers(
    workspace: Workspace,
    federation: Federation,
    names: OurNames,
    commits: Sequence[RangeCommit],
    *,
    peer_timeout_ms: int,
) -> FromPeers:
    """What stands at peers, reviewed there, and speaks of the range; by project and id. A file
    goes by each name that it had within the range."""
    touched: dict[str, str] = {}
    for commit in reversed(commits):  # the newest first, should there be too many of them
        for touch in commit.touches:
            touched.setdefault(fold_path(touch.path), touch.path)
            if touch.status == "R" and touch.old_path is not None:
                touched.setdefault(fold_path(touch.old_path), touch.old_path)
    oids = tuple(commit.oid for commit in reversed(commits))
    spoken = Spoken(paths=tuple(touched), oids=oids)
    said = list_speaking(workspace, federation, names, spoken, peer_timeout_ms=peer_timeout_ms)
    known = set(oids)
    entries = [
        _build_entry(hit, known, touched, names)
        for hit in said.hits
        if hit.state in ("current", "conflict") and not hit.unreviewed
    ]
    return FromPeers(tuple(entries), said.notices)


def _build_entry(hit: Hit, oids: set[str], touched: dict[str, str], names: OurNames) -> PeerEntry:
    mention = hit.mention or ""
    is_commit = mention in oids
    path = "" if is_commit else mention.removeprefix(f"{(names.remote_key or '').lower()}:")
    return PeerEntry(
        project=hit.project,
        id=hit.id or "",
        type=hit.type or "decision",
        summary=hit.summary,
        why=hit.why,
        rejected=hit.rejected,
        path=touched.get(path) if path else None,
        commit=mention if is_commit else None,
        state=hit.state,
        at=hit.at,
        author=hit.actor.name if hit.actor is not None else "",
    )
