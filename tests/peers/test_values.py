"""The values of federation by themselves: aliases, mentions, the registry's text, patience."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.cache.peer_index import open_peer_index
from gitmem.core.mentions import (
    cut_links,
    fold_name,
    iter_project_links,
    list_oids,
    list_words,
    parse_package_names,
)
from gitmem.core.peers import Peer, PeerState, choose_alias, is_alias
from gitmem.services.patience import OutOfPatience, Patience
from gitmem.store.peers_file import format_registry, read_registry, write_registry

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("address", "alias"),
    [
        ("git@github.com:acme/billing.git", "billing"),
        ("https://example.com/acme/billing.git/", "billing"),
        ("/srv/billing/.git", "billing"),
        ("C:\\work\\billing", "billing"),
        ("https://example.com/acme/..git", "peer"),
        ("/srv/Ü b/Größe x", "Groe-x"),
        ("/", "peer"),
    ],
)
def test_an_alias_is_the_last_component_in_safe_letters(address: str, alias: str) -> None:
    assert choose_alias(address, []) == alias


@given(TEXT, st.sets(TEXT, max_size=3))
def test_a_chosen_alias_is_one_and_is_not_taken(address: str, taken: set[str]) -> None:
    first = choose_alias(address, taken)
    second = choose_alias(address, {*taken, first.upper()})
    assert is_alias(first) and is_alias(second)
    assert first.casefold() != second.casefold()


PEERS = st.builds(
    Peer,
    alias=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
    address=TEXT,
    remote_key=st.none() | TEXT,
    inject=st.booleans(),
    with_code=st.booleans(),
    added=st.just("") | TEXT,
    project=st.none() | TEXT,
    trusted=st.none() | TEXT,
)


@given(st.lists(PEERS, max_size=4, unique_by=lambda peer: peer.alias))
def test_the_registry_says_what_it_was_told_in_one_way(peers: list[Peer]) -> None:
    text = format_registry(peers)
    assert text == format_registry(reversed(peers))
    assert set(tomllib.loads(text).get("peers", {})) == {peer.alias for peer in peers}


def test_the_registry_is_read_back(tmp_path: Path) -> None:
    peers = [Peer(alias="b", address='/x "y"\n\x7f', inject=True), Peer(alias="a", address="/z")]
    write_registry(tmp_path / "peers.toml", peers)
    assert read_registry(tmp_path / "peers.toml") == [peers[1], peers[0]]
    assert read_registry(tmp_path / "none.toml") == []


def test_names_are_words_and_compare_as_packages_do() -> None:
    words = list_words(
        "Use acme_shop. Not acme-shopping, nor xacme-shop; Acme.Shop's own (acme-shop)"
    )
    assert fold_name("Acme-Shop") in words
    assert list_words("acme-shopping xacme-shop").isdisjoint({"acme-shop"})
    assert fold_name("ab") == fold_name("1234") == fold_name("--") == ""


def test_links_name_a_project_and_a_path() -> None:
    text = "See [[Example.com/acme/shop:src/a.py:12|the file]], [[example.com/acme/shop]], [[page]]"
    assert list(iter_project_links(text)) == [
        ("example.com/acme/shop", "src/a.py"),
        ("example.com/acme/shop", ""),
    ]
    assert "shop" not in list_words(cut_links(text))


@given(st.text(max_size=300))
def test_any_text_can_be_looked_through(text: str) -> None:
    for word in list_words(text):
        assert fold_name(word) == word
    assert all(key and "/" in key for key, _ in iter_project_links(text))


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        ("pyproject.toml", '[project]\nname = "acme-shop"', ["acme-shop"]),
        ("pyproject.toml", '[tool.poetry]\nname = "acme-shop"', ["acme-shop"]),
        ("Cargo.toml", '[package]\nname = "shop"', ["shop"]),
        ("package.json", '{"name": "@acme/shop"}', ["shop"]),
        ("go.mod", "module example.com/acme/shop/v2\n\ngo 1.22\n", ["shop"]),
        ("package.json", "[" * 100_000, []),
        ("pyproject.toml", "project = 3", []),
        ("pyproject.toml", "\0", []),
    ],
)
def test_manifests_say_what_a_package_is_called(file: str, text: str, names: list[str]) -> None:
    assert parse_package_names(file, text) == names


def test_patience_ends_for_one_and_for_all() -> None:
    patience = Patience(50, 120)
    assert patience.run(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        patience.run(lambda: 1 // 0)
    for _ in range(3):
        with pytest.raises(OutOfPatience):
            patience.run(lambda: time.sleep(5))
    with pytest.raises(OutOfPatience):
        patience.run(lambda: 3)
    with pytest.raises(OutOfPatience):
        patience.check(time.monotonic() - 1)


def test_the_index_knows_who_has_what_and_forgets_whole_peers(tmp_path: Path) -> None:
    index = open_peer_index(tmp_path / "index.db")
    for number in range(60):
        state = PeerState(address=f"/peer{number}", project_id=f"p{number}")
        index.replace(state, "cache", {"p:a.py": (number, 2, 7), "w:shop": (1, 1, 8)}, 9)
    found = index.find(["p:a.py", "p:none.py"])
    assert [one.address for one in found][:3] == ["/peer0", "/peer1", "/peer2"]
    assert (found[0].total, found[0].prefix, found[0].key) == (2, f"{7:015x}", "p:a.py")
    index.add(PeerState(address="/peer5"), "cache", {"p:a.py": (0, 1, 9)}, 10)
    assert index.find(["p:a.py"])[1].address == "/peer5"
    assert index.find(["p:a.py"])[1].total == 3
    assert index.get_last_row("/peer5", "cache") == 10
    assert index.get_last_row("/peer5", "another cache") == 0
    for number in range(59):
        index.forget(f"/peer{number}")
    assert [one.address for one in index.find(["w:shop"])] == ["/peer59"]
    assert list(index.list_states()) == ["/peer59"]
    index.close()


def test_ids_of_commits_are_found_in_running_text_and_nothing_shorter() -> None:
    text = "As of 1234567, see (ABCDEF0123) and /commit/0123456789abcdef; not abcdef, not 1234567g"
    assert list_oids(text) == {"1234567", "abcdef0123", "0123456789abcdef"}
    assert not list_oids("x" + "a" * 64) and not list_oids("a" * 65)
    many = " ".join(f"{number:07x}" for number in range(5000))
    assert len(list_oids(many)) == 1000
