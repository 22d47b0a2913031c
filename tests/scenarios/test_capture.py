"""`gitmem capture` and its kin: every way to say it, and every way to name a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commandline import Clone


def _paths(clone: Clone, *words: str, cwd: Path | None = None) -> list[str]:
    done = clone.gitmem("--json", "capture", "-m", "x", *words, cwd=cwd).ok()
    paths = done.data["paths"]
    assert isinstance(paths, list)
    return paths


def _hit(clone: Clone, record_id: str) -> dict[str, object]:
    hit = clone.gitmem("--json", "show", record_id).ok().data
    assert isinstance(hit, dict)
    return hit


def test_every_option_is_kept(ada: Clone) -> None:
    old = ada.capture("Old", "app.py")
    record_id = ada.capture(
        "Cache keyed by tenant",
        *("--why", "Two tenants shared a row."),
        *("--type", "bugfix", "--tag", "cache", "--tag", "tenant"),
        *("--rejected", "global cache | leaks", "--rejected", "none"),
        *("--supersedes", old[:6], "app.py:1-2", "app.py:3"),
    )
    hit = _hit(ada, record_id)
    assert hit["type"] == "bugfix"
    assert hit["why"] == "Two tenants shared a row."
    assert hit["tags"] == ["cache", "tenant"]
    assert hit["rejected"] == [
        {"option": "global cache", "reason": "leaks"},
        {"option": "none"},
    ]
    assert hit["paths"] == [{"path": "app.py", "lines": [[1, 2], [3, 3]]}]
    assert ada.hit("app.py", old)["superseded_by"] == [record_id]


def test_the_text_comes_from_a_file_or_standard_input(ada: Clone) -> None:
    text = "Use WAL\n\nReaders must not wait.\nrejected: rollback journal | blocks readers\n"
    ada.write("said.txt", text)
    first = ada.gitmem("--json", "capture", "-F", "said.txt", "app.py").ok().data["id"]
    second = ada.gitmem("--json", "capture", "-F", "-", "app.py", stdin=text.encode()).ok()
    for record_id in (first, second.data["id"]):
        hit = _hit(ada, record_id)
        assert hit["summary"] == "Use WAL"
        assert hit["why"] == "Readers must not wait."
        assert hit["rejected"] == [{"option": "rollback journal", "reason": "blocks readers"}]


def test_a_file_is_named_from_the_folder_one_stands_in(ada: Clone) -> None:
    ada.write("sub/said.txt", "From the sub-folder")
    done = ada.gitmem("-C", "sub", "--json", "capture", "-F", "said.txt").ok()
    assert done.data["summary"] == "From the sub-folder"


def test_a_missing_or_huge_text_is_a_usage_error(ada: Clone) -> None:
    assert "nowhere.txt" in ada.gitmem("capture", "-F", "nowhere.txt").ends(2).err
    huge = b"x" * (1024 * 1024 + 1)
    assert "longer" in ada.gitmem("capture", "-F", "-", stdin=huge).ends(2).err


@pytest.mark.parametrize("summary", ["", "   ", "two\nlines", "x" * 501])
def test_a_summary_is_one_line(ada: Clone, summary: str) -> None:
    done = ada.gitmem("--json", "capture", "-m", summary, "app.py").ends(2)
    assert done.error["code"] == "usage"
    assert ada.status()["pending"] == 0


def test_without_words_and_terminal_it_says_what_to_type(ada: Clone) -> None:
    assert 'gitmem capture -m "' in ada.gitmem("capture", "app.py").ends(2).err


def test_amend_changes_the_last_pending_one_and_keeps_its_key(ada: Clone) -> None:
    first = ada.capture("First", "app.py")
    second = ada.capture("Secnod", "--why", "Because.", "app.py")
    done = ada.gitmem("--json", "capture", "--amend", "-m", "Second").ok()
    assert done.data["replaced"] == second
    assert _hit(ada, done.data["id"])["why"] == "Because."
    summaries = {hit["summary"] for hit in ada.why("app.py")["hits"] if hit["kind"] == "decision"}
    assert summaries == {"First", "Second"}
    assert _hit(ada, first)["state"] == "current"


def test_amend_can_add_what_a_capture_can_say(ada: Clone) -> None:
    old = ada.capture("Old", "app.py")
    ada.capture("New", "app.py")
    done = ada.gitmem("--json", "capture", "--amend", "--supersedes", old, "--for", "HEAD").ok()
    hit = _hit(ada, done.data["id"])
    assert hit["summary"] == "New"
    assert hit["commit"] == ada.head()
    assert _hit(ada, old)["state"] == "superseded"


def test_there_is_nothing_to_amend_once_it_is_committed(ada: Clone) -> None:
    ada.decide("Kept", "a.py")
    done = ada.gitmem("--json", "capture", "--amend", "-m", "x").ends(4)
    assert "gitmem edit" in done.error["hint"]


def test_a_withdrawal_is_not_amended(ada: Clone) -> None:
    ada.gitmem("retract", ada.decide("Kept", "a.py")[:8]).ok()
    done = ada.gitmem("--json", "capture", "--amend", "-m", "x").ends(4)
    assert "gitmem undo" in done.error["hint"]
    ada.gitmem("undo").ok()


def test_flush_stages_the_segment_and_nothing_else(ada: Clone) -> None:
    ada.write("app.py", "changed")
    record_id = ada.capture("Flushed", "--flush", "app.py")
    staged = ada.git("diff", "--cached", "--name-only").splitlines()
    assert len(staged) == 1 and staged[0].startswith(".gitmem/records/")
    hit = ada.hit("app.py", record_id)
    assert hit["uncommitted"] is True
    ada.git("commit", "-q", "-m", "Only the decision")
    hit = ada.hit("app.py", record_id)
    assert hit["uncommitted"] is False and hit["commit"] == ada.head()


def test_flush_alone_writes_all_that_is_pending_once(ada: Clone) -> None:
    ids = {ada.capture("One", "app.py"), ada.capture("Two", "app.py")}
    done = ada.gitmem("--json", "capture", "--flush").ok()
    assert len(done.data["flushed"]) == 1
    lines = (ada.path / done.data["flushed"][0]).read_text().splitlines()
    assert {json.loads(line)["id"] for line in lines} == ids
    assert ada.gitmem("--json", "capture", "--flush").ok().data["flushed"] == []
    assert "Nothing is pending" in ada.gitmem("capture", "--flush").ok().out


def test_a_local_record_is_marked_and_never_flushed(ada: Clone) -> None:
    done = ada.gitmem("capture", "-m", "Mine", "--local", "--flush", "app.py").ok()
    assert "private" in done.out
    assert ada.git("status", "--porcelain") == ""
    assert ada.why("app.py")["hits"][0]["where"] == "private"


def test_a_decision_can_explain_a_commit_or_a_range(ada: Clone) -> None:
    first = ada.commit("One", {"one.py": "1"})
    second = ada.commit("Two", {"two.py": "2"})
    single = ada.capture("About one", "--for", first)
    several = ada.capture("About both", "--for", f"{first}~1..{second}")
    assert _hit(ada, single)["paths"] == [{"path": "one.py"}]
    assert [ref["path"] for ref in _hit(ada, several)["paths"]] == ["one.py", "two.py"]  # type: ignore[attr-defined, index]
    ids = {hit["id"] for hit in ada.why(second)["hits"] if hit["kind"] == "decision"}
    assert ids == {several}
    ids = {hit["id"] for hit in ada.why(first)["hits"] if hit["kind"] == "decision"}
    assert ids == {single, several}


@pytest.mark.parametrize("spec", ["no-such", "HEAD..no-such", "--all", "HEAD:app.py", ""])
def test_what_names_no_commit_is_not_explained(ada: Clone, spec: str) -> None:
    done = ada.gitmem("--json", "capture", "-m", "x", f"--for={spec}", "app.py")
    done.ends(4)
    assert done.error["code"] == "not-found"


def test_an_empty_range_is_said_to_be_empty(ada: Clone) -> None:
    done = ada.gitmem("--json", "capture", "-m", "x", "--for", "HEAD..HEAD").ends(4)
    assert "no commit" in done.error["message"]


def test_without_paths_it_is_about_the_staged_files_else_the_modified_ones(ada: Clone) -> None:
    ada.commit("More", {"a.py": "a", "b.py": "b"})
    assert _paths(ada) == []
    ada.write("a.py", "changed")
    assert _paths(ada) == ["a.py"]
    ada.write("b.py", "changed")
    ada.git("add", "b.py")
    assert _paths(ada) == ["b.py"]
    ada.write("new.py", "untracked")
    assert _paths(ada) == ["b.py"]


def test_a_staged_memory_is_not_what_a_decision_is_about(ada: Clone) -> None:
    ada.capture("x", "--flush", "app.py")
    assert _paths(ada) == []


def test_a_path_is_the_same_however_it_is_spelled(ada: Clone) -> None:
    ada.write("src/deep/a.py", "1\n2\n3\n")
    link = ada.path.parent / "link"
    link.symlink_to(ada.path)
    inner = ada.path / "src" / "deep"
    for words, cwd in (
        (["src/deep/a.py"], ada.path),
        ([str(inner / "a.py")], ada.path),
        (["./src/deep/a.py"], ada.path),
        (["src//deep/./a.py"], ada.path),
        (["src\\deep\\a.py"], ada.path),
        (["a.py"], inner),
        (["../deep/a.py"], inner),
        ([str(link / "src/deep/a.py")], ada.path),
        (["a.py"], link / "src" / "deep"),
        (["deep/a.py"], ada.path / "src"),
    ):
        assert _paths(ada, *words, cwd=cwd) == ["src/deep/a.py"], words
        spelled = ada.gitmem("--json", "why", *words, cwd=cwd).ok().data
        assert spelled["path"] == "src/deep/a.py", words


def test_a_path_may_carry_lines_a_folder_ends_in_a_slash(ada: Clone) -> None:
    ada.write("src/a.py", "x\n" * 50)
    hit = _hit(ada, ada.capture("Lines", "src/a.py:10-40"))
    assert hit["paths"] == [{"path": "src/a.py", "lines": [[10, 40]]}]
    assert _paths(ada, "src") == ["src/"]
    assert _paths(ada, "src/") == ["src/"]
    assert ada.gitmem("capture", "-m", "x", "src/a.py:40-10").ends(2)


def test_a_file_whose_name_ends_like_lines_is_that_file(ada: Clone) -> None:
    ada.write("odd:12", "x")
    assert _paths(ada, "odd:12") == ["odd:12"]


@pytest.mark.parametrize("path", ["../elsewhere.py", "/etc/passwd", ".git/config", "src/../../x"])
def test_a_path_outside_is_refused_and_nothing_is_kept(ada: Clone, path: str) -> None:
    for words in (["capture", "-m", "x", path], ["why", path], ["log", path]):
        done = ada.gitmem("--json", *words).ends(2)
        assert done.error["code"] == "path-outside"
    assert ada.status()["records"] == 0


def test_a_linked_directory_that_leads_outside_is_outside(ada: Clone, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (ada.path / "near").symlink_to(tmp_path / "far")
    ada.gitmem("capture", "-m", "x", "near/file.py").ends(2)
    assert _paths(ada, "near") == ["near"]  # the link itself is the repository's content


def test_a_name_that_is_not_utf8_is_found_again(ada: Clone) -> None:
    name = "caf\udce9%.py"
    (ada.path / name).write_text("x")
    ada.git("add", "-A")
    by_default = ada.capture("Staged")
    named = ada.capture("Named", name)
    for record_id in (by_default, named):
        refs = _hit(ada, record_id)["paths"]
        assert refs == [{"path": "caf%E9%25.py", "encoded": True}]
    ids = {hit["id"] for hit in ada.why(name)["hits"] if hit["kind"] == "decision"}
    assert ids == {by_default, named}


def test_a_name_in_either_unicode_form_is_one_name(ada: Clone) -> None:
    ada.write("caf\u00e9.py", "x")
    record_id = ada.capture("Composed", "caf\u00e9.py")
    assert ada.find_hit("cafe\u0301.py", record_id) is not None


def test_a_secret_is_taken_out_before_it_is_written(ada: Clone) -> None:
    secret = "gh" + "p_" + "a1B2c3D4" * 4 + "e5F6"
    done = ada.gitmem("capture", "-m", "Token", "--why", f"it was {secret}", "app.py").ok()
    assert "rotate" in done.err and secret not in done.all
    for file in ada.home.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file


def test_capture_before_init_says_to_init(bare_history: Clone) -> None:
    done = bare_history.gitmem("--json", "capture", "-m", "x", "app.py").ends(3)
    assert done.error == {
        "code": "no-memory",
        "message": "this repository has no memory yet",
        "hint": "Start one here: gitmem init",
    }


def test_capture_without_an_identity_names_the_lines_to_type(ada: Clone) -> None:
    nobody: dict[str, str | None] = {
        "GIT_AUTHOR_NAME": None,
        "GIT_AUTHOR_EMAIL": None,
        "GIT_COMMITTER_NAME": None,
        "GIT_COMMITTER_EMAIL": None,
        "HOME": str(ada.path.parent),
        "EMAIL": None,
    }
    done = ada.gitmem("capture", "-m", "x", "app.py", env=nobody).ends(2)
    assert "git config --global user.name" in done.err


def test_the_editor_opens_with_the_diff_and_its_text_is_kept(ada: Clone, tmp_path: Path) -> None:
    pty = pytest.importorskip("tests.support.terminal")
    ada.write("app.py", "one\ntwo\nfour\n")
    editor = tmp_path / "editor.sh"
    editor.write_text(
        f'#!/bin/sh\ncp "$1" {tmp_path}/seen\n'
        'printf "Said in the editor\\n\\nThe reason.\\nrejected: a | b\\n# a comment\\n" > "$1"\n'
    )
    editor.chmod(0o755)
    out = pty.run_in_terminal(
        ada.path, "capture", "app.py", env={**ada.env, "GIT_EDITOR": str(editor)}
    )
    assert out.code == 0, out
    seen = (tmp_path / "seen").read_text()
    assert "# +four" in seen and "# -three" in seen
    hit = ada.why("app.py")["hits"][0]
    assert (hit["summary"], hit["why"]) == ("Said in the editor", "The reason.")
    editor.write_text('#!/bin/sh\nprintf "# only comments\\n" > "$1"\n')
    out = pty.run_in_terminal(ada.path, "capture", "app.py", env={**ada.env, "GIT_EDITOR": editor})
    assert out.code == 2 and "nothing was recorded" in out.text
    editor.write_text("#!/bin/sh\nexit 3\n")
    out = pty.run_in_terminal(ada.path, "capture", "app.py", env={**ada.env, "GIT_EDITOR": editor})
    assert out.code == 2 and "code 3" in out.text
    assert ada.status()["pending"] == 1


def test_a_note_is_a_capture_of_type_note(ada: Clone) -> None:
    ada.write("app.py", "changed")
    record_id = ada.gitmem("--json", "note", "mind", "the", "gap").ok().data["id"]
    hit = _hit(ada, record_id)
    assert (hit["type"], hit["summary"]) == ("note", "mind the gap")
    assert hit["paths"] == [{"path": "app.py"}]
