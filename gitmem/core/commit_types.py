"""What kind of change a commit's subject speaks of, and under which heading it is listed."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

GROUPS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""The headings of Keep a Changelog 1.1.0, in its order."""

_GROUP_OF_TYPE = {
    "feature": "Added",
    "bugfix": "Fixed",
    "security": "Security",
    "deprecated": "Deprecated",
    "removed": "Removed",
}
_PREFIX = re.compile(r"([A-Za-z]{2,20})(?:\(([^()\n]{1,60})\))?(!)?: +(?=\S)")
_TYPES = {
    "feat": "feature",
    "feature": "feature",
    "fix": "bugfix",
    "bugfix": "bugfix",
    "hotfix": "bugfix",
    "perf": "perf",
    "security": "security",
    "sec": "security",
    "docs": "docs",
    "doc": "docs",
    "refactor": "refactor",
    "test": "test",
    "tests": "test",
    "chore": "chore",
    "build": "chore",
    "ci": "chore",
    "style": "chore",
    "deps": "chore",
    "release": "chore",
    "remove": "removed",
    "deprecate": "deprecated",
}
_VERBS = (
    (r"fix(?:e[sd]|ing)?|repair(?:s|ed)?|correct(?:s|ed)?|bugfix", "bugfix"),
    (r"add(?:s|ed|ing)?|introduce[sd]?|implement(?:s|ed)?|(?:support|allow)(?:s|ed)?", "feature"),
    (r"remove[sd]?|removing|drop(?:s|ped)?|delete[sd]?", "removed"),
    (r"deprecate[sd]?|deprecating", "deprecated"),
)
_VERB = re.compile("|".join(f"(?P<{name}>{words})" for words, name in _VERBS), re.IGNORECASE)
_BREAKING = re.compile(r"(?m)^BREAKING[ -]CHANGE: ")


class Subject(msgspec.Struct, frozen=True):
    """A commit's subject, taken apart: `summary` is without the conventional prefix."""

    type: str
    summary: str
    is_breaking: bool = False


def parse_subject(message: str) -> Subject:
    """What a message's first line says: its conventional prefix (`fix(api)!: …`) where it has
    one that is known, else its first verb; type `change` where neither tells."""
    line = message.partition("\n")[0].strip()
    is_breaking = _BREAKING.search(message) is not None
    match = _PREFIX.match(line)
    known = _TYPES.get(match[1].lower()) if match else None
    if match and known:
        summary = line[match.end() :]
        return Subject(known, summary[:1].upper() + summary[1:], is_breaking or bool(match[3]))
    return Subject(guess_type(line), line, is_breaking)


def guess_type(summary: str) -> str:
    """The type that the first word of a sentence suggests; `change` where it tells nothing."""
    match = _VERB.match(summary)
    if match and match.lastgroup and not summary[match.end() : match.end() + 1].isalnum():
        return match.lastgroup
    return "change"


def find_group(type_: str, summary: str, tags: Collection[str] = ()) -> str:
    """The heading for a type of decision or commit. A tag that is a heading's name decides;
    where the type is general, the summary's first word does."""
    if tags:
        said = {tag.lower() for tag in tags}
        for group in GROUPS:
            if group.lower() in said:
                return group
    if type_ in ("decision", "change"):
        type_ = guess_type(summary)
    return _GROUP_OF_TYPE.get(type_, "Changed")
