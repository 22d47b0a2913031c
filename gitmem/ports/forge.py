"""A git host, as far as the bot needs it: the comments on one pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gitmem.core.pull_requests import Comment


class Forge(Protocol):
    """Every method raises AuthRefused where the token may not, RateLimited where the host
    asks for more patience than there is, RequestRejected for what it does not take,
    RemoteUnreachable, and RemoteError for nonsense."""

    def iter_comments(self) -> Iterator[Comment]:
        """All comments, oldest first, page after page."""
        ...

    def create_comment(self, body: str) -> Comment: ...

    def update_comment(self, comment_id: str, body: str) -> Comment: ...

    def delete_comment(self, comment_id: str) -> None: ...
