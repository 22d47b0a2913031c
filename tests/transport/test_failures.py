"""What goes wrong with remotes, and what is said then: in time, without a question, no secret."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitmem.errors import AuthRefused, GitmemError, RemoteError, RemoteUnreachable, UnsafeRemote
from tests.conftest import Repo
from tests.support.servers import Server, pick_port, serve_http, serve_silence
from tests.transport.conftest import Stage, list_all, make_commit

OWN = "refs/gitmem/w/0123456789abcdef"
MINE = "refs/gitmem-remotes/origin/0123456789abcdef"

Call = Callable[[Stage, str], object]
CALLS: dict[str, Call] = {
    "list": lambda stage, url: stage.build(4).list_refs(url, "refs/"),
    "fetch": lambda stage, url: stage.build(4).fetch(url, [(OWN, MINE)]),
    "push": lambda stage, url: stage.build(4).push(url, [(stage.clone.head(), OWN)]),
    "delete": lambda stage, url: stage.build(4).delete(url, OWN, stage.clone.head()),
}


@pytest.fixture(params=sorted(CALLS))
def call(request: pytest.FixtureRequest) -> Call:
    return CALLS[request.param]


@pytest.fixture
def local(make_stage: Callable[[str], Stage]) -> Stage:
    return make_stage("path")


def add_trap(folder: Path, script: str) -> tuple[Path, Path]:
    """A program that leaves a mark when it is run."""
    program, mark = folder / "trap.sh", folder / "trap-was-run"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n{script}\n")
    program.chmod(0o755)
    return program, mark


def is_running(pid: int) -> bool:
    """Whether it runs; one that has ended and was not waited for does not."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, timeout=10)
    return done.stdout.strip()[:1] not in (b"", b"Z")


@pytest.mark.parametrize("kind", ["basic", "header"])
def test_missing_and_wrong_credentials_are_refused_without_a_question(
    make_stage: Callable[[str], Stage], kind: str, call: Call, tmp_path: Path
) -> None:
    stage = make_stage(kind)
    program, mark = add_trap(tmp_path, "sleep 60")
    wrong = "wr0ng" + secrets.token_hex(8)
    place = stage.url.rpartition("@")[2].removeprefix("http://")
    stage.server = Server(kind, stage.server.root, "", environ={"SSH_ASKPASS": str(program)})
    for name in stage.clone.git("config", "--name-only", "--list").splitlines():
        if name.endswith(".extraheader"):
            stage.clone.git("config", "--unset", name)
    before = stage.remote_refs()
    for url in (f"http://{place}", f"http://ada:{wrong}@{place}"):
        with pytest.raises(AuthRefused) as caught:
            call(stage, url)
        assert wrong not in caught.value.message
        assert "127.0.0.1" in caught.value.message
    assert stage.remote_refs() == before
    assert not mark.exists()


def test_a_key_that_ssh_does_not_take_is_an_auth_error(
    make_stage: Callable[[str], Stage], call: Call
) -> None:
    stage = make_stage("ssh")
    ssh = stage.server.environ["GIT_SSH_COMMAND"].replace("user_key", "host_key")
    stage.server = Server("ssh", stage.server.root, "", environ={"GIT_SSH_COMMAND": ssh})
    with pytest.raises(AuthRefused):
        call(stage, stage.url)


def test_an_unknown_host_key_is_not_a_question(make_stage: Callable[[str], Stage]) -> None:
    stage = make_stage("ssh")
    command = stage.server.environ["GIT_SSH_COMMAND"].replace("known_hosts", "nobody-known")
    stage.server = Server("ssh", stage.server.root, "", environ={"GIT_SSH_COMMAND": command})
    with pytest.raises(AuthRefused, match="Host key verification failed"):
        stage.build(10).list_refs(stage.url, "refs/")


@pytest.mark.parametrize("scheme", ["git", "http", "ssh"])
def test_a_port_where_nobody_listens(local: Stage, call: Call, scheme: str) -> None:
    with pytest.raises(RemoteUnreachable, match=r"127\.0\.0\.1"):
        call(local, f"{scheme}://127.0.0.1:{pick_port()}/x.git")


def test_a_host_that_does_not_exist(local: Stage, call: Call) -> None:
    with pytest.raises(RemoteUnreachable, match=r"no-such-host\.invalid"):
        call(local, "git://no-such-host.invalid/x.git")


@pytest.mark.parametrize("scheme", ["git", "http", "ssh"])
def test_a_server_that_never_answers(local: Stage, scheme: str) -> None:
    with serve_silence() as port, pytest.raises(RemoteUnreachable, match=r"127\.0\.0\.1"):
        local.build(1).list_refs(f"{scheme}://127.0.0.1:{port}/x.git", "refs/")


