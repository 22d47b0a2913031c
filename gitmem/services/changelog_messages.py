"""Commit messages with a reason, where no decision stands."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gitmem.core.changelog_entries import Cancelled, Entry
from gitmem.core.commit_types import find_group, parse_subject
from gitmem.core.history import Commit
from gitmem.core.reasons import has_reason, is_bot
from gitmem.core.reverts import Older, Reverts
from gitmem.core.timestamps import format_at
from gitmem.core.trailers import StatedDecision, cut_trailers, find_decision
from gitmem.ports.range_reader import RangeCommit


def list_messages(
    commits: Sequence[RangeCommit], reverts: Reverts, explained: Collection[str]
) -> list[Entry]:
    """Entries for the commits that give a reason, or take back something of an older release,
    and that no decision explains."""
    entries = []
    for commit in commits:
        if len(commit.parents) > 1 or commit.oid in explained or _is_of_memory(commit):
            continue
        if commit.oid in reverts.cancelled or commit.oid in reverts.taking:
            continue
        if commit.oid in reverts.older:
            entries.append(_build_revert(commit, reverts.older[commit.oid]))
            continue
        said = find_decision(commit.message)
        if gives_reason(commit) or (said and not is_bot(commit.author, commit.email)):
            entries.append(_build(commit, said))
    return entries


def list_cancelled(
    commits: Sequence[RangeCommit], reverts: Reverts, decided: Collection[str | None]
) -> list[Cancelled]:
    """Commits that were taken back in the range; not those whose decision says so already, nor
    reverts that were reverted."""
    return [
        Cancelled(
            commit=commit.oid,
            summary=parse_subject(commit.message).summary,
            by=reverts.cancelled[commit.oid],
        )
        for commit in commits
        if commit.oid in reverts.cancelled
        and commit.oid not in decided
        and len(commit.parents) < 2
        and not commit.message.startswith(('Revert "', 'Reapply "'))
    ]


def gives_reason(commit: RangeCommit) -> bool:
    """Whether the message says why."""
    as_history = Commit(
        commit.oid, commit.parents, commit.at, commit.author, commit.email, commit.message, ()
    )
    return has_reason(as_history)


def _is_of_memory(commit: RangeCommit) -> bool:
    """Whether nothing but records came or went."""
    return not commit.touches and bool(commit.added or commit.removed)


def _build(commit: RangeCommit, said: StatedDecision | None) -> Entry:
    subject = parse_subject(commit.message)
    prose = cut_trailers(commit.message).partition("\n")[2].strip("\n")
    why = prose
    if said is not None:
        reasons = [said.why, *said.more] if said.why else [prose, *said.more]
        why = "\n".join(reason for reason in reasons if reason)
    summary = said.summary if said is not None and said.summary else subject.summary
    return Entry(
        commit=commit.oid,
        type=subject.type,
        group=find_group(subject.type, summary),
        summary=summary,
        why=why or None,
        rejected=said.rejected if said is not None else (),
        matched="message",
        is_breaking=subject.is_breaking,
        commits=(commit.oid,),
        paths=tuple(dict.fromkeys(touch.path for touch in commit.touches)),
        at=format_at(commit.at * 1000),
        author=commit.author,
    )


def _build_revert(commit: RangeCommit, older: Older) -> Entry:
    subject = parse_subject(older.subject)
    was_added = find_group(subject.type, subject.summary) == "Added"
    group = "Changed" if not was_added else "Added" if older.is_restored else "Removed"
    lines = cut_trailers(commit.message).partition("\n")[2].strip("\n").split("\n")
    prose = "\n".join(line for line in lines if not line.startswith("This reverts commit "))
    return Entry(
        commit=commit.oid,
        type="revert",
        group=group,
        summary=f"{'Restored' if older.is_restored else 'Reverted'}: {subject.summary}",
        why=prose.strip("\n") or None,
        matched="message",
        commits=(commit.oid,),
        paths=tuple(dict.fromkeys(touch.path for touch in commit.touches)),
        reverts=older.subject,
        at=format_at(commit.at * 1000),
        author=commit.author,
    )
