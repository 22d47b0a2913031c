"""A server on loopback that behaves like the git hosts' APIs, as far as comments go."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

MAX_BODY_CHARS = 65_536
PAGE = 30


@dataclass
class Host:
    """What the server knows, and how it is to behave. `refusals` are answered first, one a
    request: (status, headers, message)."""

    address: str = ""
    login: str = "gitmem-bot"
    has_user: bool = True
    may_write: bool = True
    may_delete: bool = True
    comments: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    next_link: str | None = None
    raw_answer: bytes | None = None

    def say(self, body: str, login: str = "somebody", kind: str = "User") -> dict[str, Any]:
        number = 1 + max((one["id"] for one in self.comments), default=100)
        comment = {
            "id": number,
            "body": body,
            "html_url": f"https://host.example/pull/7#issuecomment-{number}",
            "user": {"login": login, "type": kind},
            "author": {"id": 1 if login == self.login else 2},
            "system": False,
        }
        self.comments.append(comment)
        return comment

    def bodies(self) -> list[str]:
        return [one["body"] for one in self.comments]


class _Handler(BaseHTTPRequestHandler):
    host: Host

    def _answer(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        data = b"" if value is None else json.dumps(value).encode()
        if self.host.raw_answer is not None:
            data = self.host.raw_answer
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _handle(self) -> None:
        host = self.host
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else {}
        host.requests.append((self.command, self.path, dict(self.headers)))
        if host.refusals:
            status, headers, message = host.refusals.pop(0)
            return self._answer(status, {"message": message}, headers)
        parts = urlsplit(self.path)
        if parts.path.endswith("/user"):
            if not host.has_user:
                return self._answer(403, {"message": "Resource not accessible by integration"})
            return self._answer(200, {"login": host.login, "id": 1})
        if self.command == "GET":
            return self._list(parse_qs(parts.query), is_gitlab="/notes" in parts.path)
        if not host.may_write or (self.command == "DELETE" and not host.may_delete):
            return self._answer(403, {"message": "Resource not accessible by integration"})
        if len(body.get("body", "")) > MAX_BODY_CHARS:
            return self._answer(422, {"message": "Validation Failed"})
        found = re.search(r"/(?:comments|notes)/(\d+)$", parts.path)
        if found is None:
            kind = "User" if host.has_user else "Bot"
            return self._answer(201, host.say(body["body"], host.login, kind))
        known = [one for one in host.comments if one["id"] == int(found.group(1))]
        if not known:
            return self._answer(404, {"message": "Not Found"})
        if self.command == "DELETE":
            host.comments.remove(known[0])
            return self._answer(204, None)
        known[0]["body"] = body["body"]
        return self._answer(200, known[0])

    def _list(self, query: dict[str, list[str]], *, is_gitlab: bool) -> None:
        host = self.host
        page = int(query.get("page", ["1"])[0])
        start = (page - 1) * PAGE
        has_more = start + PAGE < len(host.comments)
        path = urlsplit(self.path).path
        headers = {}
        if is_gitlab:
            headers["X-Next-Page"] = str(page + 1) if has_more else ""
        elif host.next_link is not None:
            headers["Link"] = f'<{host.next_link}>; rel="next"'
        elif has_more:
            headers["Link"] = f'<{host.address}{path}?page={page + 1}>; rel="next"'
        self._answer(200, host.comments[start : start + PAGE], headers)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _handle

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def serve_host() -> Iterator[Host]:
    """A host at `Host.address` until the block ends."""
    host = Host()
    handler = type("Handler", (_Handler,), {"host": host})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    host.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
