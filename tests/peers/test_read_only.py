"""A peer is read and nothing else: not a byte, not a time of its tree changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.peers.conftest import Town


def picture(top: Path) -> dict[str, tuple[int, int, bytes]]:
    """Everything below a folder: mode, time of change and content."""
    seen = {}
    for path in [top, *top.rglob("*")]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        seen[str(path.relative_to(top))] = (status.st_mode, status.st_mtime_ns, content)
    return seen


def ask_everything(town: Town, alias: str) -> None:
    town.peers("pull").ok()
    town.why("src/app.py", "--all")
    for words in (["why", "src/app.py"], ["log"], ["show"], ["status"], ["search", "cache"]):
        if words == ["show"]:
            words = ["show", town.shop.gitmem("--in", alias, "--json", "log").data["hits"][0]["id"]]
        town.shop.gitmem("--in", alias, *words).ok()
    town.list()


@pytest.mark.parametrize("place", ["billing", "billing.git"])
def test_no_command_changes_a_byte_or_a_time_of_a_peer(town: Town, place: str) -> None:
    before = picture(town.root / place)
    town.peers("add", str(town.root / place), "--alias", "peer").ok()
    ask_everything(town, "peer")
    assert picture(town.root / place) == before


def test_what_was_changed_and_never_committed_there_is_not_looked_at(town: Town) -> None:
    """git refreshes an index whenever it looks at a work tree: here it does not."""
    billing = town.billing.path
    (billing / "src" / "app.py").write_text("changed\n")
    os.utime(billing / "src" / "money.py")
    town.billing.gitmem("capture", "-m", "Only pending", "src/app.py").ok()
    town.billing.gitmem("capture", "-m", "Only private", "--local", "src/app.py").ok()
    before = picture(billing)
    town.peers("add", str(billing)).ok()
    found = {summary for _, summary in town.hits("src/app.py", "--all")}
    assert not {"Only pending", "Only private"} & found
    ask_everything(town, "billing")
    assert picture(billing) == before


def test_a_peers_own_cache_is_never_opened(town: Town) -> None:
    """A file made to run for ever, or to break whoever opens it, does neither."""
    cache = town.billing.home / "cache.db"
    for path in cache.parent.glob("cache.db*"):
        path.unlink()
    db = sqlite3.connect(cache)
    db.execute(
        "CREATE VIEW record AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x AS rid, x AS id, x AS seq, x AS kind, x AS body FROM n"
    )
    db.commit()
    db.close()
    before = picture(town.billing.path)
    town.peers("add", str(town.billing.path)).ok()
    assert ("billing", "Cache keyed by tenant") in town.hits("src/app.py")
    assert picture(town.billing.path) == before


def test_programs_that_a_peer_configures_never_start(town: Town) -> None:
    mark = town.root / "started"
    billing = town.billing
    hook = billing.path / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "core.alternateRefsCommand",
        "core.sshCommand",
        "filter.x.clean",
        "uploadpack.packObjectsHook",
    ):
        billing.git("config", name, f"touch {mark}")
    billing.git("config", "core.hooksPath", str(hook.parent))
    (billing.path / ".gitattributes").write_text("* filter=x diff=x\n")
    town.peers("add", str(billing.path)).ok()
    ask_everything(town, "billing")
    assert not mark.exists()


def test_a_partial_clone_is_read_as_far_as_it_goes_and_fetches_nothing(town: Town) -> None:
    town.shop.git("-C", str(town.bare), "config", "uploadpack.allowFilter", "true")
    partial = town.root / "partial"
    town.shop.git(
        "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{town.bare}", str(partial)
    )
    before = picture(partial)
    assert town.peers("add", str(partial)).code in (0, 7)
    town.why("src/app.py")
    assert picture(partial) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give away")
def test_a_peer_of_another_user_is_read_only_where_git_would_work_in_it(town: Town) -> None:
    for path in [town.billing.path, *town.billing.path.rglob("*")]:
        os.lchown(path, 12345, 12345)
    done = town.peers("add", str(town.billing.path), "--json")
    assert done.code == 3
    assert "safe.directory" in done.json["error"]["message"] + done.json["error"]["hint"]
    town.shop.git("config", "--global", "safe.directory", str(town.billing.path))
    town.peers("add", str(town.billing.path)).ok()
    town.shop.git("config", "--global", "--unset", "safe.directory")
    os.utime(town.billing.path / ".git" / "refs" / "heads" / "main")
    answer = town.why("src/app.py")
    assert [warning["code"] for warning in answer["warnings"]] == ["peer-silent"]


def test_peers_records_are_never_pushed_on(asked: Town) -> None:
    asked.why("src/app.py", "--all")
    target = asked.root / "shop.git"
    asked.shop.git("init", "-q", "--bare", str(target))
    asked.shop.git("remote", "set-url", "origin", str(target))
    asked.shop.git("push", "-q", "origin", "main")
    asked.shop.gitmem("push").ok()
    objects = asked.shop.git("-C", str(target), "cat-file", "--batch-all-objects", "--batch-check")
    text = "".join(
        asked.shop.git("-C", str(target), "cat-file", "-p", row.split()[0])
        for row in objects.splitlines()
        if row.split()[1] == "blob"
    )
    assert "Sessions in cookies" in text and "Cache keyed by tenant" not in text


def test_a_peer_that_goes_away_is_named_and_the_rest_is_answered(asked: Town) -> None:
    asked.peers("add", str(asked.bare), "--alias", "other").ok()
    shutil.rmtree(asked.billing.path)
    answer = asked.why("src/app.py")
    assert [warning["code"] for warning in answer["warnings"]] == ["peer-silent"]
    assert "billing" in answer["warnings"][0]["message"]
    assert {hit["project"] for hit in answer["data"]["hits"]} == {".", "other"}
    (gone,) = [row for row in asked.list() if row["alias"] == "billing"]
    assert (gone["state"], gone["improve"]) == ("gone", "gitmem peers rm billing")


def test_what_was_kept_of_a_peer_may_be_deleted_or_damaged_at_any_time(asked: Town) -> None:
    expected = asked.hits("src/app.py")
    for path in asked.kept.rglob("cache.db"):
        path.write_bytes(b"not a database" * 1000)
    asked.why("src/app.py")
    asked.peers("pull").ok()
    assert asked.hits("src/app.py") == expected
    (asked.kept / "index.db").write_bytes(b"nor this" * 1000)
    asked.peers("pull").ok()
    assert asked.hits("src/app.py") == expected
    shutil.rmtree(asked.kept)
    assert asked.hits("src/app.py") == expected
