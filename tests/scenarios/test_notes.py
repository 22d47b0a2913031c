"""Notes beside a repository: what is configured is found, followed, checked, and no more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from gitmem.app.opening import open_repository
from gitmem.services.lint import lint
from gitmem.services.note_index import refresh_notes
from tests.support.commandline import Clone, environment

SECRET = "very private words"


@pytest.fixture
def noted(ada: Clone) -> Clone:
    """A repository whose project names a folder of notes."""
    ada.write(
        "docs/adr/cache.md",
        "---\naliases: [Caching]\n---\n# Cache\n\nKeyed by tenant, as [[app.py]] needs it."
        " See [[Queues#Bounds]].\n",
    )
    ada.write("docs/adr/queues.md", "# Queues\n\n## Bounds\n\nA queue has a bound: [[caching]].\n")
    ada.write("docs/adr/MEMORY.md", "- [[cache]]\n- [[queues]]\n")
    configure(ada, 'folders = ["docs/adr"]')
    return ada


def configure(clone: Clone, *lines: str) -> None:
    file = clone.path / ".gitmem" / "project.toml"
    head = file.read_text().partition("[notes]")[0]
    file.write_text("\n".join([head, "[notes]", *lines, ""]))


class Look(NamedTuple):
    """What an opened repository says: the notes in its index, bad links, and warnings."""

    notes: list[str]
    bad: list[str]
    warnings: list[str]


def look(clone: Clone, **env: str) -> Look:
    """Bring the index in step and check the links, as `lint` does, in this process."""
    opened = open_repository(clone.path, environment(env))
    try:
        linted = lint(opened.workspace)
        index = opened.workspace.notes
        vaults = [vault.name for vault in opened.workspace.vaults()]
        notes = [f"{vault}/{path}" for vault in vaults for path in index.get_stamps(vault)]
        bad = [
            f"{link.path or (link.id or '')[:7]}:{link.line or 0} {link.target}"
            for link in linted.links
        ]
        return Look(sorted(notes), bad, [notice.code for notice in linted.notices])
    finally:
        opened.close()


def count_rows(clone: Clone, table: str) -> int:
    opened = open_repository(clone.path, environment())
    try:
        return int(opened.cache.db.scalar(f"SELECT count(*) FROM {table}"))
    finally:
        opened.close()


def holds(clone: Clone, words: str) -> bool:
    """Whether the cache's files have these words."""
    files = [file for file in clone.home.rglob("*") if file.is_file()]
    return any(words.encode() in file.read_bytes() for file in files)


def test_the_projects_notes_are_indexed_and_followed(noted: Clone) -> None:
    names = ["docs/adr/MEMORY.md", "docs/adr/cache.md", "docs/adr/queues.md"]
    assert look(noted) == Look(names, [], [])
    (noted.path / "docs/adr/queues.md").unlink()
    noted.write("docs/adr/sub/new.md", "New [[cache]].\n")
    assert look(noted) == Look(
        [names[0], names[1], "docs/adr/sub/new.md"],
        ["docs/adr/MEMORY.md:2 queues", "docs/adr/cache.md:6 Queues"],
        [],
    )


def test_nothing_is_written_where_nothing_changed(noted: Clone) -> None:
    for file in (noted.path / "docs").rglob("*.md"):
        os.utime(file, (10**9, 10**9))
    look(noted)
    opened = open_repository(noted.path, environment())
    other = open_repository(noted.path, environment())
    try:
        refresh_notes(opened.workspace)
        before = opened.cache.db.data_version()
        assert refresh_notes(other.workspace) == ()
        assert opened.cache.db.data_version() == before
        noted.write("docs/adr/cache.md", "Changed.\n")
        refresh_notes(other.workspace)
        assert opened.cache.db.data_version() != before
    finally:
        opened.close()
        other.close()


def test_lint_says_where_a_link_leads_nowhere(noted: Clone) -> None:
    assert noted.gitmem("lint").ok().out == "Every link leads somewhere.\n"
    noted.write("docs/adr/bad.md", "Fine: [[cache]].\n\n[[nowhere|here]] and `[[code]]`\n")
    noted.write("docs/adr/sub/cache.md", "Another.\n")
    noted.write("docs/adr/sub2/cache.md", "Another.\n")
    record_id = noted.capture("See [[sub2/cache]] and [[gone]]", "app.py")
    done = noted.gitmem("lint").ends(1)
    assert done.out.splitlines() == [
        f"decision {record_id[:7]}: [[gone]] leads nowhere",
        "docs/adr/bad.md:3: [[nowhere]] leads nowhere",
        "2 bad links",
    ]


