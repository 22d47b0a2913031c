"""GitHub's API (and that of its servers elsewhere): comments on one pull request.

Source: the REST documentation of issue comments, pagination and rate limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gitmem.core.pull_requests import Comment, PullRequest
from gitmem.errors import AuthRefused, RemoteError
from gitmem.forges.http import JsonClient

PAGE = 100
MAX_PAGES = 100
_NEXT = re.compile(r'<([^<>]{1,2000})>;[^<>,]{0,200}\brel="next"')


class GitHub:
    """`ports.forge.Forge` for GitHub."""

    def __init__(self, client: JsonClient, pull_request: PullRequest) -> None:
        self._client = client
        self._repository = f"/repos/{pull_request.repository}"
        self._comments = f"{self._repository}/issues/{pull_request.number}/comments"
        self._login: str | None = None

    def iter_comments(self) -> Iterator[Comment]:
        path: str | None = f"{self._comments}?per_page={PAGE}"
        for _ in range(MAX_PAGES):
            if path is None:
                return
            answer = self._client.request("GET", path)
            if not isinstance(answer.data, list):
                raise RemoteError("a list of comments that is none")
            yield from (self._comment(one) for one in answer.data if isinstance(one, dict))
            link = _NEXT.search(answer.headers.get("link", ""))
            path = link.group(1) if link else None

    def create_comment(self, body: str) -> Comment:
        return self._comment(self._client.request("POST", self._comments, {"body": body}).data)

    def update_comment(self, comment_id: str, body: str) -> Comment:
        path = f"{self._repository}/issues/comments/{comment_id}"
        return self._comment(self._client.request("PATCH", path, {"body": body}).data)

    def delete_comment(self, comment_id: str) -> None:
        self._client.request("DELETE", f"{self._repository}/issues/comments/{comment_id}")

    def _comment(self, value: Any) -> Comment:
        if not isinstance(value, dict) or not isinstance(value.get("id"), int):
            raise RemoteError("a comment that is none")
        user = value.get("user")
        return Comment(
            id=str(value["id"]),
            body=str(value.get("body") or ""),
            url=str(value.get("html_url") or ""),
            is_ours=isinstance(user, dict) and self._is_me(user),
        )

    def _is_me(self, user: Mapping[str, Any]) -> bool:
        """A workflow's own token has no user to ask for; its comments are a bot's."""
        if self._login is None:
            try:
                data = self._client.request("GET", "/user").data
                self._login = str(data.get("login", "")) if isinstance(data, dict) else ""
            except AuthRefused:
                self._login = ""
        if self._login:
            return user.get("login") == self._login
        return user.get("type") == "Bot"
