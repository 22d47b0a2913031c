"""Verdicts at the time of looking: how a peer's vectors compare with ours, and what to do."""

from __future__ import annotations

from gitmem.core.peers import PeerState, Verdict

USED: tuple[Verdict, ...] = ("ok", "local")
"""Under these a peer's vectors are asked."""


def judge_vectors(stamps: tuple[str, ...], stamp: str, *, kept: int, taken: int) -> Verdict:
    """`stamps` are those that a peer shares under, `stamp` is ours, `kept` how many vectors we
    have of it under that, `taken` how many of them it gave. Sharing counts once it is used."""
    if kept and stamp in stamps and taken:
        return "ok"
    if kept:
        return "local"
    return "mismatch" if stamps and stamp not in stamps else "unknown"


def find_verdict(state: PeerState | None, stamp: str | None) -> Verdict:
    """What was found when we looked, if our stamp is the same now; None: there is no model."""
    if state is None or stamp is None:
        return "unknown"
    if state.our_stamp == stamp:
        return state.verdict
    return judge_vectors(state.stamps, stamp, kept=0, taken=0)


def find_improvement(alias: str, state: PeerState, stamp: str | None) -> str | None:
    """The command that makes the verdict better, or the vectors complete; None where there is
    nothing to do."""
    if not state.project_id:
        return None
    if stamp is None:
        return "pip install 'gitmem-sync[search]'"
    if stamp in state.stamps and state.our_stamp != stamp:
        return f"gitmem peers pull {alias}"
    if find_verdict(state, stamp) in USED and not state.lacking:
        return None
    return f"gitmem peers pull {alias} --embed"
