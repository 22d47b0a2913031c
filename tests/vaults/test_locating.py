"""Which configured folders are read: the project's inside the work tree, one's own anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.ports.notes import Vault
from gitmem.vaults.locating import locate_vaults


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("repo/docs/adr", "repo/.git/notes", "repo/.claude/memory", "home/vault"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_text("text")
    return tmp_path / "repo"


def locate(
    tree: Path | None, project: list[str], own: list[str] | None = None, home: str = ""
) -> list[Vault]:
    return locate_vaults(tree, project, own or [], (), {"HOME": home} if home else {})


def names(vaults: list[Vault]) -> list[str]:
    return [vault.name for vault in vaults]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("docs/adr", "docs/adr"), ("./docs/../docs/adr/", "docs/adr"), (".", "."), ("", ".")],
)
def test_a_committed_folder_is_named_from_the_root(tree: Path, folder: str, name: str) -> None:
    (vault,) = locate(tree, [folder])
    assert vault.name == name
    assert vault.list_stamps() and vault.complaints == ()


@pytest.mark.parametrize(
    "folder",
    ["..", "../home/vault", "/etc", "~/vault", ".git/notes", ".GIT/x", "docs/../.git", "a\0b"],
)
def test_a_committed_folder_outside_is_refused_or_not_there(tree: Path, folder: str) -> None:
    (vault,) = locate(tree, [folder], home=str(tree.parent / "home"))
    assert vault.list_stamps() == {}
    assert vault.read_note("a.md", "") is None
    (complaint,) = vault.complaints
    assert complaint.code in ("notes-outside", "notes-missing")


def test_a_committed_link_out_of_the_work_tree_is_refused(tree: Path) -> None:
    (tree / "docs" / "away").symlink_to(tree.parent / "home" / "vault")
    (tree / "docs" / "inside").symlink_to(tree / ".git")
    for folder in ("docs/away", "docs/inside/notes"):
        (vault,) = locate(tree, [folder])
        assert vault.list_stamps() == {}
        assert [one.code for one in vault.complaints] == ["notes-outside"]


def test_an_absolute_committed_folder_is_refused_even_inside(tree: Path) -> None:
    (vault,) = locate(tree, [str(tree / "docs")])
    assert [one.code for one in vault.complaints] == ["notes-outside"]


def test_ones_own_folders_lie_anywhere(tree: Path) -> None:
    home = tree.parent / "home"
    (tilde,) = locate(tree, [], ["~/vault"], home=str(home))
    (absolute,) = locate(None, [], [str(home / "vault")])
    assert tilde.name == absolute.name == (home / "vault").as_posix()
    assert list(tilde.list_stamps()) == list(absolute.list_stamps()) == ["a.md"]


def test_ones_own_folder_in_the_work_tree_is_named_from_the_root(tree: Path) -> None:
    for folder in (".claude/memory", str(tree / ".claude" / "memory")):
        (vault,) = locate(tree, [], [folder])
        assert vault.name == ".claude/memory"
        assert list(vault.list_stamps()) == ["a.md"]


def test_without_a_home_or_a_work_tree_there_is_nothing_to_be_relative_to(tree: Path) -> None:
    assert locate(tree, [], ["~/vault"]) == []
    assert locate(None, ["docs"], ["docs"]) == []


def test_the_project_comes_first_and_no_folder_twice(tree: Path) -> None:
    vaults = locate(tree, ["docs/adr", "docs/adr"], [str(tree / "docs" / "adr"), "~/vault"])
    assert names(vaults) == ["docs/adr"]


def test_a_folder_in_another_is_left_to_it_unless_it_is_hidden_there(tree: Path) -> None:
    assert names(locate(tree, ["docs/adr", "docs", ".claude/memory"])) == [
        "docs",
        ".claude/memory",
    ]
    assert names(locate(tree, [".", "docs", ".claude/memory"])) == [".", ".claude/memory"]
