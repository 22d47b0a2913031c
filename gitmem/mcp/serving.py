"""How the server is reached: over standard streams, or over HTTP on this machine alone."""

from __future__ import annotations

import hmac
import os
import secrets
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from gitmem.errors import UsageError
from gitmem.mcp.server import build_server

HOST = "127.0.0.1"
PATH = "/mcp"
TOKEN_VARIABLE = "GITMEM_MCP_TOKEN"
MAX_BODY_BYTES = 1024 * 1024
_LEAST_TOKEN_CHARS = 16


def serve_stdio(folder: Path, environ: Mapping[str, str], sets: Sequence[str]) -> None:
    """Serve one client over standard input and output, until it goes, or until an interrupt: a
    thread that waits for input would keep the process from ending by itself."""
    signal.signal(signal.SIGINT, _leave)
    build_server(folder, environ, sets).run()


def serve_http(folder: Path, environ: Mapping[str, str], sets: Sequence[str], *, port: int) -> None:
    """Serve over HTTP, bound to loopback, to whoever has the token: that of the environment,
    else a new one, which is said on stderr and nowhere else. Raises UsageError for a port that
    cannot be had."""
    with _listen(port) as listening:
        app = build_http_app(folder, environ, sets, port=port, token=choose_token(environ))
        config = uvicorn.Config(app, log_level="error")
        uvicorn.Server(config).run(sockets=[listening])


def _leave(*_: object) -> NoReturn:
    os._exit(128 + signal.SIGINT)  # what is written durably is written whole or not at all


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        reason = (error.strerror or "error").lower()
        raise UsageError(
            f"nothing can listen on {HOST}:{port}: {reason}",
            hint="Choose another port: gitmem mcp --http PORT",
        ) from None


def choose_token(environ: Mapping[str, str]) -> str:
    token = environ.get(TOKEN_VARIABLE, "")
    if len(token) >= _LEAST_TOKEN_CHARS:
        return token
    token = secrets.token_urlsafe(32)
    sys.stderr.write(f"token: {token}\n")
    sys.stderr.flush()
    return token


def build_http_app(
    folder: Path, environ: Mapping[str, str], sets: Sequence[str], *, port: int, token: str
) -> ASGIApp:
    """The application behind its guard. A page in a browser that reaches this port under
    another name, or from another origin, is refused by the SDK's own check."""
    names = [f"{host}:{port}" for host in (HOST, "localhost")]
    app = build_server(folder, environ, sets).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        ),
        host=HOST,
    )
    return _Guard(app, token)


class _Guard:
    """Lets in who has the token, before anything of the request is looked at."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        start: dict[str, Any] = {
            "type": "http.response.start",
            "status": 401,
            "headers": [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")],
        }
        await send(start)
        await send({"type": "http.response.body", "body": b""})

    def _is_allowed(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return False
        said = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
        return len(said) == 1 and hmac.compare_digest(said[0], self._expected)
