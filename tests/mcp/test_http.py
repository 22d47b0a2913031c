"""Over HTTP: on this machine alone, to whoever has the token."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.conftest import call
from tests.support.commandline import Clone, start_gitmem

TOKEN = "the-token-of-this-test"
KINDS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@contextmanager
def _serve(clone: Clone, env: dict[str, str]) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = start_gitmem(clone.path, "mcp", "--http", str(port), env={**clone.env, **env})
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.05)
        yield port, process
    finally:
        process.kill()
        process.communicate()


def _ask(port: int, method: str, headers: dict[str, str]) -> int:
    """The status for a request whose body never comes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest(method, "/mcp")
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def _post(port: int, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("POST", "/mcp", skip_host="Host" in headers)
    for name, value in {**KINDS, "Content-Length": str(len(PING)), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(PING.encode())
    status = connection.getresponse().status
    connection.close()
    return status


def test_only_the_token_opens_and_only_under_this_machines_names(ada: Clone) -> None:
    with _serve(ada, {"GITMEM_MCP_TOKEN": TOKEN}) as (port, _):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        for refused in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            assert _post(port, refused) == 401
        for host in ("evil.example", f"localhost.evil.example:{port}", f"127.0.0.1.nip.io:{port}"):
            assert _post(port, {**bearer, "Host": host}) in (403, 421)
        for origin in ("https://evil.example", "null", f"http://[::1]:{port}"):
            assert _post(port, {**bearer, "Origin": origin}) == 403
        assert _post(port, {**bearer, "Host": f"[::1]:{port}"}) == 421
        for method in ("GET", "DELETE", "OPTIONS", "HEAD", "PUT"):
            assert _ask(port, method, {}) == 401
        assert _ask(port, "POST", {"Content-Length": str(2**40)}) == 401
        assert _ask(port, "POST", {**bearer, **KINDS, "Content-Length": str(2**40)}) == 413

        async def say() -> None:
            async with httpx2.AsyncClient(headers=bearer, timeout=60) as web:
                transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
                async with Client(transport) as client:
                    why = await call(client, "why", target="cache.py")
                    assert "Keyed by tenant" in why["text"]

        asyncio.run(asyncio.wait_for(say(), 60))


def test_who_is_refused_leaves_nothing_on_the_terminal_and_slow_ones_hold_nobody_up(
    ada: Clone,
) -> None:
    with _serve(ada, {"GITMEM_MCP_TOKEN": TOKEN}) as (port, process):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        for connection in slow:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-")
        assert _post(port, {**bearer, "Host": "evil.example\x1b[2J"}) in (400, 421)
        assert _post(port, {**bearer, "Origin": "https://evil.example"}) == 403
        for connection in slow:
            connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read().split() in ([], [b"interrupted"])


def test_a_port_that_is_taken_is_said(ada: Clone) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = ada.gitmem("mcp", "--http", str(port)).ends(2).err
    assert f"nothing can listen on 127.0.0.1:{port}" in said and "--http PORT" in said


def test_it_listens_on_loopback_alone_and_says_a_new_token_once(ada: Clone) -> None:
    with _serve(ada, {}) as (port, process):
        assert process.stderr is not None
        said = process.stderr.readline().decode().strip()
        token = said.removeprefix("token: ")
        assert len(token) > 30
        assert _post(port, {"Authorization": f"Bearer {token}"}) not in (401, 403)
        others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
        for address in others - {"127.0.0.1", "::1"}:
            with pytest.raises(OSError):
                socket.create_connection((str(address), port), timeout=2).close()
