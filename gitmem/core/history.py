"""What a commit is to us, and whether its message carries a reason."""

from __future__ import annotations

import re

import msgspec

UNCOMMITTED = "0" * 40


class Touch(msgspec.Struct, frozen=True, array_like=True):
    """One path that a commit changed.

    `status` is git's letter: A, M, D, T, R (renamed) or C (copied); `old_path` is set for the
    last two. `blob` is the new content's object id (zeros for a deletion).
    """

    status: str
    path: str
    old_path: str | None
    blob: str


class Commit(msgspec.Struct, frozen=True, array_like=True):
    """A commit as `why` needs it. `at` is the committer's time in seconds since the epoch.

    `touches` is empty for merges, except for segments that a merge itself added against all
    of its parents, and for commits at a shallow boundary, whose parents are not here.
    """

    oid: str
    parents: tuple[str, ...]
    at: int
    author: str
    email: str
    message: str
    touches: tuple[Touch, ...]

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        return self.message.partition("\n")[2].strip("\n")


class BlamedLine(msgspec.Struct, frozen=True):
    """Who last changed a line. `commit` is None where the line is not committed yet."""

    commit: str | None
    at: int
    author: str
    original_path: str
    original_line: int


_TRAILER = re.compile(
    r"^(?:(?!Why:|Reason:|Decision:|Rejected:)[A-Za-z][A-Za-z0-9-]*: |\(cherry picked from commit )"
)
_BOILERPLATE = re.compile(
    r"^(?:Merge (?:branch|pull request|remote-tracking|tag)\b|Revert \"|This reverts commit "
    r"|Signed-off-by|git-svn-id|Change-Id|Co-authored-by|\* |- \[[ x]\]|#|Bumps? \[)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|so that|so as to|instead of|rather than|in order to|to avoid|to prevent"
    r"|otherwise|due to|(?:fix|fixe[sd]|close[sd]?|resolve[sd]?):? +(?:[\w.-]+/[\w.-]+)?#\d+)",
    re.IGNORECASE,
)
_BOT = re.compile(
    r"\[bot\]|\b(?:dependabot|renovate|pre-commit-ci|github-actions)\b", re.IGNORECASE
)


def is_bot(author: str, email: str) -> bool:
    """Whether a program, by its name, made the commit."""
    return bool(_BOT.search(author) or _BOT.search(email))


def has_reason(commit: Commit) -> bool:
    """Whether the message says why: a body beyond trailers and boiler-plate, or a subject
    that gives a reason. Merges and bots never count."""
    if len(commit.parents) > 1 or is_bot(commit.author, commit.email):
        return False
    subject, _, body = commit.message.partition("\n")
    if _REASON.search(subject):
        return True
    for line in body.split("\n"):
        line = line.strip()
        if len(line) > 3 and not _TRAILER.match(line) and not _BOILERPLATE.match(line):
            return True
    return False
