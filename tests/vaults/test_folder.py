"""A vault reads what is in its folder and nothing else, within bounds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.vaults.folder import MAX_NOTE_BYTES, FolderVault

OLD = (10**9, 10**9)


def vault_of(root: Path, *, hubs: tuple[str, ...] = (), most: int = 1000) -> FolderVault:
    return FolderVault("docs", Path(os.path.realpath(root)), hubs, most=most)


def write(root: Path, name: str, data: bytes = b"text\n") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, OLD)
    return file


def codes(vault: FolderVault) -> list[str]:
    return [complaint.code for complaint in vault.complaints]


def test_pages_are_markdown_files_at_any_depth(tmp_path: Path) -> None:
    for name in ("b.md", "a.MD", "c/d/e.markdown", "f.txt", "md", "g.md.bak", ".hidden.md"):
        write(tmp_path, name)
    vault = vault_of(tmp_path)
    assert sorted(vault.list_stamps()) == ["a.MD", "b.md", "c/d/e.markdown"]
    assert vault.complaints == ()


@pytest.mark.parametrize("folder", [".git", ".obsidian", ".trash", "node_modules", "x/.git"])
def test_hidden_folders_are_not_looked_into(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"{folder}/a.md")
    assert vault_of(tmp_path).list_stamps() == {}


def test_a_page_is_read_and_parsed(tmp_path: Path) -> None:
    write(tmp_path, "x/a.md", b"\xef\xbb\xbf# Title\r\n\r\n[[b]] caf\xe9\r\n")
    vault = vault_of(tmp_path)
    (path, stamp), *_ = vault.list_stamps().items()
    note = vault.read_note(path, stamp)
    assert note is not None
    assert (note.vault, note.path, note.stamp, note.title) == ("docs", "x/a.md", stamp, "Title")
    assert note.chunks[0].text == "# Title\n\n[[b]] caf\ufffd"
    assert [link.target for link in note.links] == ["b"]


def test_a_link_to_a_file_outside_is_never_read(tmp_path: Path) -> None:
    secret = write(tmp_path, "home/.aws/credentials", b"very private")
    root = tmp_path / "vault"
    write(root, "a.md")
    (root / "stolen.md").symlink_to(secret)
    (root / "dangling.md").symlink_to(tmp_path / "nothing")
    vault = vault_of(root)
    assert list(vault.list_stamps()) == ["a.md"]
    assert vault.read_note("stolen.md", "") is None
    assert vault.read_note("../home/.aws/credentials", "") is None
    assert vault.read_note(str(secret), "") is None


def test_a_link_to_a_folder_is_never_followed(tmp_path: Path) -> None:
    write(tmp_path, "home/private/diary.md", b"very private")
    root = tmp_path / "vault"
    write(root, "sub/a.md")
    (root / "link").symlink_to(tmp_path / "home" / "private", target_is_directory=True)
    (root / "loop").symlink_to(root, target_is_directory=True)
    vault = vault_of(root)
    assert list(vault.list_stamps()) == ["sub/a.md"]
    assert vault.read_note("link/diary.md", "") is None


def test_a_folder_that_becomes_a_link_is_not_read_through(tmp_path: Path) -> None:
    write(tmp_path, "home/a.md", b"very private")
    root = tmp_path / "vault"
    write(root, "sub/a.md")
    vault = vault_of(root)
    assert list(vault.list_stamps()) == ["sub/a.md"]
    (root / "sub").rename(tmp_path / "was")
    (root / "sub").symlink_to(tmp_path / "home", target_is_directory=True)
    assert vault.read_note("sub/a.md", "") is None


def test_what_is_no_file_is_no_page(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    vault = vault_of(tmp_path)
    assert vault.list_stamps() == {}
    assert vault.read_note("pipe.md", "") is None
    assert vault.read_note("folder.md", "") is None


def test_a_stamp_changes_with_the_file_and_not_without(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", b"one")
    vault = vault_of(tmp_path)
    first = vault.list_stamps()["a.md"]
    assert vault.list_stamps()["a.md"] == first
    file.write_bytes(b"two")
    os.utime(file, (10**9 + 1, 10**9 + 1))
    second = vault.list_stamps()["a.md"]
    assert second != first
    other = write(tmp_path, "b.md", b"new")
    other.replace(file)
    assert vault.list_stamps()["a.md"] != second


def test_what_changed_a_moment_ago_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one")
    vault = vault_of(tmp_path)
    assert vault.list_stamps()["a.md"] != vault.list_stamps()["a.md"]


def test_other_hubs_are_another_stamp(tmp_path: Path) -> None:
    write(tmp_path, "index.md")
    plain = vault_of(tmp_path).list_stamps()
    assert vault_of(tmp_path, hubs=("index.md",)).list_stamps() != plain


def test_files_are_bounded_in_size(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    for name in ("big.md", "bigger.md"):
        with write(tmp_path, name).open("r+b") as file:
            file.truncate(MAX_NOTE_BYTES + 1)
    vault = vault_of(tmp_path)
    assert list(vault.list_stamps()) == ["a.md"]
    assert codes(vault) == ["note-too-large"]
    assert "big.md and 1 more" in vault.complaints[0].message
    assert vault.read_note("big.md", "") is None


def test_files_are_bounded_in_number_and_the_first_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("b/1.md", "a/1.md", "c.md", "a/2.md"):
        write(tmp_path, name)
    vault = vault_of(tmp_path, most=3)
    assert sorted(vault.list_stamps()) == ["a/1.md", "a/2.md", "c.md"]
    assert codes(vault) == ["notes-too-many"]
    assert len(vault_of(tmp_path, most=4).list_stamps()) == 4


def test_a_missing_folder_is_said_once(tmp_path: Path) -> None:
    vault = vault_of(tmp_path / "nothing")
    assert vault.list_stamps() == {} == vault.list_stamps()
    assert codes(vault) == ["notes-missing"]
    (tmp_path / "nothing").mkdir()
    vault.list_stamps()
    assert vault.complaints == ()


def test_a_name_that_is_not_utf8_is_escaped_and_read(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/caf\xe9.md"
    with open(raw, "wb") as file:
        file.write(b"# Found\n")
    vault = vault_of(tmp_path)
    assert list(vault.list_stamps()) == ["caf%E9.md"]
    note = vault.read_note("caf%E9.md", "")
    assert note is not None and note.title == "Found"


def test_a_page_that_is_gone_or_no_text_is_none(tmp_path: Path) -> None:
    write(tmp_path, "picture.md", b"\x89PNG\0\0")
    vault = vault_of(tmp_path)
    assert list(vault.list_stamps()) == ["picture.md"]
    assert vault.read_note("picture.md", "") is None
    assert vault.read_note("gone.md", "") is None
