"""Real git servers on loopback, on ports the system picks, each with a HOME of its own."""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

START_SECONDS = 10.0
SSHD = "/usr/sbin/sshd"


class Server:
    """A running server over a folder of bare repositories.

    `url(name)` is the address of a repository; `environ` is what a client needs besides;
    `secret` must never be shown.
    """

    def __init__(
        self,
        kind: str,
        root: Path,
        prefix: str,
        *,
        environ: dict[str, str] | None = None,
        config: dict[str, str] | None = None,
        secret: str = "",
    ) -> None:
        self.kind = kind
        self.root = root
        self.prefix = prefix
        self.environ = environ or {}
        self.config = config or {}
        self.secret = secret

    def url(self, name: str) -> str:
        return f"{self.prefix}{name}"

    @property
    def is_local(self) -> bool:
        return self.kind in ("path", "file")


def build_server_environ(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }


def pick_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"the server ended at once with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise AssertionError("the server did not start")


@contextlib.contextmanager
def run_process(command: list[str], port: int, home: Path) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        env=build_server_environ(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for_port(port, process)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, 15)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait(5)


@contextlib.contextmanager
def serve_daemon(root: Path, home: Path) -> Iterator[Server]:
    """`git daemon` that takes pushes, one process a connection: its own listening socket drops
    connections when many come at once."""
    command = ["git", "daemon", "--inetd", "--export-all", "--enable=receive-pack"]
    command += [f"--base-path={root}", str(root)]
    environ = build_server_environ(home)

    def serve(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    subprocess.Popen(
                        command,
                        env=environ,
                        stdin=connection,
                        stdout=connection,
                        stderr=subprocess.DEVNULL,
                    )

    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield Server("git", root, f"git://127.0.0.1:{listening.getsockname()[1]}/")
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@contextlib.contextmanager
def serve_ssh(root: Path, home: Path) -> Iterator[Server]:
    """`sshd` with a key for this user alone."""
    home.mkdir(exist_ok=True)
    for name in ("host_key", "user_key"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)],
            check=True,
            timeout=30,
        )
    shutil.copy(home / "user_key.pub", home / "authorized_keys")
    port = pick_port()
    (home / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host_key\n"
        f"AuthorizedKeysFile {home}/authorized_keys\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\n"
        "AcceptEnv GIT_PROTOCOL\nMaxStartups 100\nUseDNS no\nPrintLastLog no\n"
        "KexAlgorithms curve25519-sha256\n"
        "SetEnv GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1\n"
    )
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(parents=True, exist_ok=True)
    public = (home / "host_key.pub").read_text().split()
    (home / "known_hosts").write_text(f"[127.0.0.1]:{port} {public[0]} {public[1]}\n")
    ssh = (
        f"ssh -F /dev/null -i {home}/user_key -o IdentitiesOnly=yes -o BatchMode=yes"
        f" -o UserKnownHostsFile={home}/known_hosts"
    )
    with run_process([SSHD, "-D", "-e", "-f", str(home / "sshd_config")], port, home):
        yield Server(
            "ssh",
            root,
            f"ssh://{getpass.getuser()}@127.0.0.1:{port}{root}/",
            environ={"GIT_SSH_COMMAND": ssh},
        )


@contextlib.contextmanager
def serve_http(
    root: Path,
    home: Path,
    demand: Callable[[Any], bool] | None = None,
    redirect_to: str | None = None,
) -> Iterator[str]:
    """`git http-backend` behind a small server; `demand` looks at a request's headers."""
    settings = {
        "root": root,
        "home": home,
        "demand": staticmethod(demand) if demand else None,
        "redirect_to": redirect_to,
    }
    handler = type("Handler", (_GitHandler,), settings)
    server = _HttpServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextlib.contextmanager
def serve_http_open(root: Path, home: Path) -> Iterator[Server]:
    with serve_http(root, home) as place:
        yield Server("http", root, f"http://{place}/")


@contextlib.contextmanager
def serve_http_basic(root: Path, home: Path) -> Iterator[Server]:
    """Wants a user and a password, which the address carries."""
    secret = secrets.token_hex(12)
    wanted = "Basic " + base64.b64encode(f"ada:{secret}".encode()).decode()
    with serve_http(root, home, lambda headers: headers["Authorization"] == wanted) as place:
        yield Server("basic", root, f"http://ada:{secret}@{place}/", secret=secret)


@contextlib.contextmanager
def serve_http_header(root: Path, home: Path) -> Iterator[Server]:
    """Wants a header that comes from `http.<url>.extraheader`, as in continuous integration."""
    secret = secrets.token_hex(12)
    wanted = "Basic " + base64.b64encode(f"x-access-token:{secret}".encode()).decode()
    with serve_http(root, home, lambda headers: headers["Authorization"] == wanted) as place:
        yield Server(
            "header",
            root,
            f"http://{place}/",
            config={f"http.http://{place}/.extraheader": f"Authorization: {wanted}"},
            secret=wanted[6:],
        )


@contextlib.contextmanager
def serve_silence() -> Iterator[int]:
    """A port that accepts and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(16)
        yield int(listening.getsockname()[1])


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _GitHandler(BaseHTTPRequestHandler):
    root: Path
    home: Path
    demand: Callable[[Any], bool] | None
    redirect_to: str | None

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self._read_body()
        if self.demand is not None and not self.demand(self.headers):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.redirect_to is not None:
            self.send_response(302)
            self.send_header("Location", self.redirect_to + self.path.lstrip("/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        environ = build_server_environ(self.home) | {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REMOTE_USER": "tester",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=environ, capture_output=True, timeout=60
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
