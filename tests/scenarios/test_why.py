"""`gitmem why`: every kind of question, in every shape of repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commandline import Clone, Team


def _ids(answer: dict[str, object]) -> list[str]:
    return [h["id"] for h in answer["hits"] if h["kind"] == "decision"]  # type: ignore[attr-defined]


def _commits(answer: dict[str, object]) -> list[str]:
    return [h["commit"] for h in answer["hits"] if h["kind"] == "commit"]  # type: ignore[attr-defined]


def test_history_answers_before_init_and_the_hint_comes_once(bare_history: Clone) -> None:
    oid = bare_history.commit(
        "Use WAL\n\nReaders must not wait for the writer.", {"app.py": "wal\n"}
    )
    first = bare_history.gitmem("why", "app.py").ok()
    assert oid[:7] in first.out and "Use WAL" in first.out
    assert "gitmem init" in first.err
    assert "gitmem init" not in bare_history.gitmem("why", "app.py").ok().err


def test_a_folder_gathers_what_is_below_it(ada: Clone) -> None:
    inner = ada.decide("Inner", "src/deep/a.py")
    outer = ada.decide("Outer", "other.py")
    assert _ids(ada.why("src")) == [inner]
    assert _ids(ada.why("src/")) == [inner]
    assert set(_ids(ada.why("."))) == {inner, outer}
    whole = ada.capture("About the folder", "src/")
    assert set(_ids(ada.why("src"))) == {inner, whole}


def test_a_deleted_file_still_answers_by_path_and_by_suffix(ada: Clone) -> None:
    record_id = ada.decide("Was here", "src/gone.py")
    ada.git("rm", "-q", "src/gone.py")
    ada.git("commit", "-q", "-m", "Remove it because nothing used it")
    for target in ("src/gone.py", "gone.py"):
        assert _ids(ada.why(target)) == [record_id]
        assert ada.head() in _commits(ada.why(target))


def test_a_suffix_finds_the_one_file_that_stands(ada: Clone) -> None:
    record_id = ada.decide("Unique", "src/very/unique.py")
    assert _ids(ada.why("unique.py")) == [record_id]
    assert _ids(ada.why("very/unique.py")) == [record_id]


def test_a_suffix_that_fits_several_files_asks_for_more(ada: Clone) -> None:
    ada.decide("One", "one/same.py")
    ada.decide("Two", "two/same.py")
    done = ada.gitmem("--json", "why", "same.py").ends(4)
    assert done.error["code"] == "ambiguous"
    assert "one/same.py" in done.error["message"] and "two/same.py" in done.error["message"]
    ada.gitmem("why", "one/same.py").ok()


def test_a_renamed_file_keeps_the_decisions_of_its_former_names(ada: Clone) -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    ada.write("old.py", text)
    ada.git("add", "old.py")
    record_id = ada.capture("For the old name", "--flush", "old.py")
    ada.git("commit", "-q", "-m", "Add")
    ada.git("mv", "old.py", "new.py")
    ada.git("commit", "-q", "-m", "Rename")
    hit = ada.hit("new.py", record_id)
    assert hit["via"] == "old.py"
    assert "recorded for old.py" in ada.gitmem("why", "new.py").ok().out
    ada.write("new.py", text.replace("line 3", "line three"))
    (ada.path / "pkg").mkdir()
    ada.git("mv", "new.py", "pkg/newest.py")
    ada.git("commit", "-q", "-am", "Move and edit")
    assert ada.find_hit("pkg/newest.py", record_id) is not None
    assert ada.find_hit("pkg/newest.py:10", record_id) is not None


def test_a_copied_file_shows_where_it_came_from(ada: Clone) -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    ada.write("origin.py", text)
    ada.git("add", "origin.py")
    record_id = ada.capture("For the original", "--flush", "origin.py")
    ada.git("commit", "-q", "-m", "Add")
    ada.commit("Copy", {"copy.py": text, "origin.py": text + "more\n"})
    assert ada.hit("copy.py", record_id)["via"] == "origin.py"


def test_a_line_is_answered_through_blame(ada: Clone) -> None:
    first = ada.decide("First", "a.py")
    ada.write("a.py", "First\nsecond line\n")
    ada.git("add", "a.py")
    second = ada.capture("Second", "--flush", "a.py")
    ada.git("commit", "-q", "-m", "Second line")
    answer = ada.why("a.py:2")
    assert answer["line"]["commit"] == ada.head()
    assert _ids(answer)[0] == second
    assert _ids(ada.why("a.py:1"))[0] == first
    assert "a.py:2   last changed by" in ada.gitmem("why", "a.py:2").ok().out


def test_a_line_that_is_not_committed_says_so(ada: Clone) -> None:
    ada.write("app.py", "one\nmine\nthree\n")
    answer = ada.why("app.py:2")
    assert answer["line"]["commit"] is None
    assert "not committed yet" in ada.gitmem("why", "app.py:2").ok().out


def test_a_line_beyond_the_end_falls_back_to_the_file(ada: Clone) -> None:
    record_id = ada.decide("Short", "a.py")
    done = ada.gitmem("--json", "why", "a.py:999").ok()
    assert [w["code"] for w in done.json["warnings"]] == ["no-such-line"]
    assert _ids(done.data) == [record_id]


def test_a_commit_is_named_by_any_of_its_names(ada: Clone) -> None:
    record_id = ada.decide("Decided here", "a.py")
    ada.git("tag", "v1")
    for target in ("HEAD", "v1", "main", ada.head(), ada.head()[:8], "HEAD~0"):
        answer = ada.why(target)
        assert answer["kind"] == "commit" and _ids(answer) == [record_id], target
        assert _commits(answer) == [ada.head()]
    assert _ids(ada.why("HEAD~1")) == []


def test_a_record_is_named_by_a_prefix(ada: Clone) -> None:
    record_id = ada.capture("By id", "app.py")
    for length in (4, 12, 64):
        answer = ada.why(record_id[:length])
        assert answer["kind"] == "record" and _ids(answer) == [record_id]
    assert _ids(ada.why(record_id[:8].upper())) == [record_id]


def test_nothing_found_is_an_answer_with_the_next_command(ada: Clone) -> None:
    done = ada.gitmem("why", "app.py").ok()
    assert done.out == (
        "No decision is recorded for app.py (1 commit, and it does not say why). "
        "Record one: gitmem capture app.py\n"
    )
    ada.gitmem("why", "app.py", "--exit-code").ends(1)
    ada.capture("Now", "app.py")
    ada.gitmem("why", "app.py", "--exit-code").ok()


def test_an_unknown_name_is_said_to_be_unknown(ada: Clone) -> None:
    done = ada.gitmem("why", "no/such/file.py").ok()
    assert "Nothing is known of no/such/file.py" in done.out
    assert ada.why("no/such/file.py")["is_known"] is False
    ada.gitmem("why", "no/such/file.py", "--exit-code").ends(1)


def test_limit_and_all_say_how_many_more_there_are(ada: Clone) -> None:
    ids = [ada.capture(f"Number {n}", "app.py") for n in range(7)]
    answer = ada.why("app.py")
    assert _ids(answer) == ids[:1:-1]
    assert answer["more_decisions"] == 2
    text = ada.gitmem("why", "app.py").ok().out
    assert "... 2 more decisions, 1 more commit: gitmem why app.py --all" in text
    assert _ids(ada.why("app.py", "--limit", "1")) == [ids[-1]]
    assert _ids(ada.why("app.py", "--all")) == ids[::-1]
    everything = ada.gitmem("why", "app.py", "--all").ok().out
    assert "more" not in everything


def test_only_commits_that_give_a_reason_are_shown_unless_all_are_asked(ada: Clone) -> None:
    plain = ada.commit("Tidy", {"app.py": "tidy\n"})
    reason = ada.commit("Retry five times because the host is slow", {"app.py": "retry\n"})
    assert _commits(ada.why("app.py")) == [reason]
    assert plain in _commits(ada.why("app.py", "--all"))
    assert _commits(ada.why("app.py", "--no-history")) == []


def test_an_empty_repository_answers(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "-q")
    clone.write("a.py", "x")
    done = clone.gitmem("why", "a.py").ok()
    assert "no history yet" in done.out
    for words in (["why", "HEAD"], ["log"], ["search", "x"], []):
        clone.gitmem(*words).ok()
    clone.gitmem("init", "--yes").ok()
    clone.gitmem("status").ok()


def test_an_unborn_branch_of_a_repository_with_history_answers(ada: Clone) -> None:
    ada.git("switch", "-q", "--orphan", "fresh")
    assert ada.gitmem("--json", "why", "app.py").ok()
    assert ada.gitmem("--json", "status").ok().data["head"] is None


def test_a_detached_head_answers_from_that_commit(ada: Clone) -> None:
    early = ada.decide("Early", "a.py")
    late = ada.decide("Late", "a.py")
    ada.git("switch", "-q", "--detach", "HEAD~1")
    assert ada.hit("a.py", early)["where"] == "here"
    assert ada.hit("a.py", late)["where"] in ("default", "elsewhere")
    assert "detached at" in ada.gitmem("status").ok().out


def test_a_bare_repository_answers(team: Team) -> None:
    ada = team.start()
    record_id = ada.decide("Seen from the bare one", "a.py")
    ada.git("push", "-q")
    bare = Clone(team.remote)
    for target in ("a.py", "HEAD", "main", record_id[:10]):
        assert _ids(bare.why(target)) == [record_id], target
    assert bare.status()["records"] == 1
    bare.gitmem("log").ok()
    done = bare.gitmem("--json", "capture", "-m", "x", "--flush").ends(2)
    assert "tracked folder" in done.error["message"] or "work tree" in done.error["message"]


def test_a_shallow_clone_says_that_history_is_cut(team: Team) -> None:
    ada = team.start()
    ada.decide("Before", "a.py")
    record_id = ada.decide("Last", "b.py")
    ada.git("push", "-q")
    ben = team.clone("Ben", "--depth", "1", "--no-local")
    done = ben.gitmem("--json", "why", "b.py").ok()
    assert "history-cut" in [w["code"] for w in done.json["warnings"]]
    hit = next(h for h in done.data["hits"] if h["kind"] == "decision")
    assert hit["id"] == record_id
    assert hit["commit"] is None  # never the boundary, which seems to add everything
    assert "--unshallow" in ben.gitmem("why", "b.py").ok().err


def test_a_linked_work_tree_has_its_own_view_and_the_same_memory(ada: Clone) -> None:
    ada.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Clone(ada.path.parent / "side")
    here = ada.capture("In the main work tree", "app.py")
    there = side.capture("In the linked one", "app.py")
    assert ada.hit("app.py", here)["where"] == "pending"
    assert ada.hit("app.py", there)["where"] == "elsewhere"
    assert side.hit("app.py", there)["where"] == "pending"
    assert side.hit("app.py", here)["where"] == "elsewhere"
    assert ada.status()["records"] == side.status()["records"] == 2
    side.gitmem("undo").ok()
    assert ada.find_hit("app.py", there) is None


def test_a_submodule_has_its_own_memory(ada: Clone, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    library = Clone(inner)
    library.git("init", "-q")
    library.commit("Begin", {"lib.py": "x"})
    library.init()
    ada.git("submodule", "--quiet", "add", str(inner), "vendor")
    ada.git("commit", "-q", "-m", "Add a submodule")
    sub = Clone(ada.path / "vendor")
    record_id = sub.capture("Inside", "lib.py")
    assert sub.hit("lib.py", record_id)["where"] == "pending"
    assert ada.status()["records"] == 0
    assert ada.git("status", "--porcelain") == ""
    done = ada.gitmem("--json", "why", "vendor").ok()
    assert done.data["kind"] in ("path", "folder")


def test_why_works_from_inside_the_folder_of_records(ada: Clone) -> None:
    record_id = ada.decide("Seen", "a.py")
    done = ada.gitmem("--json", "why", "../a.py", cwd=ada.path / ".gitmem").ok()
    assert _ids(done.data) == [record_id]


@pytest.mark.parametrize("target", ["", "-", "%00", "a" * 5000, "HEAD@{9}"])
def test_an_odd_target_is_answered_or_refused_in_words(ada: Clone, target: str) -> None:
    done = ada.gitmem("--json", "why", target)
    assert done.code in (0, 2, 4), done
    assert done.json


def test_what_is_decided_of_a_folder_holds_for_its_files(ada: Clone) -> None:
    for path in ("src/deep/a.py", "src/b.py", "srcs/c.py"):
        ada.write(path, "x\n")
    ada.commit("Add files")
    of_folder = ada.capture("No globals in here", "src/")
    of_file = ada.capture("Sorted by name", "src/deep/a.py")
    hits = ada.gitmem("--json", "why", "src/deep/a.py").data["hits"]
    assert [(hit["id"], hit["via"]) for hit in hits[:2]] == [(of_file, None), (of_folder, "src/")]
    assert "recorded for src/" in ada.gitmem("why", "src/b.py").ok().out
    assert ada.gitmem("--json", "why", "srcs/c.py", "--no-history").data["hits"] == []
    under = ada.gitmem("--json", "why", "src/", "--no-history").data["hits"]
    assert {hit["id"] for hit in under} == {of_folder, of_file}


def test_a_message_with_the_line_ends_of_another_system_reads_as_it_was_meant(
    bare_history: Clone,
) -> None:
    bare_history.write("app.py", "two\n")
    bare_history.git("add", "app.py")
    message = b"Change it\r\n\r\nBecause two are needed.\r\nReally.\r\n\r\nWhy: speed\r\n"
    bare_history.git("commit", "-q", "--cleanup=verbatim", "-F", "-", stdin=message)
    for command in (("why", "app.py"), ("recall", "two are needed"), ("show", "HEAD")):
        out = bare_history.gitmem(*command).ok().out
        assert "Change it" in out and "\\x0d" not in out and "\r" not in out, command
