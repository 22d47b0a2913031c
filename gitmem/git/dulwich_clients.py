"""dulwich's protocol clients, bounded in time and built from a checked address.

dulwich takes some addresses for others (IPv6 hosts, mixed forms), waits for ever on a silent
server, and follows a redirect to another host with the user's headers. So the clients are
built here, from parts that `remote_address` took apart.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import urllib3
from dulwich.client import (
    GitClient,
    LocalGitClient,
    SSHGitClient,
    SSHVendor,
    SubprocessWrapper,
    TCPGitClient,
    Urllib3HttpGitClient,
    default_urllib3_manager,
)
from dulwich.config import StackedConfig
from dulwich.protocol import Protocol

from gitmem.errors import PartMissing, RemoteError
from gitmem.git.process import end_process
from gitmem.git.remote_address import Address
from gitmem.git.transport_errors import name_host

CONNECT_SECONDS = 20.0
_MAX_REDIRECTS = 5


class Deadline:
    """A moment after which every open connection of one operation is torn down."""

    def __init__(self, timeout_seconds: float) -> None:
        self._end = time.monotonic() + timeout_seconds
        self._enders: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(timeout_seconds, self._expire)
        self._timer.daemon = True
        self.is_over = False

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._end_all()

    def left_seconds(self) -> float:
        """How long is left; at least a moment, so that it can be a time-out."""
        return max(0.01, self._end - time.monotonic())

    def on_end(self, ender: Callable[[], None]) -> None:
        """Call this at the deadline, or when the operation is done."""
        with self._lock:
            self._enders.append(ender)
        if self.is_over:
            ender()

    def check(self) -> None:
        """Raises TimeoutError once the deadline has passed."""
        if self.is_over or time.monotonic() >= self._end:
            self.is_over = True
            raise TimeoutError("timed out")

    def _expire(self) -> None:
        self.is_over = True
        self._end_all()

    def _end_all(self) -> None:
        with self._lock:
            enders, self._enders = self._enders, []
        for ender in enders:
            with contextlib.suppress(OSError):
                ender()


def build_client(
    address: Address, config: StackedConfig, environ: Mapping[str, str], deadline: Deadline
) -> tuple[GitClient, str]:
    """The client for an address, and the path to ask it for. Raises PartMissing where it
    needs ssh and there is none."""
    if address.is_local:
        return LocalGitClient(), address.path
    if address.kind == "git":
        return _TcpClient(address, deadline), address.path
    if address.kind == "ssh":
        command = _build_ssh_command(config, environ)
        vendor = _SshVendor(command, environ, deadline)
        client = SSHGitClient(address.host, port=address.port, username=address.user, vendor=vendor)
        return client, address.path
    return _HttpClient(address, config, deadline), address.path


class _TcpClient(TCPGitClient):
    def __init__(self, address: Address, deadline: Deadline) -> None:
        super().__init__(address.host, port=address.port)
        self._deadline = deadline

    def _connect(
        self, cmd: bytes, path: str | bytes, protocol_version: int | None = None
    ) -> tuple[Protocol, Callable[[], bool], None]:
        """As dulwich's own, with a time-out and protocol version 0, which every server has
        and where one exchange gives refs and objects."""
        limit = min(CONNECT_SECONDS, self._deadline.left_seconds())
        connection = socket.create_connection((self._host, self._port), limit)
        connection.settimeout(None)
        self._deadline.on_end(lambda: connection.shutdown(socket.SHUT_RDWR))
        read_file = connection.makefile("rb", -1)
        write_file = connection.makefile("wb", 0)

        def close() -> None:
            read_file.close()
            write_file.close()
            connection.close()

        protocol = Protocol(read_file.read, write_file.write, close)
        host = f"[{self._host}]" if ":" in self._host else self._host
        data = path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape")
        if data.startswith(b"/~"):
            data = data[1:]
        self.protocol_version = 0
        protocol.send_cmd(b"git-" + cmd, data, b"host=" + host.encode("idna"))
        return protocol, lambda: bool(select.select([connection], [], [], 0)[0]), None


class _SshVendor(SSHVendor):
    """Runs ssh in a session of its own, which cannot ask anything and dies at the deadline."""

    def __init__(self, command: list[str], environ: Mapping[str, str], deadline: Deadline) -> None:
        self._command = command
        self._environ = {
            name: value for name, value in environ.items() if name != "SSH_ASKPASS"
        } | {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
        self._deadline = deadline

    def run_command(
        self,
        host: str,
        command: bytes,
        username: str | None = None,
        port: int | None = None,
        password: str | None = None,
        key_filename: str | None = None,
        ssh_command: str | None = None,
        protocol_version: int | None = None,
    ) -> SubprocessWrapper:
        del password, key_filename, ssh_command, protocol_version
        place = f"{username}@{host}" if username else host
        options = ["-x", *(["-p", str(port)] if port else [])]
        try:
            process = subprocess.Popen(
                [*self._command, *options, "--", place, os.fsdecode(command)],
                bufsize=0,
                env=self._environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise PartMissing(f"ssh does not start: {error.strerror}") from None
        self._deadline.on_end(lambda: end_process(process))
        return SubprocessWrapper(process)


class _HttpClient(Urllib3HttpGitClient):
    def __init__(self, address: Address, config: StackedConfig, deadline: Deadline) -> None:
        host = f"[{address.host}]" if ":" in address.host else address.host
        port = f":{address.port}" if address.port else ""
        base = f"{address.kind}://{host}{port}{address.path}"
        pool = default_urllib3_manager(config, base_url=base, timeout=CONNECT_SECONDS)
        super().__init__(
            base,
            pool_manager=_BoundedPool(pool, deadline),  # type: ignore[arg-type]
            config=config,
            username=address.user,
            password=address.password,
        )
        self._address = address
        self._deadline = deadline

    def _http_request(
        self,
        url: str,
        headers: dict[str, str] | None = None,
        data: bytes | Iterator[bytes] | None = None,
        raise_for_status: bool = True,
    ) -> tuple[Any, Callable[[int], bytes]]:
        response, read = super()._http_request(url, headers, data, raise_for_status)
        if not _is_same_host(url, urljoin(url, str(response.redirect_location or ""))):
            response.close()
            raise RemoteError(f"{name_host(self._address)} redirects to another host")

        def read_in_time(size: int = -1) -> bytes:
            self._deadline.check()
            return read(size)

        return response, read_in_time


class _BoundedPool:
    """A urllib3 pool whose every request has what is left of the time, and one try."""

    def __init__(self, pool: Any, deadline: Deadline) -> None:
        self._pool = pool
        self._deadline = deadline
        self.headers = pool.headers

    def request(self, method: str, url: str, **options: Any) -> Any:
        self._deadline.check()
        left = self._deadline.left_seconds()
        options["timeout"] = urllib3.Timeout(connect=min(CONNECT_SECONDS, left), read=left)
        options["retries"] = urllib3.Retry(
            total=_MAX_REDIRECTS, redirect=_MAX_REDIRECTS, connect=0, read=0, status=0, other=0
        )
        return self._pool.request(method, url, **options)


def _is_same_host(before: str, after: str) -> bool:
    """The same origin, or the same host one step safer (http to https, default ports)."""
    one, two = urlsplit(before), urlsplit(after)
    if two.scheme == one.scheme:
        return one.netloc.lower() == two.netloc.lower()
    return (
        (one.scheme, two.scheme) == ("http", "https")
        and one.hostname == two.hostname
        and one.port in (None, 80)
        and two.port in (None, 443)
    )


def _build_ssh_command(config: StackedConfig, environ: Mapping[str, str]) -> list[str]:
    """GIT_SSH_COMMAND, core.sshCommand, GIT_SSH, else ssh that neither asks nor hangs."""
    command = environ.get("GIT_SSH_COMMAND")
    if not command:
        with contextlib.suppress(KeyError):
            command = config.get((b"core",), b"sshcommand").decode("utf-8", "surrogateescape")
    if command:
        try:
            return shlex.split(command, posix=os.name == "posix")
        except ValueError:
            raise PartMissing("the configured ssh command cannot be understood") from None
    if environ.get("GIT_SSH"):
        return [environ["GIT_SSH"]]
    return ["ssh", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={int(CONNECT_SECONDS)}"]
