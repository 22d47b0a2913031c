"""What a remote sends is complete before a ref names it; what dulwich cannot do is said."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from gitmem.errors import GitFailed, RemoteError
from gitmem.git.transport_dulwich import DulwichTransport
from tests.conftest import Repo
from tests.transport.conftest import Stage, make_commit

OWN = "refs/gitmem/w/0123456789abcdef"
MINE = "refs/gitmem-remotes/origin/0123456789abcdef"


def pkt(data: bytes) -> bytes:
    return b"%04x" % (len(data) + 4) + data


@contextlib.contextmanager
def serve_pack(oid: str, pack: bytes) -> Iterator[str]:
    """A git:// server that has one ref and answers every request with the same pack."""

    def serve(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, connection.makefile("rb") as lines:
                    lines.read(int(lines.read(4), 16) - 4)
                    connection.sendall(pkt(f"{oid} {OWN}\0ofs-delta\n".encode()) + b"0000")
                    while (size := lines.read(4)) and b"done" not in (
                        lines.read(int(size, 16) - 4) if size != b"0000" else b""
                    ):
                        pass
                    connection.sendall(pkt(b"NAK\n") + pack)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield f"git://127.0.0.1:{listening.getsockname()[1]}/r"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def build_pack(repo: Repo, *oids: str) -> bytes:
    name = repo.git("pack-objects", "p", stdin="\n".join(oids).encode() + b"\n")
    return (repo.path / f"p-{name}.pack").read_bytes()


def test_a_pack_that_leaves_objects_out_is_refused_every_time(
    make_stage: Callable[[str], Stage], make_repo: Callable[..., Repo]
) -> None:
    stage, source = make_stage("path"), make_repo("source")
    tip = make_commit(source, "theirs")
    before = stage.clone_refs()
    with serve_pack(tip, build_pack(source, tip)) as url:
        for _ in range(2):
            with pytest.raises(RemoteError):
                stage.build(10).fetch(url, [(OWN, MINE)])
    assert stage.clone_refs() == before


def test_the_same_pack_made_whole_is_taken(
    make_stage: Callable[[str], Stage], make_repo: Callable[..., Repo]
) -> None:
    stage, source = make_stage("path"), make_repo("source")
    tip = make_commit(source, "theirs")
    objects = source.git("rev-list", "--objects", "--no-object-names", tip).split("\n")
    with serve_pack(tip, build_pack(source, *objects)) as url:
        stage.build(10).fetch(url, [(OWN, MINE)])
    assert stage.clone.git("cat-file", "-p", f"{MINE}:record") == "theirs"


def test_a_damaged_pack_is_refused(
    make_stage: Callable[[str], Stage], make_repo: Callable[..., Repo]
) -> None:
    stage, source = make_stage("path"), make_repo("source")
    tip = make_commit(source, "theirs")
    pack = bytearray(build_pack(source, tip, f"{tip}"))
    pack[len(pack) // 2] ^= 1
    before = stage.clone_refs()
    with serve_pack(tip, bytes(pack)) as url, pytest.raises(RemoteError):
        stage.build(10).fetch(url, [(OWN, MINE)])
    assert stage.clone_refs() == before


def test_dulwich_says_that_it_cannot_push_sha256(make_repo: Callable[..., Repo]) -> None:
    ours = make_repo("ours", "--object-format=sha256")
    theirs = make_repo("theirs", "--bare", "--object-format=sha256")
    transport = DulwichTransport(ours.path / ".git", os.environ)
    with pytest.raises(GitFailed, match="SHA-256") as caught:
        transport.push(str(theirs.path), [(make_commit(ours, "x"), OWN)])
    assert "git" in caught.value.hint


def test_dulwich_says_that_it_cannot_open_a_partial_clone(repo: Repo) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    with pytest.raises(GitFailed, match="without the git program"):
        DulwichTransport(repo.path / ".git", os.environ).list_refs("/nowhere", "refs/")
