"""Servers for the whole session, and for each test a remote, a clone and a transport."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.git.transport_dulwich import DulwichTransport
from gitmem.git.transport_exec import ExecTransport
from gitmem.ports.transport import Transport
from tests.conftest import Repo
from tests.support.servers import (
    SSHD,
    Server,
    serve_daemon,
    serve_http_basic,
    serve_http_header,
    serve_http_open,
    serve_ssh,
)

KINDS = ("path", "file", "git", "http", "basic", "header", "ssh")
TRANSPORTS = {"exec": ExecTransport, "dulwich": DulwichTransport}
TIMEOUT_SECONDS = 30


class Stage:
    """A bare remote behind a server, a clone beside it, and a transport on the clone."""

    def __init__(self, server: Server, remote: Repo, clone: Repo, transport_name: str) -> None:
        self.server = server
        self.remote = remote
        self.clone = clone
        self.transport_name = transport_name
        self.url = server.url(remote.path.name)

    @property
    def is_dulwich(self) -> bool:
        return self.transport_name == "dulwich"

    def build(self, timeout_seconds: float = TIMEOUT_SECONDS, **environ: str) -> Transport:
        return TRANSPORTS[self.transport_name](
            self.clone.path / ".git",
            {**os.environ, **self.server.environ, **environ},
            timeout_seconds,
        )

    def make_commit(self, text: str, parent: str | None = None) -> str:
        """A commit in the clone that no ref reaches."""
        return make_commit(self.clone, text, parent)

    def remote_refs(self) -> dict[str, str]:
        return list_all(self.remote)

    def clone_refs(self) -> dict[str, str]:
        return list_all(self.clone)


def make_commit(repo: Repo, text: str, parent: str | None = None) -> str:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\trecord\n".encode())
    parents = ["-p", parent] if parent else []
    return repo.git("commit-tree", tree, *parents, "-m", text)


def list_all(repo: Repo) -> dict[str, str]:
    lines = repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ") for line in lines)


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Starts the server of a kind when it is first asked for."""
    root = tmp_path_factory.mktemp("served")
    home = tmp_path_factory.mktemp("server-home")
    starters = {
        "git": serve_daemon,
        "http": serve_http_open,
        "basic": serve_http_basic,
        "header": serve_http_header,
    }
    running: dict[str, Server] = {
        "path": Server("path", root, f"{root}/"),
        "file": Server("file", root, f"file://{root}/"),
    }
    with contextlib.ExitStack() as stack:

        def get(kind: str) -> Server:
            if kind == "ssh" and not Path(SSHD).exists():
                pytest.skip("sshd is not installed here")
            if kind not in running:
                manager = (
                    serve_ssh(root, home / "ssh") if kind == "ssh" else starters[kind](root, home)
                )
                running[kind] = stack.enter_context(manager)
            return running[kind]

        yield get


@pytest.fixture(params=sorted(TRANSPORTS))
def transport_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make_stage(
    servers: Callable[[str], Server], make_repo: Callable[..., Repo], transport_name: str
) -> Callable[[str], Stage]:
    count = iter(range(100))

    def make(kind: str) -> Stage:
        server = servers(kind)
        clone = make_repo(f"clone{next(count)}")
        clone.commit("first", a="1")
        clone.git("tag", "v1")
        remote = Repo(server.root / f"r{os.urandom(8).hex()}.git")
        remote.path.mkdir()
        remote.git("init", "-q", "--bare")
        clone.git("push", "-q", str(remote.path), "main", "v1")
        for key, value in server.config.items():
            clone.git("config", key, value)
        return Stage(server, remote, clone, transport_name)

    return make


@pytest.fixture(params=KINDS)
def stage(request: pytest.FixtureRequest, make_stage: Callable[[str], Stage]) -> Stage:
    return make_stage(str(request.param))


@pytest.fixture(params=["path", "http"])
def plain(request: pytest.FixtureRequest, make_stage: Callable[[str], Stage]) -> Stage:
    """For what has nothing to do with how the remote is reached."""
    return make_stage(str(request.param))


@pytest.fixture(params=["git", "http", "ssh"])
def networked(request: pytest.FixtureRequest, make_stage: Callable[[str], Stage]) -> Stage:
    return make_stage(str(request.param))
