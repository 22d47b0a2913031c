"""`gitmem init`: start a memory or join it, and never through anybody else's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team

FILES = [".gitmem/.gitattributes", ".gitmem/.gitignore", ".gitmem/project.toml"]


def test_init_lists_and_writes_three_files_and_stages_nothing(bare_history: Clone) -> None:
    done = bare_history.gitmem("init", "--yes").ok()
    for file in FILES:
        assert file in done.out
        assert (bare_history.path / file).is_file()
    assert "git add .gitmem" in done.out
    assert bare_history.git("diff", "--cached", "--name-only") == ""


def test_a_dry_run_writes_nothing(bare_history: Clone) -> None:
    done = bare_history.gitmem("init", "--dry-run").ok()
    assert ".gitmem/project.toml" in done.out
    assert not (bare_history.path / ".gitmem").exists()


def test_a_second_init_joins_and_changes_nothing(ada: Clone) -> None:
    before = (ada.path / FILES[2]).read_bytes()
    done = ada.gitmem("--json", "init", "--yes").ok()
    assert done.data["joins"] and done.data["files"] == []
    assert (ada.path / FILES[2]).read_bytes() == before
    assert ada.git("status", "--porcelain") == ""


def test_init_before_the_first_commit_works(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "-q")
    clone.gitmem("init", "--yes").ok()
    clone.write("a.py", "a")
    record_id = clone.capture("From the start", "--flush", "a.py")
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", "All")
    assert clone.hit("a.py", record_id)["where"] == "here"


def test_init_on_a_branch_without_the_folder_joins_the_default_branch(team: Team) -> None:
    ada = team.start()
    project = ada.gitmem("--json", "init", "--yes").ok().data["project_id"]
    ben = team.clone("Ben")
    ben.git("switch", "-q", "-c", "old", "HEAD~1")
    assert not (ben.path / ".gitmem").exists()
    done = ben.gitmem("--json", "init", "--yes").ok()
    assert done.data["project_id"] == project
    assert "main" in done.data["joins"]
    assert (ben.path / FILES[2]).read_bytes() == (ada.path / FILES[2]).read_bytes()


def test_init_joins_a_memory_known_only_by_ref(team: Team) -> None:
    ada = team.clone("Ada")
    ada.git("switch", "-q", "-C", "main")
    ada.commit("Begin", {"app.py": "one\n"})
    ada.git("push", "-q", "-u", "origin", "main")
    ada.git("switch", "-q", "-c", "memory")
    ada.init()
    ada.capture("Only by ref", "app.py")
    ada.gitmem("push").ok()
    ben = team.clone("Ben", "--single-branch", "-b", "main")
    assert "no memory yet" not in ben.gitmem("pull").ok().all
    done = ben.gitmem("--json", "init", "--yes").ok()
    assert done.data["joins"].startswith("refs/gitmem-remotes/")


def test_two_branches_that_both_init_merge_without_conflict(bare_history: Clone) -> None:
    clone = bare_history
    clone.git("switch", "-q", "-c", "left")
    clone.init()
    left = clone.decide("Left", "left.py")
    clone.git("switch", "-q", "main")
    clone.git("branch", "right")
    clone.git("branch", "-m", "left", "hidden")
    clone.git("switch", "-q", "right")
    # The other branch is out of sight, as it is in another clone.
    packed = clone.git("rev-parse", "hidden")
    clone.git("update-ref", "-d", "refs/heads/hidden")
    clone.init()
    right = clone.decide("Right", "right.py")
    clone.git("merge", "-q", "-m", "Merge", packed)
    assert clone.hit("left.py", left)["where"] == "here"
    assert clone.hit("right.py", right)["where"] == "here"


@pytest.mark.parametrize("content", ["owner = 'another tool'\n", None])
def test_another_tools_folder_is_refused_and_left_alone(
    bare_history: Clone, content: str | None
) -> None:
    name = ".gitmem/project.toml" if content else ".gitmem/index.bin"
    bare_history.write(name, content or "theirs")
    done = bare_history.gitmem("--json", "init", "--yes")
    done.ends(4)
    assert done.error["code"] == "foreign-folder"
    assert "--detached" in done.error["hint"]
    assert sorted(p.name for p in (bare_history.path / ".gitmem").iterdir()) == [Path(name).name]


def test_history_answers_beside_another_tools_folder(bare_history: Clone) -> None:
    bare_history.write(".gitmem/index.bin", "theirs")
    bare_history.commit("Use WAL because readers must not wait", {"app.py": "wal\n"})
    assert "Use WAL" in bare_history.gitmem("why", "app.py").ok().out


def test_a_memory_beside_another_tools_folder_can_be_detached(bare_history: Clone) -> None:
    bare_history.write(".gitmem/index.bin", "theirs")
    bare_history.gitmem("init", "--detached", "--yes").ok()
    record_id = bare_history.capture("Kept outside", "app.py")
    assert bare_history.hit("app.py", record_id)["summary"] == "Kept outside"


def test_a_rule_that_hides_the_folder_is_named(bare_history: Clone) -> None:
    bare_history.write(".gitignore", ".gitmem/\n")
    done = bare_history.gitmem("init", "--yes").ok()
    assert ".gitignore:1: .gitmem/" in done.err
    record_id = bare_history.capture("Cannot be committed", "app.py")
    doctor = bare_history.gitmem("doctor").ends(1)
    assert ".gitignore:1" in doctor.out
    done = bare_history.gitmem("--json", "capture", "--flush").ends(4)
    assert ".gitignore:1" in done.error["message"]
    assert bare_history.hit("app.py", record_id)["state"] == "current"


def test_a_rule_for_the_extension_hides_no_segment(ada: Clone) -> None:
    ada.write(".gitignore", "*.ndjson\n")
    record_id = ada.decide("Still committed", "b.py")
    assert ada.hit("b.py", record_id)["uncommitted"] is False


def test_init_asks_nothing_without_a_terminal_and_never_in_json(bare_history: Clone) -> None:
    data = bare_history.gitmem("--json", "--no-input", "init").ok().data
    assert data["files"] == FILES


def test_a_shallow_clone_mints_no_identity(bare_history: Clone, tmp_path: Path) -> None:
    bare_history.commit("Second")
    bare_history.git("clone", "-q", "--depth", "1", f"file://{bare_history.path}", "../shallow")
    shallow = Clone(tmp_path / "shallow")
    done = shallow.gitmem("--json", "init", "--yes").ends(4)
    assert "--unshallow" in done.error["hint"]


def test_a_bare_repository_offers_the_detached_memory(team: Team) -> None:
    team.start()
    done = Clone(team.folder).gitmem("-C", str(team.remote), "--json", "init", "--yes").ends(2)
    assert "--detached" in done.error["hint"]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _outside(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("mine")
    return outside


@pytest.mark.parametrize("link", [".gitmem", ".gitmem/records"])
def test_a_linked_folder_is_refused_and_never_written_through(
    ada: Clone, tmp_path: Path, link: str
) -> None:
    outside = _outside(tmp_path)
    target = ada.path / link
    if target.exists():
        ada.git("rm", "-rq", link)
    target.parent.mkdir(exist_ok=True)
    target.symlink_to(outside)
    for words in (["init", "--yes"], ["capture", "-m", "x", "--flush", "app.py"]):
        done = ada.gitmem("--json", *words).ends(4)
        assert "symbolic link" in done.error["message"]
        assert link.rpartition("/")[2] in done.error["message"]
    assert _names(outside) == ["kept"]


def test_a_linked_month_is_neither_read_nor_written_through(ada: Clone, tmp_path: Path) -> None:
    record_id = ada.capture("Real", "--flush", "app.py")
    segment = next((ada.path / ".gitmem/records").glob("*/*.ndjson"))
    outside = _outside(tmp_path)
    segment.rename(outside / segment.name)
    month = segment.parent
    month.rmdir()
    month.symlink_to(outside)
    other = ada.capture("Another", "app.py")
    hits = [hit["id"] for hit in ada.why("app.py")["hits"] if hit["kind"] == "decision"]
    assert record_id in hits and other in hits  # from the spool, which still has both
    done = ada.gitmem("--json", "capture", "--flush").ends(4)
    assert "symbolic link" in done.error["message"]
    assert _names(outside) == sorted(["kept", segment.name])
    for name in ada.home.joinpath("spool", "main").iterdir():
        name.unlink()
    assert ada.find_hit("app.py", record_id) is None


def test_a_linked_segment_is_not_read_and_verify_says_so(ada: Clone, tmp_path: Path) -> None:
    record_id = ada.capture("Real", "--flush", "app.py")
    segment = next((ada.path / ".gitmem/records").glob("*/*.ndjson"))
    moved = tmp_path / segment.name
    segment.rename(moved)
    segment.symlink_to(moved)
    ada.gitmem("undo").ok()
    assert ada.find_hit("app.py", record_id) is None
    done = ada.gitmem("--json", "verify").ends(7)
    assert "link" in {p["code"] for p in done.json["data"]["problems"]}


def test_a_linked_project_file_is_not_read(ada: Clone, tmp_path: Path) -> None:
    file = ada.path / ".gitmem/project.toml"
    moved = tmp_path / "project.toml"
    file.rename(moved)
    file.symlink_to(moved)
    done = ada.gitmem("--json", "status").ends(4)
    assert "symbolic link" in done.error["message"]


def _commit_link(clone: Clone, path: str, target: str) -> None:
    blob = clone.git("hash-object", "-w", "--stdin", stdin=target.encode())
    clone.git("update-index", "--add", "--cacheinfo", f"120000,{blob},{path}")
    clone.git("commit", "-q", "-m", "Link")


@pytest.mark.parametrize(
    "path",
    [
        ".gitmem",
        ".gitmem/records",
        ".gitmem/records/2026-01",
        f".gitmem/records/2026-01/{'a' * 26}.ndjson",
        ".gitmem/project.toml",
    ],
)
def test_links_in_commits_are_never_followed(
    bare_history: Clone, tmp_path: Path, path: str
) -> None:
    outside = _outside(tmp_path)
    _commit_link(bare_history, path, str(outside))
    done = bare_history.gitmem("--json", "why", "app.py").ok()
    assert all(hit["kind"] == "commit" for hit in done.data["hits"])
    status = bare_history.gitmem("--json", "status")
    assert status.code in (3, 4), status
    assert _names(outside) == ["kept"]
