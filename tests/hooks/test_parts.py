"""Small parts of the hooks, each by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.cache.holdings import NOTHING, find_holdings
from gitmem.core.segments import segment_name
from gitmem.errors import GitFailed
from gitmem.git.lefthook_file import insert_commands, remove_commands
from gitmem.git.staging_parse import parse_added_lines, parse_changes
from gitmem.store.paths import ClonePaths
from gitmem.store.staged_note import StagedNote, read_note, write_note
from tests.hooks.conftest import MemoryRepo


def test_holdings_are_found_by_id_and_key(memory: MemoryRepo) -> None:
    record = memory.capture("Held", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("To bring the cache in step", "a.py")
    cache = memory.path / ".git" / "gitmem" / "cache.db"
    (file,) = (memory.path / ".gitmem").glob("records/*/*")
    key = file.read_text().partition('"key":"')[2][:16]
    found = find_holdings(cache, [record, "0" * 64], [key, "f" * 16])
    assert set(found.by_id) == {record} and set(found.by_key) == {key}
    assert file.name in found.by_id[record] and file.name in found.known
    assert file.name == segment_name(file.read_bytes())
    assert found.max_seq >= 1
    assert found.redacted == set()


@pytest.mark.parametrize("data", [None, b"", b"no database", b"SQLite format 3\0" + b"x" * 4096])
def test_without_a_cache_nothing_is_known(tmp_path: Path, data: bytes | None) -> None:
    file = tmp_path / "cache.db"
    if data is not None:
        file.write_bytes(data)
    assert find_holdings(file, ["0" * 64], []) == NOTHING
    assert not (tmp_path / "cache.db-wal").exists()


def test_a_patch_is_read_by_its_numbers_and_not_by_its_looks() -> None:
    raw = (
        b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
        b"@@ -1,2 +1,3 @@ f\n-old\n-diff --git a/y b/y\n+++ b/z\n+@@ -1 +1 @@\n+three\r\n"
        b"@@ -9,0 +12 @@\n+twelve\n"
        b'diff --git "a/\\303" "b/\\303"\n--- /dev/null\n+++ "b/\\303"\n@@ -0,0 +1 @@\n+bad name\n'
        b"\\ No newline at end of file\n"
    )
    found = parse_added_lines(raw)
    assert [(one.path, one.encoded, one.rows) for one in found] == [
        ("x", False, ((1, "++ b/z"), (2, "@@ -1 +1 @@"), (3, "three"), (12, "twelve"))),
        ("%C3", True, ((1, "bad name"),)),
    ]


def test_changes_that_are_none_are_refused() -> None:
    with pytest.raises(GitFailed):
        parse_changes(b"fatal: no\0x\0")
    assert parse_changes(b"") == []


def test_a_note_survives_nonsense(tmp_path: Path) -> None:
    clone = ClonePaths(tmp_path)
    assert read_note(clone, "main") == StagedNote()
    note = StagedNote(files={"a": "b"}, placed={"c": ("d", "e")})
    write_note(clone, "main", note)
    assert read_note(clone, "main") == note and read_note(clone, "other") == StagedNote()
    (tmp_path / "marks" / "staged-main.json").write_bytes(b"{nonsense")
    assert read_note(clone, "main") == StagedNote()
    write_note(clone, "main", StagedNote())
    assert list((tmp_path / "marks").iterdir()) == []


@pytest.mark.parametrize("text", ["", "output: true\n", "output: true", "pre-push:\n  x: 1\n"])
def test_lefthooks_file_is_restored(text: str) -> None:
    once = insert_commands(text, ["pre-commit"])
    assert once is not None
    assert insert_commands(once, ["pre-commit"]) == once
    assert remove_commands(once) == text
