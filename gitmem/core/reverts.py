"""Reverts: which commits took back which, told by their messages alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

_OID = re.compile(r"(?m)^This reverts commit ([0-9a-f]{7,64})\b")
_MERGE = re.compile(r"reversing\s+changes\s+made\s+to\s+([0-9a-f]{7,64})\b")
_SUBJECT = re.compile(r'(?:(?:Revert|Reapply) "(.+)"|[Rr]evert: +(.+?))(?: \(#\d+\))?')
_QUOTED = re.compile(r'(Revert|Reapply) "(.+)"(?: \(#\d+\))?')
_FULL = (40, 64)
_NUMBER = re.compile(r" \(#\d+\)$")


class Message(Protocol):
    """What is looked at of a commit."""

    @property
    def oid(self) -> str: ...
    @property
    def parents(self) -> tuple[str, ...]: ...
    @property
    def message(self) -> str: ...


class Older(msgspec.Struct, frozen=True):
    """The subject of something from before the range, and whether it is taken back or, its
    revert reverted, there again."""

    subject: str
    is_restored: bool = False


class Reverts(msgspec.Struct, frozen=True):
    """`cancelled`: commit of the range → the commit of the range that took it back. `taking`:
    commits that did so, and have no other purpose. `older`: commit of the range → what its
    subject says it reverts, which is none of the range."""

    cancelled: Mapping[str, str]
    taking: frozenset[str]
    older: Mapping[str, Older]


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
    older: dict[str, Older] = {}
    for commit in reversed(commits):
        subject = commit.message.partition("\n")[0].strip()
        match = _SUBJECT.fullmatch(subject)
        named = _OID.findall(commit.message)
        if commit.oid in cancelled or not (match or named):
            continue
        before = places[commit.oid]
        if named:
            found = [_find_named(prefix, before, places, commits) for prefix in named]
        else:
            quoted = (match[1] or match[2]) if match else ""
            if subject.startswith("Reapply"):
                quoted = f'Revert "{quoted}"'
            found = [_find_quoted(quoted, before, by_subject, commits)]
        targets = [target for target in found if target is not None]
        # A message of its own says more than that something was reverted: it stays.
        if match and targets:
            taking.add(commit.oid)
        elif match:
            older[commit.oid] = _unfold(subject)
        for target in targets:
            for oid in _list_taken(target, commit.message, by_oid):
                cancelled.setdefault(oid, commit.oid)
    return Reverts(cancelled, frozenset(taking), older)


def _unfold(subject: str) -> Older:
    """What the innermost subject says, and whether all in all it is there again."""
    is_restored = True
    if (match := _SUBJECT.fullmatch(subject)) and match[2]:
        return Older(match[2])
    while match := _QUOTED.fullmatch(subject):
        is_restored = is_restored == (match[1] == "Reapply")
        subject = match[2]
    return Older(subject, is_restored)


def _find_named(
    prefix: str, before: int, places: Mapping[str, int], commits: Sequence[Message]
) -> str | None:
    """The commit of the range, before a place, whose id begins so."""
    place = places.get(prefix)
    if place is not None:
        return prefix if place < before else None
    if len(prefix) in _FULL:
        return None
    return next((commit.oid for commit in commits[:before] if commit.oid.startswith(prefix)), None)


def _find_quoted(
    quoted: str, before: int, by_subject: Mapping[str, Sequence[int]], commits: Sequence[Message]
) -> str | None:
    """The latest commit of the range, before a place, of that subject."""
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
