"""What every transport does, over every way to reach a repository."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import GitmemError, RemoteUnreachable
from tests.transport.conftest import Stage, make_commit

OWN = "refs/gitmem/w/0123456789abcdef"
OTHER = "refs/gitmem/w/fedcba9876543210"
FETCHED = "refs/gitmem-remotes/origin/fedcba9876543210"


def write_hook(stage: Stage, name: str, script: str) -> None:
    hook = stage.remote.path / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)


def look_at(stage: Stage) -> dict[str, bytes]:
    """Everything of the clone's git folder but objects: refs, logs, configuration."""
    top = stage.clone.path / ".git"
    return {
        str(file.relative_to(top)): file.read_bytes()
        for file in sorted(top.rglob("*"))
        if file.is_file() and file.relative_to(top).parts[0] != "objects"
    }


def test_lists_refs_under_the_prefixes_only(stage: Stage) -> None:
    tip = make_commit(stage.remote, "theirs")
    stage.remote.git("update-ref", OTHER, tip)
    stage.remote.git("update-ref", "refs/gitmem/writer", tip)
    transport = stage.build()
    assert transport.list_refs(stage.url, "refs/gitmem/w/") == {OTHER: tip}
    assert transport.list_refs(stage.url, "refs/") == stage.remote_refs()
    assert transport.list_refs(stage.url) == {}
    assert transport.list_refs(stage.url, "refs/absent/") == {}


def test_fetches_custom_refs_and_changes_nothing_else(stage: Stage) -> None:
    base = make_commit(stage.remote, "one")
    tip = make_commit(stage.remote, "two", base)
    stage.remote.git("update-ref", OTHER, tip)
    stage.remote.git("tag", "v2", tip)
    before, there = look_at(stage), stage.remote_refs()
    stage.build().fetch(stage.url, [(OTHER, FETCHED)])
    after = look_at(stage)
    assert stage.clone.git("rev-parse", FETCHED) == tip
    assert stage.clone.git("cat-file", "-p", f"{FETCHED}~1:record") == "one"
    assert set(after) - set(before) <= {FETCHED, f"logs/{FETCHED}"}
    assert {name: after[name] for name in before} == before
    assert stage.remote_refs() == there
    stage.clone.git("fsck", "--strict")


def test_a_fetch_follows_a_ref_that_was_rewritten(stage: Stage) -> None:
    first = make_commit(stage.remote, "one")
    second = make_commit(stage.remote, "another one")
    transport = stage.build()
    for tip in (first, second, second):
        stage.remote.git("update-ref", OTHER, tip)
        transport.fetch(stage.url, [(OTHER, FETCHED)])
        assert stage.clone.git("rev-parse", FETCHED) == tip


def test_wild_cards_fetch_every_ref_under_a_prefix(stage: Stage) -> None:
    writers = [f"{number:016x}" for number in range(3)]
    tips = {name: make_commit(stage.remote, name) for name in writers}
    for name, tip in tips.items():
        stage.remote.git("update-ref", f"refs/gitmem/w/{name}", tip)
    # The same writer, from the time when the host took no refs of our own kind.
    older = make_commit(stage.remote, "older")
    stage.remote.git("update-ref", f"refs/heads/gitmem-w/{writers[0]}", older)
    there, place = stage.remote_refs(), "refs/gitmem-remotes/origin/"
    wild = [("refs/gitmem/w/*", f"{place}*"), ("refs/heads/gitmem-w/*", f"{place}*")]
    before = stage.clone_refs()
    for _ in range(2):
        stage.build().fetch(stage.url, wild)
        assert stage.clone_refs() == before | {place + name: tip for name, tip in tips.items()}
    assert stage.remote_refs() == there


def test_a_wild_card_that_fits_nothing_fetches_nothing(stage: Stage) -> None:
    stage.remote.git("update-ref", "refs/other/ref", make_commit(stage.remote, "one"))
    before = stage.clone_refs()
    stage.build().fetch(stage.url, [("refs/gitmem/w/*", "refs/gitmem-remotes/origin/*")])
    assert stage.clone_refs() == before


def test_a_fetch_of_a_ref_that_is_not_there_is_an_error(stage: Stage) -> None:
    before = stage.clone_refs()
    with pytest.raises(GitmemError):
        stage.build().fetch(stage.url, [(OTHER, FETCHED)])
    assert stage.clone_refs() == before


def test_pushes_a_new_ref_and_moves_it_forward(stage: Stage) -> None:
    first = stage.make_commit("one")
    second = stage.make_commit("two", first)
    transport, before, there = stage.build(), look_at(stage), stage.remote_refs()
    for tip in (first, second, second):
        (result,) = transport.push(stage.url, [(tip, OWN)])
        assert (result.ref, result.is_accepted, result.is_stale) == (OWN, True, False)
        assert stage.remote_refs() == there | {OWN: tip}
    assert look_at(stage) == before
    stage.remote.git("fsck", "--strict")


