"""`changelog`: what belongs to a range, what it says, and what it refuses to say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.commandline import Clone, Team


def log(clone: Clone, *words: str, **options: Any) -> Any:
    return clone.gitmem("changelog", "--json", *words, **options).ok().data


def summaries(clone: Clone, *words: str) -> list[str]:
    return [entry["summary"] for entry in log(clone, *words)["entries"]]


def text(clone: Clone, *words: str) -> str:
    return clone.gitmem("changelog", *words).ok().out


# --- what belongs to a range ----------------------------------------------------------------


def test_a_decision_and_a_reason_are_listed_with_the_reasons_and_the_commits(ada: Clone) -> None:
    ada.git("tag", "v1")
    named = ada.decide(
        "Cache by tenant", "app.py", "--why", "Rows leaked.", "--rejected", "URL | no"
    )
    oid = ada.commit("fix(api): stop early\n\nBecause the loop never ended.", {"b.py": "b\n"})
    ada.commit("Tidy", {"c.py": "c\n"})
    data = log(ada, "v1..HEAD")
    first, second = data["entries"]
    assert (first["id"], first["matched"], first["why"]) == (named, "containment", "Rows leaked.")
    assert first["rejected"] == [{"option": "URL", "reason": "no"}]
    assert (second["commit"], second["matched"]) == (oid, "message")
    assert (second["type"], second["group"]) == ("bugfix", "Fixed")
    counted = data["coverage"]
    assert [counted[k] for k in ("files", "decided", "message_only", "unexplained")] == [3, 1, 1, 1]
    assert counted["unexplained_paths"] == ["c.py"]
    shown = text(ada, "v1..HEAD")
    assert "Rejected: URL (no)." in shown and f"decision `{named[:7]}`" in shown
    assert "3 files changed: 1 with a decision, 1 with only a commit message" in shown


def test_a_branch_that_is_older_than_the_tag_but_merged_later_belongs_to_the_later(
    ada: Clone,
) -> None:
    ada.git("switch", "-qc", "topic")
    old = {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
    ada.env.update(old)
    side = ada.decide("Side", "side.py")
    for name in old:
        del ada.env[name]
    ada.git("switch", "-q", "main")
    ada.commit("Main goes on", {"m.py": "m\n"})
    ada.git("tag", "v1")
    ada.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")
    assert [entry["id"] for entry in log(ada, "v1..HEAD")["entries"]] == [side]
    assert log(ada, "HEAD^..v1")["entries"] == []


def test_the_first_commit_counts_and_no_tag_is_needed(bare_history: Clone) -> None:
    bare_history.git("commit", "-q", "--amend", "-m", "Begin, because of the deadline")
    data = log(bare_history)
    assert [entry["summary"] for entry in data["entries"]] == ["Begin, because of the deadline"]
    assert (data["title"], data["commits"], data["coverage"]["files"]) == ("Unreleased", 1, 1)


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "-q")
    done = clone.gitmem("changelog").ok()
    assert "no commit yet" in done.err and "Nothing yet." in done.out
    clone.gitmem("changelog", "v1..HEAD").ends(4)


def test_without_a_range_it_is_what_came_since_the_last_tag(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.decide("One", "one.py")
    assert (log(ada)["range"], summaries(ada)) == ("v1..HEAD", ["One"])
    ada.git("tag", "-a", "-m", "two", "v2")
    data = log(ada)  # HEAD is the release itself
    assert (data["title"], data["range"]) == ("v2", "v1..v2")
    assert data["date"] == "2026-01-02"
    assert summaries(ada, "--unreleased") == []


def test_without_a_tag_it_is_what_the_upstream_lacks(team: Team) -> None:
    ada = team.start()
    ada.decide("Not pushed", "x.py")
    assert summaries(ada) == ["Not pushed"]


@pytest.mark.parametrize(
    "words",
    [
        ["v/1..HEAD"],
        ["v/1...HEAD"],
        ["^v/1", "HEAD"],
        ["HEAD~2..HEAD~1"],
        ["HEAD~2"],
        ["app.py..HEAD"],
        ["HEAD^!"],
        ["topic...HEAD"],
        ["topic", "HEAD"],
        ["@~1.."],
        ["..topic"],
    ],
    ids=" ".join,
)
def test_a_range_is_the_same_set_as_for_git(ada: Clone, words: list[str]) -> None:
    ada.git("tag", "v/1")
    ada.git("branch", "app.py")
    for number in range(3):
        ada.commit(f"Change {number}, because of {number}", {"app.py": f"{number}\n"})
    ada.git("switch", "-qc", "topic", "v/1")
    ada.commit("Topic, because of it", {"t.py": "t\n"})
    ada.git("switch", "-q", "main")
    expected = set(ada.git("rev-list", *words, "--").split())
    assert log(ada, *words)["commits"] == len(expected)
    listed = {commit for entry in log(ada, *words)["entries"] for commit in entry["commits"]}
    reasons = set(ada.git("rev-list", "--grep=because", *words, "--").split())
    assert listed == reasons


def test_a_range_the_wrong_way_round_is_empty_with_a_hint(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.commit("On", {"a.py": "a\n"})
    done = ada.gitmem("changelog", "HEAD..v1").ok()
    assert "did you mean v1..HEAD?" in done.err


@pytest.mark.parametrize("word", ["-n", "--output=x", "--all", "-"])
def test_what_looks_like_an_option_is_refused(ada: Clone, word: str) -> None:
    done = ada.gitmem("changelog", "--", word).ends(2)
    assert "looks like an option" in done.err
    assert not (ada.path / "x").exists()
    ada.gitmem("changelog", word).ends(2)
    assert not (ada.path / "x").exists()


def test_a_tag_by_itself_heads_all_that_led_to_it(ada: Clone) -> None:
    ada.decide("First", "a.py")
    ada.git("tag", "-a", "-m", "one", "rel/1.0")
    ada.decide("Second", "b.py")
    data = log(ada, "rel/1.0")
    assert (data["title"], [one["summary"] for one in data["entries"]]) == ("rel/1.0", ["First"])
    assert log(ada, "main")["title"] == "Unreleased"


def test_a_release_that_is_to_be_tagged_is_linked_by_its_tag(ada: Clone) -> None:
    ada.git("remote", "add", "origin", "https://github.com/ada/code.git")
    ada.git("tag", "v1")
    ada.decide("Second", "b.py")
    url = "https://github.com/ada/code/compare/"
    assert log(ada, "--tag", "v2")["compare_url"] == url + "v1...v2"
    assert log(ada, "--tag", "v2", "v1..HEAD")["compare_url"] == url + "v1...v2"
    assert log(ada)["compare_url"] == url + "v1...HEAD"


def test_a_missing_end_and_an_ambiguous_prefix_are_errors(ada: Clone) -> None:
    assert "v9" in ada.gitmem("--json", "changelog", "v9..HEAD").ends(4).error["message"]
    assert ada.gitmem("--json", "changelog", "v9..HEAD").error["code"] == "not-found"
    stream = "".join(
        f"commit refs/heads/n{n}\ncommitter A <a@b> {n} +0000\ndata 0\n\n" for n in range(1000)
    )
    ada.git("fast-import", "--quiet", stdin=stream.encode())
    prefixes = [oid[:4] for oid in ada.git("rev-list", "--all").split()]
    twice = next((one for one in prefixes if prefixes.count(one) > 1), None)
    assert twice is not None
    assert ada.gitmem("--json", "changelog", f"{twice}..HEAD").ends(4).error["code"] == "ambiguous"


# --- evidence -------------------------------------------------------------------------------


def test_a_decision_that_names_a_commit_is_there_wherever_it_is_recorded(ada: Clone) -> None:
    ada.git("tag", "v1")
    oid = ada.commit("Change", {"a.py": "a\n"})
    ada.git("tag", "v2")
    late = ada.capture("Said later", "--for", oid, "--flush")
    ada.commit("Records")
    entry = log(ada, "v1..v2")["entries"][0]
    assert (entry["id"], entry["is_named"], entry["commit"]) == (late, True, oid)
    assert summaries(ada, "v2..HEAD") == []


def test_a_decision_that_no_commit_holds_is_found_by_base_and_path(team: Team) -> None:
    ada = team.start()
    ada.git("tag", "v1")
    record = ada.capture("Only by ref", "app.py")
    ada.write("app.py", "changed\n")
    ada.git("commit", "-qam", "Change the app", "--no-verify")
    ada.gitmem("push").ok()
    (entry,) = log(ada, "v1..HEAD")["entries"]
    assert (entry["id"], entry["matched"], entry["commit"]) == (record, "path", ada.head())
    assert log(ada, "v1..HEAD")["coverage"]["decided"] == 1


def test_a_decision_known_by_ref_is_found_some_commits_later(team: Team) -> None:
    ada = team.start()
    ada.git("tag", "v1")
    about = ada.commit("Change the app", {"app.py": "changed\n"})
    ada.commit("Something else", {"b.py": "b\n"})
    record = ada.capture("Said later", "app.py")
    assert summaries(ada, "v1..HEAD") == []
    ada.gitmem("push").ok()
    (entry,) = log(ada, "v1..HEAD")["entries"]
    assert (entry["id"], entry["matched"], entry["commit"]) == (record, "path", about)
    assert log(ada, "v1..HEAD")["coverage"]["unexplained_paths"] == ["b.py"]


def test_what_is_reverted_and_applied_again_over_releases_is_told(bare_history: Clone) -> None:
    clone = bare_history
    feature = clone.commit("feat: tenants", {"t.py": "t\n"})
    clone.git("tag", "v1")
    clone.git("revert", "--no-edit", feature)
    clone.git("tag", "v2")
    clone.git("revert", "--no-edit", "HEAD")
    assert summaries(clone, "v1..v2") == ["Reverted: Tenants"]
    assert summaries(clone, "v2..HEAD") == ["Restored: Tenants"]
    assert log(clone, "v1..HEAD")["entries"] == []
    groups = [log(clone, words)["entries"][0]["group"] for words in ("v1..v2", "v2..HEAD")]
    assert groups == ["Removed", "Added"]


def test_a_pending_decision_about_what_is_not_committed_yet_is_of_no_range(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.commit("Change", {"b.py": "b\n"})
    ada.capture("Not done yet", "app.py")
    assert summaries(ada, "v1..HEAD") == []


def test_private_decisions_never_show(ada: Clone) -> None:
    ada.git("tag", "v1")
    oid = ada.commit("Change", {"b.py": "b\n"})
    ada.capture("Between us", "--local", "--for", oid)
    assert "Between us" not in ada.gitmem("changelog", "--json", "v1..HEAD").ok().all


def test_a_decision_about_no_file_is_listed_apart(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.capture("We release on Mondays", "--flush")
    ada.commit("Change it, because Mondays", {"a.py": "a\n"})
    apart, message = log(ada, "v1..HEAD")["entries"]
    assert apart["is_apart"] and not message["is_apart"]
    assert log(ada, "v1..HEAD")["coverage"]["decided"] == 0
    assert "### Decided besides, about no file\n\n- **We release" in text(ada, "v1..HEAD")


def test_a_decision_that_came_in_late_is_about_the_commit_before_it(ada: Clone) -> None:
    ada.git("tag", "v1")
    about = ada.commit("Change, because it is due", {"a.py": "a\n"})
    ada.capture("Said after the commit", "a.py", "--flush")
    holder = ada.commit("Records")
    later = ada.commit("Change again, because it broke", {"a.py": "b\n"})
    decision, message = log(ada, "v1..HEAD")["entries"]
    assert decision["commits"] == [about, holder]
    assert message["commit"] == later


def test_a_squash_merge_keeps_its_decisions(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.git("switch", "-qc", "topic")
    ids = {ada.decide("One", "one.py"), ada.decide("Two", "two.py")}
    ada.git("switch", "-q", "main")
    ada.git("merge", "-q", "--squash", "topic")
    oid = ada.commit("Squashed")
    entries = log(ada, "v1..HEAD")["entries"]
    assert {entry["id"] for entry in entries} == ids
    assert {entry["commit"] for entry in entries} == {oid}


def test_records_that_upkeep_wrote_anew_are_not_new(ada: Clone) -> None:
    ada.decide("Old", "old.py")
    ada.decide("Older", "older.py")
    ada.git("tag", "v1")
    records = sorted((ada.path / ".gitmem" / "records").rglob("*.ndjson"))
    lines = b"".join(sorted((file.read_bytes() for file in records), key=_seq))
    for file in records:
        file.unlink()
    _write_segment(records[0].parent, lines)
    ada.commit("Fold the records")
    new = ada.decide("New", "new.py")
    data = log(ada, "v1..HEAD")
    assert [entry["id"] for entry in data["entries"]] == [new]
    assert data["cancelled"] == []


def _seq(data: bytes) -> bytes:
    return data.partition(b'"seq":')[2].partition(b",")[0]


def _write_segment(folder: Path, data: bytes) -> None:
    from gitmem.core.segments import segment_name

    (folder / segment_name(data)).write_bytes(data)


# --- what was taken back --------------------------------------------------------------------


def test_a_decision_and_its_revert_cancel_out_and_are_listed_so(ada: Clone) -> None:
    ada.git("tag", "v1")
    record = ada.decide("Cache it", "app.py")
    ada.git("revert", "--no-edit", "HEAD")
    data = log(ada, "v1..HEAD")
    assert data["entries"] == []
    assert [(one["id"], one["by"]) for one in data["cancelled"]] == [(record, ada.head())]
    assert data["coverage"]["files"] == 0
    assert "### Done and taken back\n\n- Cache it" in text(ada, "v1..HEAD")


def test_a_retraction_in_the_range_cancels_too(ada: Clone) -> None:
    ada.git("tag", "v1")
    record = ada.decide("Cache it", "app.py")
    ada.gitmem("retract", record, "-m", "no gain").ok()
    data = log(ada, "v1..HEAD")
    assert data["entries"] == []
    assert data["cancelled"][0]["reason"] == "no gain"


def test_what_an_older_release_decided_and_this_one_takes_back_is_listed(ada: Clone) -> None:
    first = ada.decide("Cache it", "app.py", "--type", "feature")
    taken = ada.head()
    second = ada.decide("Retry", "retry.py")
    ada.git("tag", "v1")
    ada.git("revert", "--no-edit", taken)
    ada.gitmem("retract", second, "-m", "not needed").ok()
    ada.gitmem("capture", "--flush").ok()
    ada.commit("Records")
    entries = {entry["reverts"]: entry for entry in log(ada, "v1..HEAD")["entries"]}
    assert set(entries) == {first, second}
    assert entries[first]["summary"] == "Reverted: Cache it"
    assert entries[first]["group"] == "Removed"
    assert entries[second]["summary"] == "Withdrawn: Retry"
    assert entries[second]["why"] == "not needed"


def test_reverts_of_plain_commits_cancel_or_are_listed_likewise(bare_history: Clone) -> None:
    clone = bare_history
    clone.commit("feat: old thing\n\nBecause it was asked for.", {"old.py": "o\n"})
    clone.git("tag", "v1")
    clone.commit("feat: new thing\n\nBecause it was asked for.", {"new.py": "n\n"})
    clone.git("revert", "--no-edit", "HEAD")
    clone.git("revert", "--no-edit", "v1")
    data = log(clone, "v1..HEAD")
    assert [(e["summary"], e["group"]) for e in data["entries"]] == [
        ("Reverted: Old thing", "Removed")
    ]
    assert [one["summary"] for one in data["cancelled"]] == ["New thing"]


def test_a_revert_that_is_reverted_takes_nothing_back(bare_history: Clone) -> None:
    bare_history.git("tag", "v1")
    bare_history.commit("feat: thing\n\nBecause.\nIt was asked for.", {"new.py": "n\n"})
    bare_history.git("revert", "--no-edit", "HEAD")
    bare_history.git("revert", "--no-edit", "HEAD")
    assert summaries(bare_history, "v1..HEAD") == ["Thing"]


def test_of_what_was_superseded_within_the_range_the_last_word_shows(ada: Clone) -> None:
    ada.git("tag", "v1")
    first = ada.decide("Cache by URL", "app.py")
    last = ada.decide("Cache by tenant", "app.py", "--supersedes", first)
    (entry,) = log(ada, "v1..HEAD")["entries"]
    assert (entry["id"], entry["replaces"]) == (last, [first])


def test_standing_is_that_of_the_ranges_end(ada: Clone) -> None:
    ada.git("tag", "v1")
    first = ada.decide("Cache by URL", "app.py")
    ada.git("tag", "v2")
    ada.decide("Cache by tenant", "app.py", "--supersedes", first)
    (entry,) = log(ada, "v1..v2")["entries"]
    assert (entry["id"], entry["state"]) == (first, "current")


def test_redacted_words_never_show(ada: Clone) -> None:
    ada.git("tag", "v1")
    record = ada.decide("The password is hunter2", "app.py")
    ada.gitmem("redact", record, "-m", "a password", "--yes").ok()
    done = ada.gitmem("changelog", "--json", "v1..HEAD").ok()
    assert "hunter2" not in done.all
    assert done.data["cancelled"][0]["summary"] == "(redacted)"


# --- repositories of every shape ------------------------------------------------------------


def test_a_shallow_clone_is_an_error_that_names_the_cure(team: Team, tmp_path: Path) -> None:
    ada = team.start()
    ada.git("tag", "v1")
    for number in range(4):
        ada.decide(f"Decision {number}", f"f{number}.py")
    ada.git("push", "-q", "origin", "main", "v1")
    shallow = Clone(tmp_path / "shallow")
    url = f"file://{team.remote}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(shallow.path)], check=True)
    for words in (["v1..HEAD"], [], ["HEAD"]):
        failure = shallow.gitmem("--json", "changelog", *words).ends(4).error
        assert failure["code"] == "history-cut"
        assert "fetch-depth: 0" in failure["hint"] and "git fetch --unshallow" in failure["hint"]
    data = log(shallow, "--fetch", "v1..HEAD")
    assert len(data["entries"]) == 4
    assert not (Path(shallow.git("rev-parse", "--absolute-git-dir")) / "shallow").exists()


def test_a_shallow_clone_that_has_all_of_the_range_answers(team: Team, tmp_path: Path) -> None:
    ada = team.start()
    ada.commit("More", {"more.py": "m\n"})
    ada.git("tag", "v1")
    record = ada.decide("Inside", "inside.py")
    ada.git("push", "-q", "origin", "main", "v1")
    shallow = Clone(tmp_path / "shallow")
    url = f"file://{team.remote}"
    subprocess.run(["git", "clone", "-q", "--depth", "3", url, str(shallow.path)], check=True)
    assert [entry["id"] for entry in log(shallow, "v1..HEAD")["entries"]] == [record]


def test_a_bare_repository_a_linked_work_tree_and_a_detached_head_answer_alike(
    team: Team, tmp_path: Path
) -> None:
    ada = team.start()
    ada.git("tag", "v1")
    ada.decide("Everywhere", "app.py")
    ada.git("push", "-q", "origin", "main", "v1")
    expected = text(ada, "v1..main")
    assert "Everywhere" in expected
    ada.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert text(Clone(tmp_path / "linked"), "v1..main") == expected
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/main"], cwd=team.remote, check=True)
    assert text(Clone(team.remote), "v1..main") == expected


def test_a_repository_of_sha256_answers(tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    clone.git("init", "-q", "--object-format=sha256")
    clone.commit("Begin", {"app.py": "a\n"})
    clone.init()
    clone.git("tag", "v1")
    clone.decide("Longer ids", "app.py")
    (entry,) = log(clone, "v1..HEAD")["entries"]
    assert len(entry["commit"]) == 64


def test_a_branch_that_the_cache_never_saw_is_read_from_git(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.git("switch", "-qc", "topic")
    record = ada.decide("On a branch", "t.py")
    ada.git("switch", "-q", "main")
    (ada.home / "cache.db").unlink()
    assert [entry["id"] for entry in log(ada, "v1..topic")["entries"]] == [record]


def test_a_detached_memory_answers_by_base_and_path(bare_history: Clone) -> None:
    clone = bare_history
    clone.gitmem("init", "--detached", "--yes").ok()
    clone.git("tag", "v1")
    record = clone.capture("Kept aside", "app.py")
    clone.commit("Change", {"app.py": "changed\n"})
    (entry,) = log(clone, "v1..HEAD")["entries"]
    assert (entry["id"], entry["matched"]) == (record, "path")


def test_names_and_messages_that_are_no_utf8_pass(ada: Clone) -> None:
    ada.git("tag", "v1")
    Path(os.fsdecode(os.fsencode(ada.path) + b"/caf\xe9.py")).write_text("x\n")
    ada.git("add", "-A")
    tree = ada.git("write-tree")
    message = b"Caf\xe9 because\n\nof the \xff bytes here.\n"
    oid = ada.git("commit-tree", tree, "-p", "HEAD", stdin=message)
    ada.git("reset", "-q", "--hard", oid)
    done = ada.gitmem("changelog", "--json", "--check", "v1..HEAD").ok()
    assert done.data["entries"][0]["paths"] == ["caf%E9.py"]
    ada.gitmem("changelog", "v1..HEAD").ok()


def test_a_rename_is_one_file(ada: Clone) -> None:
    ada.commit("Write", {"old.py": "one\ntwo\nthree\nfour\n"})
    ada.git("tag", "v1")
    ada.decide("About the old name", "old.py")
    ada.git("mv", "old.py", "new.py")
    ada.commit("Move")
    coverage = log(ada, "v1..HEAD")["coverage"]
    assert (coverage["files"], coverage["decided"]) == (1, 1)


# --- hostile text ---------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script> ![x](http://evil.example/p.png) @mention | a | b | "
    "\x1b]0;x\x07 \x9b31m `<b>` [l](javascript:x) **bold** &lt; \u202e"
)


@pytest.mark.parametrize("form", ["keepachangelog", "md", "github"])
def test_hostile_words_have_no_effect_in_release_notes(ada: Clone, form: str) -> None:
    ada.git("tag", "v1")
    ada.decide(f"Hostile {HOSTILE}", "app.py", "--why", HOSTILE, "--rejected", f"{HOSTILE}")
    ada.write("b.py", "b\n")
    ada.git("add", "-A")
    ada.git("commit", "-q", "-F", "-", stdin=f"Because {HOSTILE}\n\nSo {HOSTILE}\n".encode())
    shown = text(ada, "--format", form, "v1..HEAD")
    assert shown.count("Hostile") == 1
    for effect in ("<script", "![x]", "@mention", "](javascript", "\x1b", "\x07", "\x9b", "\u202e"):
        assert effect not in shown, effect
    assert " | a" not in shown and "`<b>`" in shown


def test_json_is_escaped(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.write("b.py", "b\n")
    ada.git("add", "-A")
    ada.git("commit", "-q", "-F", "-", stdin=f"Because {HOSTILE}\n".encode())
    for words in (["--json"], ["--format", "json"]):
        raw = ada.gitmem("changelog", *words, "v1..HEAD").ok().raw_out
        assert not set(raw) & {0x1B, 0x07, 0x9B} and b"\\u001b" in raw


# --- links, files, checks -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remote", "link"),
    [
        ("git@github.com:org/repo.git", "https://github.com/org/repo/commit/"),
        ("https://gitlab.com/a/b/c.git", "https://gitlab.com/a/b/c/-/commit/"),
        ("ssh://git@bitbucket.org/org/repo", "https://bitbucket.org/org/repo/commits/"),
        ("https://codeberg.org/org/repo.git", "https://codeberg.org/org/repo/commit/"),
        ("https://git.internal.example/org/repo", ""),
    ],
)
def test_links_lead_to_known_hosts_alone_and_carry_no_token(
    ada: Clone, remote: str, link: str
) -> None:
    token = "ghp" + "_" + "x" * 36
    ada.git("remote", "add", "origin", remote.replace("https://", f"https://me:{token}@"))
    ada.git("tag", "v1")
    ada.decide("Linked", "app.py")
    for words in ([], ["--json"]):
        shown = ada.gitmem("changelog", *words, "v1..HEAD").ok().all
        assert token not in shown
        assert (f"{link}{ada.head()}" in shown or "--json" in words) if link else True
        assert "internal.example" not in shown


def test_a_section_is_put_in_and_renewed_and_nothing_else_moves(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.decide("First", "a.py")
    mine = b"# Changes\r\n\r\nHello \xff.\r\n\r\n## 0.9\r\n\r\n- by hand\r\n"
    ada.write("CHANGES.md", mine)
    ada.gitmem("changelog", "--prepend", "CHANGES.md").ok()
    once = (ada.path / "CHANGES.md").read_bytes()
    ada.gitmem("changelog", "--prepend", "CHANGES.md").ok()
    assert (ada.path / "CHANGES.md").read_bytes() == once
    assert b"\n" not in once.replace(b"\r\n", b"")
    before, _, rest = once.partition(b"<!-- gitmem: Unreleased -->")
    _, _, after = rest.partition(b"<!-- /gitmem: Unreleased -->\r\n")
    assert before + after.removeprefix(b"\r\n") == mine
    ada.gitmem("changelog", "--tag", "v2", "--prepend", "CHANGES.md").ok()
    released = (ada.path / "CHANGES.md").read_text("latin-1")
    assert "gitmem: v2" in released and "Unreleased" not in released
    ada.gitmem("changelog", "--tag", "v3", "v1..v1", "--prepend", "CHANGES.md").ok()
    ordered = (ada.path / "CHANGES.md").read_text("latin-1")
    assert ordered.index("[v3]") < ordered.index("[v2]") < ordered.index("## 0.9")


def test_a_missing_file_is_made(ada: Clone) -> None:
    ada.gitmem("changelog", "--prepend", "CHANGELOG.md").ok()
    assert (ada.path / "CHANGELOG.md").read_text().startswith("# Changelog\n\n<!-- gitmem: ")


def test_a_link_out_of_the_repository_is_refused(ada: Clone, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    (ada.path / "CHANGES.md").symlink_to(outside)
    (ada.path / "folder").symlink_to(tmp_path)
    for words in (
        ["--prepend", "CHANGES.md"],
        ["--prepend", "folder/outside.md"],
    ):
        assert "leads out" in ada.gitmem("changelog", *words).ends(4).err
    ada.gitmem("changelog", "--prepend", ".git/config").ends(2)
    assert outside.read_text() == "mine\n"


def test_what_is_gits_own_is_never_written(ada: Clone, team: Team, tmp_path: Path) -> None:
    ada.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    for clone, file in (
        (ada, ".git/description"),
        (Clone(tmp_path / "linked"), str(ada.path / ".git" / "config")),
        (Clone(tmp_path / "linked"), ".git"),
        (Clone(team.remote), "config"),
        (Clone(team.remote), "new.md"),
    ):
        before = (clone.path / file).read_bytes() if (clone.path / file).exists() else None
        assert "git's own" in clone.gitmem("changelog", "--prepend", file).ends(2).err
        after = (clone.path / file).read_bytes() if (clone.path / file).exists() else None
        assert after == before
    os.mkfifo(ada.path / "pipe")
    ada.gitmem("changelog", "--prepend", "pipe").ends(2)


def test_a_marker_without_an_end_is_refused(ada: Clone) -> None:
    broken = "# C\n\n<!-- gitmem: Unreleased -->\n## [Unreleased]\n"
    ada.write("C.md", broken)
    ada.gitmem("changelog", "--prepend", "C.md").ends(4)
    assert (ada.path / "C.md").read_text() == broken


def test_a_check_fails_where_nothing_explains_a_file_and_names_it(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.decide("Explained", "a.py")
    ada.gitmem("changelog", "--check", "v1..HEAD").ok()
    ada.commit("chore: bump", {"lock/x.lock": "1\n"})
    ada.commit("Tidy", {"b.py": "b\n"})
    done = ada.gitmem("changelog", "--check", "v1..HEAD").ends(1)
    assert "b.py" in done.out and "lock/x.lock" in done.out and "a.py" not in done.out
    config = ada.home / "config.toml"
    config.write_text('[changelog]\nignored_paths = ["b.*"]\nignored_types = ["chore"]\n')
    ada.gitmem("changelog", "--check", "v1..HEAD").ok()
    assert log(ada, "v1..HEAD")["coverage"]["ignored"] == 2


def test_prose_needs_a_part_that_is_not_here(ada: Clone) -> None:
    assert "language model" in ada.gitmem("changelog", "--prose").ends(9).err


@pytest.mark.parametrize("tag", ["a b", "-x", "..", "x.lock", "a\x1bb"])
def test_a_tag_that_can_be_none_is_refused(ada: Clone, tag: str) -> None:
    ada.gitmem("changelog", f"--tag={tag}").ends(2)


def test_a_reason_that_announces_what_is_not_shown_ends_so(bare_history: Clone) -> None:
    message = "Add a file\n\nThe build fails, for it says:\n\n    no such file\n"
    bare_history.commit(message, {"a.py": "a\n"})
    assert "- **Add a file.** The build fails, for it says …\n" in text(bare_history, "HEAD^!")


def test_a_file_that_is_called_like_a_command_to_a_runner_is_none(ada: Clone) -> None:
    ada.git("tag", "v1")
    ada.commit("Tidy", {"::error::x": "x\n"})
    said = ada.gitmem("changelog", "--check", "v1..HEAD").ends(1).out
    assert "- ::error::x" in said and not any(
        line.strip().startswith("::") for line in said.splitlines()
    )
