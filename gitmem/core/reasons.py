"""Whether a commit's message carries a reason."""

from __future__ import annotations

import re
from functools import cache

from gitmem.core.history import Commit

# Compiled on first use: this module is imported by commands that run before every edit.
_TRAILER = (
    r"^(?:(?!Why:|Reason:|Decision:|Rejected:|Constraint:|Directive:|Supersedes:)"
    r"[A-Za-z][A-Za-z0-9-]*: |\(cherry picked from commit )"
)
_BOILERPLATE = (
    r"^(?:Merge (?:branch|pull request|remote-tracking|tag)\b|Revert \"|This reverts commit "
    r"|Signed-off-by|git-svn-id|Change-Id|Co-authored-by|\* |- \[[ x]\]|#|Bumps? \[)"
)
_REASON = (
    r"\b(?:because|so that|so as to|instead of|rather than|in order to|to avoid|to prevent"
    r"|otherwise|due to|(?:fix|fixe[sd]|close[sd]?|resolve[sd]?):? +(?:[\w.-]+/[\w.-]+)?#\d+)"
)
_BOT = r"\[bot\]|\b(?:dependabot|renovate|pre-commit-ci|github-actions)\b"


class _Patterns:
    def __init__(self) -> None:
        self.trailer = re.compile(_TRAILER)
        self.boilerplate = re.compile(_BOILERPLATE, re.IGNORECASE)
        self.reason = re.compile(_REASON, re.IGNORECASE)
        self.bot = re.compile(_BOT, re.IGNORECASE)


_patterns = cache(_Patterns)


def is_bot(author: str, email: str) -> bool:
    """Whether a program, by its name, made the commit."""
    bot = _patterns().bot
    return bool(bot.search(author) or bot.search(email))


def has_reason(commit: Commit) -> bool:
    """Whether the message says why: a body beyond trailers and boiler-plate, or a subject
    that gives a reason. Merges and bots never count."""
    if len(commit.parents) > 1 or is_bot(commit.author, commit.email):
        return False
    patterns = _patterns()
    subject, _, body = commit.message.partition("\n")
    if patterns.reason.search(subject):
        return True
    for line in body.split("\n"):
        line = line.strip()
        if (
            len(line) > 3
            and not patterns.trailer.match(line)
            and not patterns.boilerplate.match(line)
        ):
            return True
    return False
