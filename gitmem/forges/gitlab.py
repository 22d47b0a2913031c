"""GitLab's API: notes on one merge request.

Source: the REST documentation of notes and of pagination.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from gitmem.core.pull_requests import Comment, PullRequest
from gitmem.errors import AuthRefused, RemoteError
from gitmem.forges.http import JsonClient

PAGE = 100
MAX_PAGES = 100


class GitLab:
    """`ports.forge.Forge` for GitLab. `web` is the project's address, for links to notes."""

    def __init__(self, client: JsonClient, pull_request: PullRequest, web: str) -> None:
        self._client = client
        project = quote(pull_request.repository, safe="")
        self._notes = f"/projects/{project}/merge_requests/{pull_request.number}/notes"
        self._page = f"{web}/-/merge_requests/{pull_request.number}" if web else ""
        self._me: object = None

    def iter_comments(self) -> Iterator[Comment]:
        page = "1"
        for _ in range(MAX_PAGES):
            path = f"{self._notes}?per_page={PAGE}&page={page}&sort=asc&order_by=created_at"
            answer = self._client.request("GET", path)
            if not isinstance(answer.data, list):
                raise RemoteError("a list of notes that is none")
            yield from (
                self._comment(one)
                for one in answer.data
                if isinstance(one, dict) and not one.get("system")
            )
            page = answer.headers.get("x-next-page", "")
            if not page.isdigit():
                return

    def create_comment(self, body: str) -> Comment:
        return self._comment(self._client.request("POST", self._notes, {"body": body}).data)

    def update_comment(self, comment_id: str, body: str) -> Comment:
        path = f"{self._notes}/{comment_id}"
        return self._comment(self._client.request("PUT", path, {"body": body}).data)

    def delete_comment(self, comment_id: str) -> None:
        self._client.request("DELETE", f"{self._notes}/{comment_id}")

    def _comment(self, value: Any) -> Comment:
        if not isinstance(value, dict) or not isinstance(value.get("id"), int):
            raise RemoteError("a note that is none")
        author = value.get("author")
        return Comment(
            id=str(value["id"]),
            body=str(value.get("body") or ""),
            url=f"{self._page}#note_{value['id']}" if self._page else "",
            is_ours=isinstance(author, dict) and author.get("id") == self._get_me(),
        )

    def _get_me(self) -> object:
        if self._me is None:
            try:
                data = self._client.request("GET", "/user").data
                self._me = data.get("id", "") if isinstance(data, dict) else ""
            except AuthRefused:
                self._me = ""
        return self._me
