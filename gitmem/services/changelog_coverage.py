"""How much of a range is explained: file by file, counted honestly."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.core.changelog_entries import Coverage, Entry
from gitmem.core.commit_types import parse_subject
from gitmem.core.path_patterns import PathPatterns
from gitmem.core.paths import fold_path
from gitmem.core.reverts import Reverts
from gitmem.ports.range_reader import RangeCommit
from gitmem.services.changelog_messages import gives_reason


def measure_coverage(
    commits: Sequence[RangeCommit],
    entries: Sequence[Entry],
    reverts: Reverts,
    *,
    ignored_paths: Sequence[str],
    ignored_types: Collection[str],
) -> Coverage:
    """Files of the range, each under the last name it had: with a decision, with a reason in a
    commit message alone, with neither. What was taken back within the range counts nowhere;
    what the settings exempt counts as ignored."""
    standing = [
        commit
        for commit in commits
        if commit.oid not in reverts.cancelled and commit.oid not in reverts.taking
    ]
    files = _Files(standing)
    decisions = [entry for entry in entries if entry.matched != "message"]
    decided = files.list_about(decisions)
    told = {entry.commit for entry in entries if entry.matched == "message"}
    messages: set[str] = set()
    for commit in standing:
        touched = files.touched_by(commit.oid)
        if commit.oid in told or (not touched <= decided and gives_reason(commit)):
            messages |= touched
    exempt = _list_exempt(files, standing, ignored_paths, ignored_types)
    unexplained = files.names - decided - messages - exempt
    counted = files.names - (exempt - decided - messages)
    return Coverage(
        files=len(counted),
        decided=len(decided),
        message_only=len(messages - decided),
        unexplained=len(unexplained),
        ignored=len(files.names) - len(counted),
        by_containment=sum(entry.matched == "containment" for entry in entries),
        by_path=sum(entry.matched == "path" for entry in entries),
        by_message=sum(entry.matched == "message" for entry in entries),
        unexplained_paths=tuple(sorted(unexplained)),
    )


class _Files:
    """The files that commits touched, by the last names they had."""

    def __init__(self, commits: Sequence[RangeCommit]) -> None:
        self._renamed: dict[str, str] = {}
        self.names: set[str] = set()
        self._touched: dict[str, set[str]] = {}
        for commit in commits:
            for touch in commit.touches:
                if touch.status == "R" and touch.old_path is not None:
                    self._renamed[touch.old_path] = touch.path
                # A name that is in use again is no longer the former name of another.
                if touch.status != "M":
                    self._renamed.pop(touch.path, None)
        for commit in commits:
            touched = {self.last_name(touch.path) for touch in commit.touches}
            self._touched[commit.oid] = touched
            self.names |= touched
        self._folded: dict[str, set[str]] = {}
        for name in {*self.names, *self._renamed}:
            self._folded.setdefault(fold_path(name), set()).add(self.last_name(name))

    def last_name(self, path: str) -> str:
        seen = {path}
        while (after := self._renamed.get(path)) is not None and after not in seen:
            path = after
            seen.add(path)
        return path

    def touched_by(self, oid: str) -> set[str]:
        return self._touched.get(oid, set())

    def list_about(self, entries: Iterable[Entry]) -> set[str]:
        """Files that these decisions name, by themselves or by a folder; all that its commit
        touched for one that names the commit and no file."""
        found: set[str] = set()
        folders: set[str] = set()
        for entry in entries:
            for path in map(fold_path, entry.paths):
                found |= self._folded.get(path, set())
                if path.endswith("/"):
                    folders.add(path)
            if not entry.paths and entry.is_named:
                for oid in entry.commits:
                    found |= self.touched_by(oid)
        if folders:
            prefixes = tuple(folders)
            for folded, names in self._folded.items():
                if folded.startswith(prefixes):
                    found |= names
        return found & self.names


def _list_exempt(
    files: _Files,
    commits: Sequence[RangeCommit],
    ignored_paths: Sequence[str],
    ignored_types: Collection[str],
) -> set[str]:
    """Files whose path the settings exempt, and those that only commits of exempt types
    touched."""
    patterns = PathPatterns(ignored_paths)
    exempt = {name for name in files.names if patterns.match(name)}
    if ignored_types:
        serious: set[str] = set()
        for commit in commits:
            if parse_subject(commit.message).type not in ignored_types:
                serious |= files.touched_by(commit.oid)
        exempt |= files.names - serious
    return exempt
