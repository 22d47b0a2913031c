"""Whether a commit's message carries a reason."""

from __future__ import annotations

import re
from functools import cache

from gitmem.core.history import Commit

# Compiled on first use: this module is imported by commands that run before every edit.
_NO_REASON = (
    r"(?!Why:|Reason:|Decision:|Rejected:|Constraint:|Directive:|Supersedes:)"
    r"[a-z][a-z0-9-]*: |\(cherry picked from commit "
    r"|Merge (?:branch|pull request|remote-tracking|tag)\b|Revert \"|This reverts commit "
    r"|Signed-off-by|git-svn-id|Change-Id|Co-authored-by|\* |- \[[ x]\]|#|Bumps? \[|[\W_]+$"
)
_REASON = (
    r"\b(?:because|so that|so as to|instead of|rather than|in order to|to avoid|to prevent"
    r"|otherwise|due to|(?:fix|fixe[sd]|close[sd]?|resolve[sd]?):? +(?:[\w.-]+/[\w.-]+)?#\d+)"
)
_BOT = r"\[bot\]|\b(?:dependabot|renovate|pre-commit-ci|github-actions)\b"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def is_bot(author: str, email: str) -> bool:
    """Whether a program, by its name, made the commit."""
    return _compiled(_BOT).search(f"{author}\n{email}") is not None


def has_reason(commit: Commit) -> bool:
    """Whether the message says why: a body beyond trailers and boiler-plate, or a subject
    that gives a reason. Merges and bots never count."""
    if len(commit.parents) > 1 or is_bot(commit.author, commit.email):
        return False
    subject, _, body = commit.message.partition("\n")
    if body:
        is_empty = _compiled(_NO_REASON).match
        for line in body.split("\n"):
            line = line.strip()
            if len(line) > 3 and not is_empty(line):
                return True
    return _compiled(_REASON).search(subject) is not None


def find_reason(body: str) -> str:
    """Of a message's body the first paragraph that says something, in one line; trailers and
    boiler-plate are left out. Empty where there is none."""
    is_empty = _compiled(_NO_REASON).match
    said: list[str] = []
    for line in body.split("\n"):
        line = line.strip()
        if line and not is_empty(line):
            said.append(line)
        elif said and not line:
            break
    return " ".join(said)