def test_a_push_that_is_no_fast_forward_is_stale_and_changes_nothing(stage: Stage) -> None:
    theirs = make_commit(stage.remote, "unknown here")
    stage.remote.git("update-ref", OWN, theirs)
    ours = stage.make_commit("ours")
    before = stage.remote_refs()
    (result,) = stage.build().push(stage.url, [(ours, OWN)])
    assert (result.is_accepted, result.is_stale) == (False, True)
    stage.clone.git("fetch", "-q", str(stage.remote.path), OWN)
    (result,) = stage.build().push(stage.url, [(ours, OWN)])
    assert (result.is_accepted, result.is_stale) == (False, True)
    assert stage.remote_refs() == before


def test_one_stale_ref_does_not_hold_back_the_others(stage: Stage) -> None:
    stage.remote.git("update-ref", OWN, make_commit(stage.remote, "unknown here"))
    ours = stage.make_commit("ours")
    stale, fine = stage.build().push(stage.url, [(ours, OWN), (ours, OTHER)])
    assert (stale.ref, stale.is_accepted, stale.is_stale) == (OWN, False, True)
    assert (fine.ref, fine.is_accepted) == (OTHER, True)


def test_deletes_with_a_lease(stage: Stage) -> None:
    tip = make_commit(stage.remote, "theirs")
    stage.remote.git("update-ref", OWN, tip)
    before = stage.remote_refs()
    transport = stage.build()
    refused = transport.delete(stage.url, OWN, stage.make_commit("something else"))
    assert (refused.is_accepted, refused.is_stale) == (False, True)
    assert stage.remote_refs() == before
    assert transport.delete(stage.url, OWN, tip).is_accepted
    assert OWN not in stage.remote_refs()


@pytest.mark.parametrize("kind", ["path", "git", "basic", "ssh"])
@pytest.mark.parametrize("hook", ["update", "pre-receive"])
def test_a_host_that_refuses_custom_refs_says_why(
    make_stage: Callable[[str], Stage], kind: str, hook: str
) -> None:
    stage = make_stage(kind)
    write_hook(stage, hook, "echo 'no refs/gitmem on this host' >&2; exit 1")
    before = stage.remote_refs()
    (result,) = stage.build().push(stage.url, [(stage.make_commit("ours"), OWN)])
    assert (result.is_accepted, result.is_stale) == (False, False)
    if stage.is_dulwich and stage.server.is_local:
        assert "hook" in result.reason  # only git can run it
    else:
        assert "no refs/gitmem on this host" in result.reason
    assert stage.remote_refs() == before


def test_words_of_a_hostile_remote_are_scrubbed(networked: Stage) -> None:
    secret = "s3cr3t" + "x" * 12
    write_hook(
        networked,
        "update",
        r"printf 'bad\033[2J\033]0;owned\007 \302\23331mred\rover https://ada:%s@h/x"
        rf" Authorization: Basic {secret}\n' {secret} >&2; exit 1",
    )
    (result,) = networked.build().push(networked.url, [(networked.make_commit("a"), OWN)])
    assert "bad" in result.reason and "over" in result.reason
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in result.reason)
    assert secret not in result.reason


def test_an_unknown_repository_is_unreachable(stage: Stage) -> None:
    transport = stage.build()
    for call in (
        lambda: transport.list_refs(stage.server.url("nowhere.git"), "refs/"),
        lambda: transport.push(stage.server.url("nowhere.git"), [(stage.clone.head(), OWN)]),
        lambda: transport.fetch(stage.server.url("nowhere.git"), [(OTHER, FETCHED)]),
    ):
        with pytest.raises(RemoteUnreachable) as caught:
            call()
        assert not stage.server.secret or stage.server.secret not in str(caught.value)


@pytest.mark.parametrize("kind", ["git", "http"])
def test_many_clones_push_their_own_refs_at_once(
    make_stage: Callable[[str], Stage], kind: str
) -> None:
    stage = make_stage(kind)
    updates = [
        (stage.make_commit(f"c{number}"), f"refs/gitmem/w/{number:016x}") for number in range(20)
    ]
    failures: list[object] = []

    def push(oid: str, ref: str) -> None:
        try:
            (result,) = stage.build(60).push(stage.url, [(oid, ref)])
            if not result.is_accepted:
                failures.append(result)
        except GitmemError as error:
            failures.append(error)

    threads = [threading.Thread(target=push, args=update) for update in updates]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert {ref: oid for oid, ref in updates}.items() <= stage.remote_refs().items()