@pytest.mark.parametrize("transport_name", ["exec"], indirect=True)
def test_a_credential_helper_that_never_answers_is_ended(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("basic")
    pid = tmp_path / "pid"
    stage.clone.git("config", "credential.helper", f"!echo $$ > {pid}; exec sleep 60; :")
    place = stage.url.rpartition("@")[2]
    with pytest.raises(RemoteUnreachable, match="did not answer within"):
        stage.build(2).list_refs(f"http://{place}", "refs/")
    assert not is_running(int(pid.read_text()))


@pytest.mark.parametrize("transport_name", ["exec"], indirect=True)
def test_a_process_left_behind_does_not_hold_us_up(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("basic")
    user, _, password = stage.url.removeprefix("http://").rpartition("@")[0].partition(":")
    pid = tmp_path / "pid"
    program = tmp_path / "helper.sh"
    program.write_text(
        f"#!/bin/sh\nsetsid sh -c 'echo $$ > {pid}; exec sleep 300' >/dev/null &\n"
        f"echo username={user}\necho password={password}\n"
    )
    program.chmod(0o755)
    stage.clone.git("config", "credential.helper", str(program))
    place = stage.url.rpartition("@")[2]
    try:
        refs = stage.build(100).list_refs(f"http://{place}", "refs/tags/")
        assert list(refs) == ["refs/tags/v1"]
    finally:
        os.kill(int(pid.read_text()), 9)


@pytest.mark.parametrize("transport_name", ["exec"], indirect=True)
def test_credential_helpers_work(make_stage: Callable[[str], Stage]) -> None:
    stage = make_stage("basic")
    user, _, password = stage.url.removeprefix("http://").rpartition("@")[0].partition(":")
    helper = f"!f() {{ echo username={user}; echo password={password}; }}; f"
    stage.clone.git("config", "credential.helper", helper)
    place = stage.url.rpartition("@")[2]
    tip = stage.make_commit("ours")
    assert stage.build().push(f"http://{place}", [(tip, OWN)])[0].is_accepted


@pytest.mark.parametrize("transport_name", ["exec"], indirect=True)
def test_a_token_program_set_on_purpose_answers(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("basic")
    user, _, password = stage.url.removeprefix("http://").rpartition("@")[0].partition(":")
    program = tmp_path / "askpass.sh"
    program.write_text(f'#!/bin/sh\ncase "$1" in User*) echo {user};; *) echo {password};; esac\n')
    program.chmod(0o755)
    place = stage.url.rpartition("@")[2]
    refs = stage.build(GIT_ASKPASS=str(program)).list_refs(f"http://{place}", "refs/tags/")
    assert list(refs) == ["refs/tags/v1"]


def test_an_ssh_command_from_the_configuration_is_used(
    make_stage: Callable[[str], Stage],
) -> None:
    stage = make_stage("ssh")
    stage.clone.git("config", "core.sshCommand", stage.server.environ["GIT_SSH_COMMAND"])
    stage.server = Server("ssh", stage.server.root, "")
    assert list(stage.build().list_refs(stage.url, "refs/tags/")) == ["refs/tags/v1"]


@pytest.mark.parametrize(
    "address",
    ["--upload-pack=touch MARK", "ext::sh -c touch% MARK", "ssh://-oProxyCommand=touch MARK/x"],
)
def test_an_address_that_would_run_a_command_runs_nothing(
    local: Stage, call: Call, address: str, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    address = address.replace("MARK", str(mark))
    with pytest.raises(UnsafeRemote):
        call(local, address)
    local.clone.git("config", "remote.evil.url", address)
    with pytest.raises(UnsafeRemote):
        call(local, "evil")
    local.clone.git("config", "remote.rewritten.url", "fine:x")
    local.clone.git("config", f"url.{address}.insteadOf", "fine:")
    with pytest.raises(UnsafeRemote):
        call(local, "rewritten")
    assert not mark.exists()


def test_a_remote_that_needs_a_helper_is_unsafe(local: Stage, call: Call) -> None:
    local.clone.git("config", "remote.odd.url", "https://example.com/x")
    local.clone.git("config", "remote.odd.vcs", "hg")
    with pytest.raises(UnsafeRemote):
        call(local, "odd")


def test_racing_pushes_to_one_ref_leave_one_winner(make_stage: Callable[[str], Stage]) -> None:
    stage = make_stage("git")
    base = stage.make_commit("base")
    assert stage.build().push(stage.url, [(base, OWN)])[0].is_accepted
    tips = [stage.make_commit(f"t{number}", base) for number in range(8)]
    results: list[tuple[bool, bool]] = []

    def push(tip: str) -> None:
        (one,) = stage.build(60).push(stage.url, [(tip, OWN)])
        results.append((one.is_accepted, one.is_stale))

    threads = [threading.Thread(target=push, args=(tip,)) for tip in tips]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 8
    assert results.count((True, False)) == 1
    assert stage.remote_refs()[OWN] in tips


def test_a_shallow_remote_does_not_make_us_shallow(
    make_stage: Callable[[str], Stage], make_repo: Callable[..., Repo]
) -> None:
    stage = make_stage("git")
    whole = make_repo("whole")
    tip = make_commit(whole, "two", make_commit(whole, "one"))
    whole.git("update-ref", "refs/heads/main", tip)
    cut = stage.server.root / f"cut{secrets.token_hex(8)}.git"
    whole.git(
        "clone",
        "-q",
        "--bare",
        "--depth=1",
        f"file://{whole.path}",
        str(cut),
    )
    before = stage.clone_refs()
    with pytest.raises(GitmemError):
        stage.build().fetch(stage.server.url(cut.name), [("refs/heads/main", MINE)])
    assert stage.clone_refs() == before
    assert not (stage.clone.path / ".git" / "shallow").exists()


def test_a_shallow_clone_fetches_our_refs_whole(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("git")
    stage.clone.commit("second", a="2")
    stage.clone.git("push", "-q", str(stage.remote.path), "main")
    tip = make_commit(stage.remote, "two", make_commit(stage.remote, "one"))
    stage.remote.git("update-ref", OWN, tip)
    stage.remote.git(
        "clone", "-q", "--depth=1", f"file://{stage.remote.path}", str(tmp_path / "cut")
    )
    stage.clone = Repo(tmp_path / "cut")
    cut = (stage.clone.path / ".git" / "shallow").read_bytes()
    stage.build().fetch(stage.url, [(OWN, MINE)])
    assert stage.clone.git("rev-list", "--count", MINE) == "2"
    assert (stage.clone.path / ".git" / "shallow").read_bytes() == cut
    (result,) = stage.build().push(stage.url, [(tip, "refs/gitmem/w/" + "1" * 16)])
    assert result.is_accepted


@pytest.mark.parametrize("transport_name", ["exec"], indirect=True)
def test_a_partial_clone_fetches_our_refs_unfiltered(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("git")
    stage.remote.git("config", "uploadpack.allowFilter", "true")
    tip = make_commit(stage.remote, "theirs")
    stage.remote.git("update-ref", OWN, tip)
    stage.clone.git("clone", "-q", "--filter=blob:none", stage.url, str(tmp_path / "partial"))
    stage.clone = Repo(tmp_path / "partial")
    stage.build().fetch("origin", [(OWN, MINE)])
    stage.clone.git("remote", "set-url", "origin", str(tmp_path / "gone"))
    assert stage.clone.git("cat-file", "-p", f"{MINE}:record") == "theirs"


def test_an_empty_remote_has_no_refs(make_stage: Callable[[str], Stage]) -> None:
    for kind in ("path", "git", "http"):
        stage = make_stage(kind)
        for ref in stage.remote_refs():
            stage.remote.git("update-ref", "-d", ref)
        assert stage.build().list_refs(stage.url, "refs/") == {}
        assert stage.build().push(stage.url, [(stage.clone.head(), OWN)])[0].is_accepted


@pytest.fixture
def nonsense() -> Iterator[int]:
    """A port that answers every connection with bytes that mean nothing."""

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(1024)
                connection.sendall(b"\x00\xff0bad\x1b]0;owned\x07 pack \n" * 50)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.mark.parametrize("scheme", ["git", "http"])
def test_a_server_that_talks_nonsense(local: Stage, call: Call, scheme: str, nonsense: int) -> None:
    with pytest.raises(RemoteError) as caught:
        call(local, f"{scheme}://127.0.0.1:{nonsense}/x.git")
    assert "\x1b" not in caught.value.message and "\x07" not in caught.value.message


@pytest.mark.parametrize("transport_name", ["dulwich"], indirect=True)
def test_headers_are_not_carried_to_another_host(
    make_stage: Callable[[str], Stage], tmp_path: Path
) -> None:
    stage = make_stage("http")
    other = stage.server.prefix
    seen: list[str] = []

    def demand(headers: object) -> bool:
        seen.append(str(headers))
        return True

    with (
        serve_http(tmp_path, tmp_path, demand, redirect_to=other) as place,
        pytest.raises(RemoteError, match="another host"),
    ):
        stage.build().list_refs(f"http://{place}/{stage.remote.path.name}", "refs/")
    assert seen


@pytest.mark.parametrize("transport_name", ["dulwich"], indirect=True)
def test_a_repository_with_the_branch_checked_out_is_not_pushed_to(
    make_stage: Callable[[str], Stage], make_repo: Callable[..., Repo]
) -> None:
    stage = make_stage("path")
    other = make_repo("other")
    other.commit("theirs", a="1")
    stage.clone.git("fetch", "-q", str(other.path), "main")
    tip = stage.make_commit("ours", other.head())
    (result,) = stage.build().push(str(other.path), [(tip, "refs/heads/main")])
    assert (result.is_accepted, result.is_stale) == (False, False)
    assert list_all(other) == {"refs/heads/main": other.head()}