def test_lint_names_what_an_ambiguous_link_may_mean(noted: Clone) -> None:
    noted.write("docs/adr/one/x.md", "One.\n")
    noted.write("docs/adr/two/x.md", "Two.\n")
    noted.write("docs/adr/three.md", "[[x]]\n")
    done = noted.gitmem("lint").ends(1)
    assert "docs/adr/three.md:1: [[x]] may mean any of one/x.md, two/x.md" in done.out


def test_lint_leaves_decisions_alone_that_no_longer_stand(noted: Clone) -> None:
    old = noted.capture("See [[gone]]", "app.py")
    assert look(noted).bad == [f"{old[:7]}:0 gone"]
    noted.gitmem("supersede", old, "-m", "See [[cache]]").ok()
    assert look(noted).bad == []


def test_lint_cleans_what_it_prints(noted: Clone) -> None:
    noted.write("docs/adr/bad.md", "[[a\x1bc\x9b31m\x07b\u202e]]\n")
    done = noted.gitmem("lint").ends(1)
    assert (
        "\x1b" not in done.all
        and "\x9b" not in done.all
        and "\x07" not in done.all
        and "\u202e" not in done.all
    )


@pytest.mark.parametrize("folder", ["..", "../outside", "{home}", ".git"])
def test_a_committed_folder_outside_is_not_read_and_said(
    noted: Clone, folder: str, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir(exist_ok=True)
    (tmp_path / "outside" / "a.md").write_text(SECRET)
    noted.write(".git/a.md", SECRET)
    configure(noted, f'folders = ["{folder.format(home=tmp_path / "outside")}", "docs/adr"]')
    found = look(noted)
    assert found.warnings == ["notes-outside"]
    assert len(found.notes) == 3
    assert not holds(noted, SECRET)


def test_committed_links_to_private_files_are_not_read(noted: Clone, isolated: Path) -> None:
    private = isolated / ".aws" / "credentials"
    private.parent.mkdir()
    private.write_text(SECRET)
    (isolated / "diary").mkdir()
    (isolated / "diary" / "today.md").write_text(SECRET)
    (noted.path / "docs/adr/stolen.md").symlink_to(private)
    (noted.path / "docs/adr/folder").symlink_to(isolated / "diary")
    (noted.path / "docs/away").symlink_to(isolated / "diary")
    configure(noted, 'folders = ["docs/adr", "docs/away"]')
    assert len(look(noted).notes) == 3
    assert not holds(noted, SECRET)


def test_a_missing_folder_is_one_warning(noted: Clone) -> None:
    configure(noted, 'folders = ["docs/adr", "docs/later"]')
    assert look(noted).warnings == ["notes-missing"]


def test_an_obsidian_vault_outside_is_ones_own_setting(noted: Clone, isolated: Path) -> None:
    vault = isolated / "Vault"
    for name in (".obsidian/a.md", ".trash/b.md"):
        (vault / name).parent.mkdir(parents=True)
        (vault / name).write_text("hidden")
    (vault / "Daily").mkdir()
    (vault / "Daily" / "Today.md").write_text("# Today\n\nThe [[caching]] of [[Tomorrow]].\n")
    settings = isolated / ".config" / "gitmem"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text('[notes]\nfolders = ["~/Vault"]\n')
    name = f"{vault.as_posix()}/Daily/Today.md"
    found = look(noted)
    assert found.notes[0] == name and found.bad == [f"{name}:3 Tomorrow"]
    (settings / "config.toml").unlink()
    found = look(noted)
    assert len(found.notes) == count_rows(noted, "note") == 3 and found.bad == []


def test_notes_need_no_memory(bare_history: Clone) -> None:
    bare_history.write("notes/a.md", "[[b]]\n")
    assert look(bare_history, GITMEM_NOTES_FOLDERS="notes").notes == ["notes/a.md"]


def test_other_hubs_change_what_is_indexed(noted: Clone) -> None:
    look(noted)
    assert count_rows(noted, "chunk") == 2
    configure(noted, 'folders = ["docs/adr"]', 'hubs = ["nothing.md"]')
    look(noted)
    assert count_rows(noted, "chunk") == 3


def test_pages_that_are_huge_binary_or_hostile_harm_nothing(noted: Clone) -> None:
    with noted.write("docs/adr/huge.md", b"x").open("r+b") as file:
        file.truncate(5 * 1024 * 1024)
    noted.write("docs/adr/binary.md", b"\x00\x01" * 100)
    noted.write("docs/adr/latin.md", b"caf\xe9 [[cache]]\n")
    noted.write("docs/adr/brackets.md", "[[" * 100_000)
    noted.write("docs/adr/deep.md", ">" * 50_000 + "[[cache]]\n" + "- " * 20_000)
    found = look(noted)
    assert found.warnings == ["note-too-large"]
    assert len(found.notes) == 6