def test_a_remote_is_found_by_its_name(plain: Stage) -> None:
    plain.clone.git("remote", "add", "origin", plain.url)
    transport = plain.build()
    tip = plain.make_commit("ours")
    (result,) = transport.push("origin", [(tip, OWN)])
    assert result.is_accepted
    assert transport.list_refs("origin", "refs/gitmem/") == {OWN: tip}
    transport.fetch("origin", [(OWN, FETCHED)])
    assert plain.clone.git("rev-parse", FETCHED) == tip


def test_user_configuration_does_not_change_what_moves(plain: Stage) -> None:
    for setting in (
        "remote.origin.url=" + plain.url,
        "remote.origin.fetch=+refs/*:refs/*",
        "remote.origin.push=refs/heads/*:refs/heads/stolen/*",
        "remote.origin.mirror=true",
        "remote.origin.prune=true",
        "remote.origin.tagOpt=--tags",
        "remote.origin.skipFetchAll=true",
        "fetch.prune=true",
        "fetch.pruneTags=true",
        "push.followTags=true",
        "push.gpgSign=true",
        "push.default=matching",
        "push.pushOption=ci.skip",
        "push.useForceIfIncludes=true",
        "push.recurseSubmodules=check",
        "transfer.hideRefs=refs/gitmem",
        "fetch.writeCommitGraph=true",
        "core.logAllRefUpdates=false",
    ):
        plain.clone.git("config", "--add", *setting.split("=", 1))
    marker = plain.clone.path / "fired"
    for hook in ("pre-push", "reference-transaction"):
        file = plain.clone.path / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
        file.chmod(0o755)
    for version in ("0", "1", "2"):
        plain.clone.git("config", "protocol.version", version)
        plain.clone.git("-c", "core.hooksPath=/dev/null", "tag", "-am", "t", f"local{version}")
        theirs = make_commit(plain.remote, f"theirs {version}")
        plain.remote.git("update-ref", OTHER, theirs)
        plain.remote.git("tag", f"remote{version}", theirs)
        ours = plain.make_commit(f"ours {version}")
        mine = f"refs/gitmem/w/{version * 16}"
        here, there = plain.clone_refs(), plain.remote_refs()
        transport = plain.build()
        assert transport.list_refs("origin", OTHER) == {OTHER: theirs}
        assert [one.is_accepted for one in transport.push("origin", [(ours, mine)])] == [True]
        assert plain.clone_refs() == here
        assert plain.remote_refs() == there | {mine: ours}
        transport.fetch("origin", [(OTHER, FETCHED)])
        assert plain.clone_refs() == here | {FETCHED: theirs}
        assert transport.delete("origin", mine, ours).is_accepted
        assert plain.clone_refs() == here | {FETCHED: theirs}
        assert plain.remote_refs() == there
    assert not marker.exists()
    assert not (plain.clone.path / ".git" / "FETCH_HEAD").exists()


def test_addresses_are_rewritten_as_the_configuration_says(plain: Stage) -> None:
    plain.clone.git("config", f"url.{plain.server.prefix}.insteadOf", "memory:")
    plain.clone.git("remote", "add", "origin", f"memory:{plain.remote.path.name}")
    tip = plain.make_commit("ours")
    transport = plain.build()
    assert transport.push("origin", [(tip, OWN)])[0].is_accepted
    assert transport.list_refs(f"memory:{plain.remote.path.name}", OWN) == {OWN: tip}


def test_pushes_go_where_the_configuration_sends_pushes(plain: Stage, tmp_path: Path) -> None:
    plain.clone.git("config", f"url.{plain.server.prefix}.pushInsteadOf", f"{tmp_path}/")
    plain.clone.git("remote", "add", "origin", f"{tmp_path}/{plain.remote.path.name}")
    tip = plain.make_commit("ours")
    assert plain.build().push("origin", [(tip, OWN)])[0].is_accepted
    assert plain.remote_refs()[OWN] == tip


def test_a_push_url_of_its_own_is_used(plain: Stage, tmp_path: Path) -> None:
    plain.clone.git("remote", "add", "origin", str(tmp_path / "nowhere"))
    plain.clone.git("remote", "set-url", "--push", "origin", plain.url)
    tip = plain.make_commit("ours")
    assert plain.build().push("origin", [(tip, OWN)])[0].is_accepted
    assert plain.remote_refs()[OWN] == tip


def test_configuration_from_the_environment_counts(plain: Stage) -> None:
    transport = plain.build(
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0=f"url.{plain.server.prefix}.insteadOf",
        GIT_CONFIG_VALUE_0="memory:",
    )
    assert transport.list_refs(f"memory:{plain.remote.path.name}", "refs/tags/") == {
        "refs/tags/v1": plain.clone.head()
    }
