"""add, list, rm: the registry of a machine, and what must never enter it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peers.conftest import Town

REFUSED = [
    "-oProxyCommand=touch MARK",
    "ssh://-oProxyCommand=touch/x",
    "ext::sh -c touch% MARK",
    "--upload-pack=touch MARK",
    "fd::17",
    "https://example.com/x\nurl = evil",
    "ssh://host:notaport/x",
]


def test_a_folder_below_a_clone_means_the_clone(town: Town) -> None:
    town.peers("add", "../billing/src").ok()
    (row,) = town.list()
    assert (row["alias"], row["address"]) == ("billing", str(town.billing.path.resolve()))
    assert row["records"] == 6 and row["verdict"] == "unknown" and row["size_bytes"] > 0
    assert row["age_seconds"] >= 0 and row["state"] == "ready"


def test_adding_twice_is_adding_once(asked: Town) -> None:
    file = asked.home / ".config" / "gitmem" / "peers.toml"
    before = file.read_bytes()
    assert "there already" in asked.peers("add", str(asked.billing.path)).ok().out
    assert file.read_bytes() == before


def test_aliases_are_made_unique_and_a_taken_one_is_refused(asked: Town) -> None:
    asked.peers("add", str(asked.bare)).ok()
    assert [row["alias"] for row in asked.list()] == ["billing", "billing-2"]
    done = asked.peers("add", str(asked.shop.path), "--alias", "billing", "--json").ends(4)
    assert "peers rm billing" in done.error["hint"]
    asked.peers("add", str(asked.shop.path), "--alias", "../x").ends(2)
    asked.peers("add", str(asked.shop.path), "--alias", "user").ends(4)


def test_many_are_read_from_standard_input_and_each_fails_by_itself(town: Town) -> None:
    lines = f"# ours\n{town.billing.path}\n\n{town.root}/nowhere\n{town.bare} mirror\next::x\n"
    done = town.peers("add", "-", "--json", stdin=lines.encode())
    assert done.code == 3
    rows = {row["alias"]: row for row in done.json["data"]["peers"]}
    assert rows["billing"]["outcome"] == rows["mirror"]["outcome"] == "added"
    errors = {row["error"]["code"] for row in done.json["data"]["peers"] if row["error"]}
    assert errors == {"no-repository", "unsafe-remote"}
    assert [row["alias"] for row in town.list()] == ["billing", "mirror"]


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_could_run_something_is_refused_before_any_process(
    town: Town, address: str, tmp_path: Path
) -> None:
    mark = tmp_path / "started"
    for name in ("git", "ssh", "sh", "touch"):
        script = tmp_path / "bin" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\necho x > {mark}\n")
        script.chmod(0o755)
    words = ["add", "--", address] if address.startswith("-") else ["add", address]
    done = town.peers(*words, env={"PATH": str(tmp_path / "bin")})
    assert done.code == 5, done
    assert not mark.exists()
    assert not (town.home / ".config" / "gitmem" / "peers.toml").exists()


def test_rm_forgets_what_was_kept_and_touches_nothing_there(asked: Town) -> None:
    kept = [path for path in asked.kept.iterdir() if path.is_dir()]
    assert len(kept) == 1
    asked.peers("rm", "billing").ok()
    assert not kept[0].exists()
    assert asked.list() == []
    assert asked.billing.gitmem("log").ok().out.count("\n") > 4
    assert {project for project, _ in asked.hits("src/app.py")} == {"."}
    asked.peers("rm", "billing").ends(4)


def test_a_registry_that_is_no_list_is_reported_and_never_overwritten(asked: Town) -> None:
    file = asked.home / ".config" / "gitmem" / "peers.toml"
    file.write_text("this is [not toml")
    answer = asked.why("src/app.py")
    assert [warning["code"] for warning in answer["warnings"]] == ["peers-unread"]
    asked.peers("add", str(asked.bare)).ends(7)
    assert file.read_text() == "this is [not toml"


def test_entries_that_make_no_sense_are_left_out_and_the_rest_works(asked: Town) -> None:
    file = asked.home / ".config" / "gitmem" / "peers.toml"
    file.write_text(
        file.read_text() + '\n[peers."../x"]\naddress = "/y"\n[peers.odd]\naddress = 3\n'
    )
    assert [row["alias"] for row in asked.list()] == ["billing"]


def test_the_commands_work_outside_any_repository(asked: Town) -> None:
    rows = asked.peers("list", "--json", cwd=asked.root).data["peers"]
    assert [row["alias"] for row in rows] == ["billing"]
    assert "nothing new" in asked.peers("pull", cwd=asked.root).ok().out


def test_a_repository_without_memory_may_be_added_and_answers_once_it_has_one(town: Town) -> None:
    late = town.root / "late"
    town.shop.git("init", "-q", "-b", "main", str(late))
    assert "no memory there yet" in town.peers("add", str(late)).ok().out
    clone = type(town.billing)(late)
    clone.commit("Begin", {"src/app.py": "x\n"})
    clone.init()
    clone.decide("Late, but here", "src/app.py")
    assert ("late", "Late, but here") in town.hits("src/app.py")
