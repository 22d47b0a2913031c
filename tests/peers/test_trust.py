"""Peers that a repository carries: listed, and left alone until somebody trusts them."""

from __future__ import annotations

import pytest

from tests.peers.conftest import Town
from tests.support.servers import Server


def carry(town: Town, text: str) -> None:
    (town.shop.path / ".gitmem" / "peers.toml").write_text(text)


def test_a_fresh_clone_contacts_nobody(town: Town) -> None:
    carry(town, '[peers.billing]\nurl = "git://127.0.0.1:1/never"\n')
    (row,) = town.list()
    assert (row["alias"], row["verdict"], row["improve"]) == (
        "billing",
        "untrusted",
        "gitmem peers trust",
    )
    assert "No peers yet" in town.peers("pull").ok().out
    assert {project for project, _ in town.hits("src/app.py")} == {"."}
    assert not town.kept.exists() or not list(town.kept.glob("*/mirror.git"))


def test_trust_asks_and_is_bound_to_what_the_file_says(town: Town, server: Server) -> None:
    text = f'[peers.billing]\nurl = "{server.url("billing.git")}"\n'
    carry(town, text)
    done = town.peers("trust", "--json").ends(4)
    assert "--yes" in done.error["hint"]
    town.peers("trust", "--yes").ok()
    assert ("billing", "Cache keyed by tenant") in town.hits("src/app.py")
    assert [row["verdict"] for row in town.list()] == ["unknown"]
    carry(town, text + '[peers.more]\nurl = "git://127.0.0.1:1/more"\n')
    assert {row["verdict"] for row in town.list()} == {"untrusted"}
    assert {project for project, _ in town.hits("src/app.py")} == {"."}
    carry(town, text)
    assert ("billing", "Cache keyed by tenant") in town.hits("src/app.py")


def test_peers_of_a_project_answer_only_there(town: Town, server: Server) -> None:
    carry(town, f'[peers]\nbilling = "{server.url("billing.git")}"\n')
    town.peers("trust", "--yes").ok()
    other = town.root / "elsewhere"
    town.shop.git("init", "-q", str(other))
    assert town.shop.gitmem("peers", "list", "--json", cwd=other).data["peers"] == []


@pytest.mark.parametrize(
    "address", ["/etc", "../billing", "C:\\\\x", "ext::sh -c id", "-oProxyCommand=x", "~/x"]
)
def test_a_projects_file_may_name_urls_only(town: Town, address: str) -> None:
    carry(town, f'[[peers]]\nalias = "x"\nurl = "{address}"\n')
    done = town.peers("trust", "--yes", "--json").ends(5)
    assert [row["error"]["code"] for row in done.json["data"]["peers"]] == ["unsafe-remote"]
    assert not (town.home / ".config" / "gitmem" / "peers.toml").exists()


@pytest.mark.parametrize("text", ["", "\0\1\2", "peers = 3", "[peers]\nx = 1", "[" * 5000])
def test_a_file_that_is_nonsense_is_like_none(town: Town, text: str) -> None:
    carry(town, text)
    assert town.list() == []
    town.shop.gitmem("why", "src/app.py").ok()


def test_a_link_in_place_of_the_file_is_not_followed(town: Town) -> None:
    secret = town.root / "secret.toml"
    secret.write_text('[peers.x]\nurl = "git://127.0.0.1:1/private-name"\n')
    (town.shop.path / ".gitmem" / "peers.toml").symlink_to(secret)
    assert "private-name" not in town.peers("list").ok().all
