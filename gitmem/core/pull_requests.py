"""A change that is proposed on a git host, and comments on it. Values only."""

from __future__ import annotations

import msgspec

MAX_COMMENT_CHARS = 65_536
"""What GitHub takes as one comment; GitLab takes more."""
STICKY_MARK = "<!-- gitmem:pr-report -->"
"""The first line of the one comment that is ours."""


class PullRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an event says of a pull request (or merge request).

    `base` and `head` are commit ids. `number` is None where a merge queue asks, about several at
    once: there is nothing to comment on. `is_fork`: the head is another repository's, whose token
    may only read. `text` is title and description, as somebody wrote them.
    """

    repository: str
    number: int | None
    base: str
    head: str
    text: str = ""
    is_fork: bool = False


class Comment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment on it. `is_ours`: written by whoever our token is."""

    id: str
    body: str
    url: str = ""
    is_ours: bool = False
