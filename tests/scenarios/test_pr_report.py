"""What a pull request does to a memory, told from its two ends, and published by a runner."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.core.pull_requests import STICKY_MARK
from gitmem.core.segments import segment_name
from tests.support.commandline import Clone, Team
from tests.support.forge_server import Host, serve_host
from tests.support.records import make_decisions

TOKEN = "a-token-of-the-test"


@pytest.fixture
def host() -> Iterator[Host]:
    with serve_host() as served:
        yield served


@pytest.fixture
def topic(ada: Clone) -> Clone:
    """Ada decided about two files on main; Ben stands on a branch of his own."""
    ada.decide("Keyed by tenant", "cache.py", "--why", "Two tenants shared a row.")
    ada.decide("Retry five times", "net.py")
    ada.git("switch", "-q", "-c", "topic")
    return Clone(ada.path, "Ben")


def _id(clone: Clone, summary: str) -> str:
    hits = clone.gitmem("--json", "log", "-n", "50").ok().data["hits"]
    return next(str(hit["id"]) for hit in hits if hit["summary"] == summary)


def _report(clone: Clone, base: str = "main", head: str = "topic", **kwargs: Any) -> dict[str, Any]:
    done = clone.gitmem("--json", "pr-report", "--base", base, "--head", head, **kwargs)
    report = done.ok().data["report"]
    assert isinstance(report, dict)
    return report


def _flush(clone: Clone, message: str) -> None:
    clone.gitmem("capture", "--flush").ok()
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", message)


def test_withdrawals_lead_gravest_first_and_name_whose_they_were(topic: Clone) -> None:
    keyed, retried = _id(topic, "Keyed by tenant"), _id(topic, "Retry five times")
    topic.gitmem("retract", retried[:8], "-m", "never measured").ok()
    topic.gitmem("redact", keyed[:8], "-m", "held a name", "--yes").ok()
    _flush(topic, "Withdraw")
    weakened = _report(topic)["weakened"]
    assert [(one["how"], one["id"], one["is_others"]) for one in weakened] == [
        ("redacted", keyed, True),
        ("retracted", retried, True),
    ]
    text = topic.gitmem("pr-report", "--base", "main", "--head", "topic").ok().out
    assert text.index("Ben redacts") < text.index("Ben retracts") < text.index("never measured")
    assert "Two tenants" not in text


def test_what_somebody_else_decided_and_is_replaced_is_told_from_ones_own(topic: Clone) -> None:
    keyed = _id(topic, "Keyed by tenant")
    topic.gitmem("supersede", keyed[:8], "-m", "Keyed by user").ok()
    _flush(topic, "Key by user")
    report = _report(topic)
    assert [(one["how"], one["instead"]) for one in report["weakened"]] == [
        ("edited", "Keyed by user")
    ]
    ada = Clone(topic.path, "Ada")
    ada.git("switch", "-q", "-C", "own", "main")
    ada.gitmem("supersede", keyed[:8], "-m", "Keyed by region").ok()
    _flush(ada, "Key by region")
    assert [one["how"] for one in _report(ada, head="own")["weakened"]] == ["superseded"]


def test_a_record_whose_file_is_taken_away_is_removed(topic: Clone) -> None:
    keyed = _id(topic, "Keyed by tenant")
    adding = topic.git("log", "--diff-filter=A", "--format=%H", "--", ".gitmem/records", "cache.py")
    for commit in adding.splitlines():
        for path in topic.git("show", "--format=", "--name-only", commit).splitlines():
            if keyed in (topic.path / path).read_text():
                topic.git("rm", "-q", path)
    topic.git("commit", "-q", "-m", "Tidy")
    weakened = _report(topic)["weakened"]
    assert [(one["how"], one["id"]) for one in weakened] == [("removed", keyed)]


def test_two_that_replace_the_same_decision_are_a_conflict_before_the_merge(topic: Clone) -> None:
    keyed = _id(topic, "Keyed by tenant")
    topic.gitmem("supersede", keyed[:8], "-m", "Keyed by user").ok()
    _flush(topic, "Key by user")
    ada = Clone(topic.path, "Ada")
    ada.git("switch", "-q", "main")
    ada.gitmem("supersede", keyed[:8], "-m", "Keyed by region").ok()
    _flush(ada, "Key by region")
    report = _report(ada)
    assert [sorted(one["summaries"]) for one in report["conflicts"]] == [
        ["Keyed by region", "Keyed by user"]
    ]
    words = ("pr-report", "--base", "main", "--head", "topic", "--check")
    ada.gitmem(*words).ends(1)


@pytest.mark.parametrize("where", ["nowhere", "message", "decision", "superseded", "untouched"])
def test_a_decision_on_a_touched_file_is_passed_over_unless_it_is_meant(
    topic: Clone, where: str
) -> None:
    keyed = _id(topic, "Keyed by tenant")
    path = "other.py" if where == "untouched" else "cache.py"
    topic.write(path, "changed\n")
    message = f"Change it\n\nIn spite of {keyed[:9]}." if where == "message" else "Change it"
    if where == "decision":
        topic.capture("Faster", "--why", f"See [[{keyed[:10]}]].", "cache.py")
    if where == "superseded":
        topic.gitmem("supersede", keyed[:8], "-m", "Keyed by user").ok()
    _flush(topic, message)
    passed = [one["id"] for one in _report(topic)["contradicted"]]
    assert passed == ([keyed] if where == "nowhere" else [])


def test_nothing_of_the_head_decides_how_it_is_looked_at(topic: Clone) -> None:
    project = topic.path / ".gitmem" / "project.toml"
    project.write_text(project.read_text() + '\n[changelog]\nignored_paths = ["*"]\n')
    topic.write("secret.py", "x\n")
    topic.commit("Hide")
    assert _report(topic)["coverage"]["unexplained"] >= 1
    project.write_text(project.read_text().replace('project_id = "', 'project_id = "0'))
    topic.commit("Become another project")
    report = _report(topic)
    assert [one["how"] for one in report["weakened"]] == ["identity"]


def test_a_first_memory_is_said_to_be_one(bare_history: Clone) -> None:
    bare_history.git("switch", "-q", "-c", "topic")
    bare_history.init()
    bare_history.decide("Begin here", "app.py")
    report = _report(bare_history)
    assert (report["is_first"], report["records_added"], report["weakened"]) == (True, 1, [])


def test_without_a_memory_there_is_coverage_alone(bare_history: Clone) -> None:
    bare_history.git("switch", "-q", "-c", "topic")
    bare_history.commit("Change because of speed", {"app.py": "1\n"})
    report = _report(bare_history)
    assert report["coverage"]["message_only"] == 1
    assert report["records_added"] == 0


def test_a_history_that_is_cut_off_is_an_error_and_no_empty_report(
    team: Team, tmp_path: Path
) -> None:
    ada = team.start()
    base = ada.head()
    for number in range(4):
        ada.commit(f"Commit {number}", {"app.py": f"{number}\n"})
    ada.git("push", "-q")
    shallow = tmp_path / "shallow"
    url = team.remote.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth", "2", url, str(shallow)], check=True)
    done = Clone(shallow).gitmem("pr-report", "--base", base, "--head", "HEAD")
    assert done.code != 0
    assert "fetch-depth: 0" in done.err and done.out == ""


def _runner(clone: Clone, host: Host, folder: Path, *, is_fork: bool = False) -> dict[str, str]:
    """The environment of a step of a workflow on pull_request."""
    repo = {"full_name": "grace/code" if is_fork else "ada/code"}
    event = {
        "number": 7,
        "pull_request": {
            "number": 7,
            "title": "A change",
            "body": "",
            "base": {"sha": clone.git("rev-parse", "main"), "repo": {"full_name": "ada/code"}},
            "head": {"sha": clone.git("rev-parse", "topic"), "repo": repo},
        },
    }
    (folder / "event.json").write_text(json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "ada/code",
        "GITHUB_API_URL": host.address,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }


def _outputs(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())


def test_a_runner_gets_comment_summary_outputs_and_annotations(
    topic: Clone, host: Host, tmp_path: Path
) -> None:
    topic.write("cache.py", "changed\n")
    topic.capture("Faster ::error::x\u2028%0A", "net.py")
    _flush(topic, "Change")
    env = _runner(topic, host, tmp_path)
    done = topic.gitmem("pr-report", "--publish", env=env).ok()
    assert host.bodies()[0].startswith(f"{STICKY_MARK}\n### Project memory")
    assert "Keyed by tenant" in (tmp_path / "summary.md").read_text()
    outputs = _outputs(tmp_path)
    assert outputs["records-added"] == "1" and outputs["conflicts"] == "0"
    assert outputs["comment-url"].startswith("https://host.example/")
    commands = [line for line in done.out.splitlines() if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith("::warning file=cache.py,line=1,title=Decision ")
    assert TOKEN not in done.all
    topic.git("reset", "-q", "--hard", "main")
    topic.gitmem("pr-report", "--publish", env=_runner(topic, host, tmp_path)).ok()
    assert host.bodies() == []


def test_a_merge_queue_gets_the_summary_and_no_comment(
    topic: Clone, host: Host, tmp_path: Path
) -> None:
    topic.decide("Faster", "net.py", "--why", "::error::x\n::stop-commands::x")
    env = _runner(topic, host, tmp_path)
    ends = {"base_sha": topic.git("rev-parse", "main"), "head_sha": topic.head()}
    (tmp_path / "event.json").write_text(json.dumps({"merge_group": ends}))
    env["GITHUB_EVENT_NAME"] = "merge_group"
    done = topic.gitmem("pr-report", "--publish", env=env).ok()
    assert "Faster" in (tmp_path / "summary.md").read_text()
    assert host.bodies() == [] and "no comment was written" not in done.err
    said = [line.strip() for line in done.out.splitlines()]
    assert "\\::error::x" in said and not any(line.startswith("::error") for line in said)


def test_a_fork_gets_the_summary_and_no_failure(topic: Clone, host: Host, tmp_path: Path) -> None:
    topic.decide("From a fork", "fork.py")
    host.may_write = False
    env = _runner(topic, host, tmp_path, is_fork=True)
    done = topic.gitmem("pr-report", "--publish", env=env).ok()
    assert "no comment was written" in done.err
    assert "From a fork" in (tmp_path / "summary.md").read_text()
    assert _outputs(tmp_path)["comment-url"] == ""
    without = topic.gitmem("pr-report", "--publish", env={**env, "GITHUB_TOKEN": ""}).ok()
    assert "no token" in without.err


def test_a_host_that_is_not_well_costs_the_comment_alone(
    topic: Clone, host: Host, tmp_path: Path
) -> None:
    topic.decide("Said anyway", "x.py")
    host.raw_answer = b"<html>"
    env = _runner(topic, host, tmp_path)
    done = topic.gitmem("pr-report", "--publish", env=env).ok()
    assert "no comment was written" in done.err and "Said anyway" in done.out


def test_both_ends_are_needed_outside_of_a_runner(ada: Clone) -> None:
    assert "--base main --head HEAD" in ada.gitmem("pr-report").ends(2).err
    ada.gitmem("pr-report", "--base", "--output=x", "--head", "HEAD").ends(2)
    ada.gitmem("pr-report", "--base", "nothing", "--head", "HEAD").ends(4)


def _segments_of(clone: Clone, record_id: str) -> list[str]:
    listed = clone.git("ls-files", ".gitmem/records").splitlines()
    return [path for path in listed if record_id in (clone.path / path).read_text()]


@pytest.mark.parametrize("how", ["emptied", "reworded", "a link"])
def test_a_record_whose_file_is_written_over_is_removed(topic: Clone, how: str) -> None:
    keyed = _id(topic, "Keyed by tenant")
    (path,) = _segments_of(topic, keyed)
    file = topic.path / path
    text = file.read_text().replace("Two tenants", "Ten tenants")
    file.unlink()
    if how == "a link":
        file.symlink_to("/dev/null")
    else:
        file.write_text(text if how == "reworded" else "")
    topic.git("commit", "-q", "--no-verify", "-a", "-m", "Tidy")
    (weakened,) = _report(topic)["weakened"]
    assert (weakened["how"], weakened["id"]) == ("removed", keyed)
    assert (weakened["by_author"], weakened["is_others"]) == ("Ben", True)


def test_taking_away_whose_memory_it_is_leads_and_hides_no_removal(topic: Clone) -> None:
    topic.git("rm", "-rq", ".gitmem")
    topic.git("commit", "-q", "--no-verify", "-m", "Away with it")
    weakened = _report(topic)["weakened"]
    assert [one["how"] for one in weakened] == ["identity", "removed", "removed"]


def test_a_branch_from_before_the_memory_takes_nothing_away(bare_history: Clone) -> None:
    bare_history.git("branch", "old")
    bare_history.init()
    bare_history.decide("Keyed by tenant", "cache.py")
    bare_history.git("switch", "-q", "old")
    bare_history.commit("Change", {"cache.py": "x\n"})
    assert _report(bare_history, head="old")["weakened"] == []


def test_a_base_whose_history_is_cut_off_is_an_error_too(team: Team, tmp_path: Path) -> None:
    ada = team.start()
    ada.decide("Old", "old.py")
    ada.git("switch", "-qc", "topic")
    ada.decide("New", "new.py")
    ada.git("switch", "-q", "main")
    ada.commit("Later", {"later.py": "l\n"})
    ada.git("push", "-q", "origin", "main", "topic")
    clone = Clone(tmp_path / "clone")
    whole = ("--single-branch", "-b", "topic", team.remote.as_uri(), str(clone.path))
    subprocess.run(["git", "clone", "-q", *whole], check=True)
    clone.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    for words in (
        ("pr-report", "--base", "origin/main", "--head", "topic"),
        ("changelog", "origin/main..topic"),
    ):
        done = clone.gitmem(*words).ends(4)
        assert "fetch-depth: 0" in done.err and done.out == ""


def test_a_conflict_is_found_among_thousands_of_records(topic: Clone) -> None:
    keyed = _id(topic, "Keyed by tenant")
    topic.gitmem("supersede", keyed[:8], "-m", "Keyed by user").ok()
    _flush(topic, "Key by user")
    project = json.loads((topic.path / _segments_of(topic, keyed)[0]).read_text())["project"]
    lines = make_decisions(2500, project=project, paths=[{"path": "many.py"}])
    folder = topic.path / ".gitmem" / "records" / "2026-01"
    folder.mkdir(exist_ok=True)
    for some in (lines[:1500], lines[1500:]):
        data = b"".join(line.raw + b"\n" for line in some)
        (folder / segment_name(data)).write_bytes(data)
    topic.commit("Bring many")
    ada = Clone(topic.path, "Ada")
    ada.git("switch", "-q", "main")
    ada.gitmem("supersede", keyed[:8], "-m", "Keyed by region").ok()
    _flush(ada, "Key by region")
    report = _report(ada)
    assert report["records_added"] == 2501
    assert [sorted(one["summaries"]) for one in report["conflicts"]] == [
        ["Keyed by region", "Keyed by user"]
    ]
    text = ada.gitmem("pr-report", "--base", "main", "--head", "topic").ok().out
    assert len(text) < 65_536 and "… and 2,451 more" in text
