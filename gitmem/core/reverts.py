"""Reverts: which commits took back which, told by their messages alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

_OID = re.compile(r"(?m)^This reverts commit ([0-9a-f]{7,64})\b")
_MERGE = re.compile(r"reversing\s+changes\s+made\s+to\s+([0-9a-f]{7,64})\b")
_SUBJECT = re.compile(r'(?:Revert "(.+)"|[Rr]evert: +(.+?))(?: \(#\d+\))?')
_NUMBER = re.compile(r" \(#\d+\)$")


class Message(Protocol):
    """What is looked at of a commit."""

    @property
    def oid(self) -> str: ...
    @property
    def parents(self) -> tuple[str, ...]: ...
    @property
    def message(self) -> str: ...


class Reverts(msgspec.Struct, frozen=True):
    """`cancelled`: commit of the range → the commit of the range that took it back. `taking`:
    commits that did so, and have no other purpose. `older`: commit of the range → what it says
    it reverts, which is none of the range."""

    cancelled: Mapping[str, str]
    taking: frozenset[str]
    older: Mapping[str, str]


def find_reverts(commits: Sequence[Message]) -> Reverts:
    """What was taken back, of commits given ancestors first. A revert that is itself reverted
    takes nothing back."""
    by_oid = {commit.oid: commit for commit in commits}
    places = {commit.oid: place for place, commit in enumerate(commits)}
    by_subject: dict[str, list[int]] = {}
    for place, commit in enumerate(commits):
        by_subject.setdefault(_plain(commit.message), []).append(place)
    cancelled: dict[str, str] = {}
    taking: set[str] = set()
    older: dict[str, str] = {}
    for commit in reversed(commits):
        subject = commit.message.partition("\n")[0].strip()
        match = _SUBJECT.fullmatch(subject)
        named = _OID.search(commit.message)
        if commit.oid in cancelled or not (match or named):
            continue
        quoted = (match[1] or match[2]) if match else subject
        target = _find_target(named, quoted, places[commit.oid], by_subject, commits)
        if target is None:
            older[commit.oid] = quoted
            continue
        taking.add(commit.oid)
        for oid in _list_taken(target, commit.message, by_oid):
            cancelled.setdefault(oid, commit.oid)
    return Reverts(cancelled, frozenset(taking), older)


def _find_target(
    named: re.Match[str] | None,
    quoted: str,
    before: int,
    by_subject: Mapping[str, Sequence[int]],
    commits: Sequence[Message],
) -> str | None:
    """The commit of the range that is reverted: the named one, else the latest of that subject."""
    if named:
        prefix = named[1]
        return next((c.oid for c in commits[:before] if c.oid.startswith(prefix)), None)
    places = [place for place in by_subject.get(_plain(quoted), ()) if place < before]
    return commits[places[-1]].oid if places else None


def _list_taken(target: str, message: str, by_oid: Mapping[str, Message]) -> list[str]:
    """The target; of a merge whose changes are reversed, what it merged, too."""
    merge = by_oid[target]
    match = _MERGE.search(message)
    if len(merge.parents) < 2 or match is None:
        return [target]
    kept = _list_reached(merge.parents[:1], by_oid)
    merged = _list_reached(merge.parents[1:], by_oid) - kept
    return [target, *sorted(merged)]


def _list_reached(tips: Sequence[str], by_oid: Mapping[str, Message]) -> set[str]:
    found: set[str] = set()
    waiting = [tip for tip in tips if tip in by_oid]
    while waiting:
        oid = waiting.pop()
        if oid not in found:
            found.add(oid)
            waiting += [parent for parent in by_oid[oid].parents if parent in by_oid]
    return found


def _plain(message: str) -> str:
    """A subject without the number of the pull request that hosts append to it."""
    return _NUMBER.sub("", message.partition("\n")[0].strip())
