"""JSON over HTTP to one host: bounded, patient within a deadline, and faithful to its token.

The token goes to the configured host and nowhere else: addresses of another origin are not
asked, and redirects are not followed."""

from __future__ import annotations

import email.utils
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from gitmem.errors import (
    AuthRefused,
    RateLimited,
    RemoteError,
    RemoteUnreachable,
    RequestRejected,
)

MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_TRIES = 4
TIMEOUT_SECONDS = 20.0
DEADLINE_SECONDS = 90.0
_MAX_SAID_CHARS = 200
_RETRIED = frozenset({500, 502, 503, 504})


class Answer(msgspec.Struct, frozen=True):
    """What a host said: status, headers by lower-case name, and decoded JSON (None without)."""

    status: int
    headers: Mapping[str, str]
    data: Any


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class JsonClient:
    """Talks to one API. `base` is its address; `headers` go with every request."""

    def __init__(
        self,
        base: str,
        headers: Mapping[str, str],
        *,
        sleep: Callable[[float], None] = time.sleep,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        """Raises RemoteError for an address that is not http or https."""
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RemoteError(f"not the address of an API: {base!r}")
        self._base = base.rstrip("/")
        self._origin = (parts.scheme, parts.netloc)
        self._host = parts.hostname
        self._headers = {"Content-Type": "application/json", "User-Agent": "gitmem", **headers}
        self._sleep = sleep
        self._end = time.monotonic() + deadline_seconds
        self._opener = urllib.request.build_opener(_NoRedirects)

    def request(self, method: str, path: str, body: Any = None) -> Answer:
        """One request, tried again where the host is busy. `path` begins with `/`, or is an
        address of the same origin. Raises what `ports.forge.Forge` says."""
        address = self._address(path)
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(MAX_TRIES):
            is_last = attempt + 1 == MAX_TRIES
            try:
                answer = self._send(method, address, data)
            except (OSError, http.client.HTTPException) as error:
                # What may have arrived, though its answer did not, is not sent twice.
                if method == "POST" or is_last or not self._may_wait(2.0**attempt):
                    raise RemoteUnreachable(f"{self._host} does not answer: {error}") from error
                continue
            wait = _wanted_pause(answer, attempt)
            if wait is None or (method == "POST" and answer.status in _RETRIED):
                return self._checked(answer)
            if is_last or not self._may_wait(wait):
                break
        raise RateLimited(f"{self._host} asks for more patience than there is")

    def _address(self, path: str) -> str:
        if path.startswith("/"):
            return self._base + path
        parts = urlsplit(path)
        if (parts.scheme, parts.netloc) != self._origin:
            raise RemoteError(f"{self._host} names another host for its answer: not asked")
        return path

    def _send(self, method: str, address: str, data: bytes | None) -> Answer:
        request = urllib.request.Request(address, data, self._headers, method=method)
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as opened:
                return _read_answer(opened, opened.status)
        except urllib.error.HTTPError as error:
            with error:
                return _read_answer(error, error.code)

    def _may_wait(self, seconds: float) -> bool:
        if time.monotonic() + seconds > self._end:
            return False
        self._sleep(seconds)
        return True

    def _checked(self, answer: Answer) -> Answer:
        status = answer.status
        if 200 <= status < 300:
            return answer
        said = f"{self._host} answered {status}{_said(answer)}"
        if status in (401, 403, 404):
            raise AuthRefused(said, hint="Give the token the right to write to pull requests.")
        if status in (400, 413, 422):
            raise RequestRejected(said)
        raise RemoteError(said)


def _read_answer(opened: Any, status: int) -> Answer:
    raw = opened.read(MAX_ANSWER_BYTES + 1)
    headers = {name.lower(): value for name, value in opened.headers.items()}
    if len(raw) > MAX_ANSWER_BYTES:
        raise RemoteError(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    try:
        data = json.loads(raw) if raw.strip() else None
    except (ValueError, RecursionError):
        if 200 <= status < 300:
            raise RemoteError("an answer that is not JSON") from None
        data = None
    return Answer(status, headers, data)


def _wanted_pause(answer: Answer, attempt: int) -> float | None:
    """Seconds to wait before another try; None where the answer is final."""
    headers = answer.headers
    if answer.status in _RETRIED:
        return _retry_after(headers) or 2.0**attempt
    is_limited = answer.status == 429 or (
        answer.status == 403
        and (
            "retry-after" in headers
            or headers.get("x-ratelimit-remaining") == "0"
            or "rate limit" in _said(answer).lower()
        )
    )
    if not is_limited:
        return None
    pause = _retry_after(headers)
    if pause is None:
        reset = headers.get("x-ratelimit-reset") or headers.get("ratelimit-reset") or ""
        pause = max(1.0, int(reset) - time.time()) if reset.isdigit() else 2.0 ** (attempt + 1)
    return pause


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The header's seconds, or its date as seconds from now."""
    text = headers.get("retry-after", "")
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _said(answer: Answer) -> str:
    message = answer.data.get("message") if isinstance(answer.data, dict) else None
    return f": {str(message)[:_MAX_SAID_CHARS]}" if message else ""
