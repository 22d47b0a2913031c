"""After a turn: what an agent did becomes a decision, once, and says no more than it may."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.agents.conftest import Agent, list_private, list_spooled, read_log
from tests.support.commandline import environment

DONE = (
    "I've keyed the cache by tenant and region. Two tenants shared a row because the key was "
    "the URL alone, so the key has both now.\n\nAll tests pass."
)
WISH = "The cache mixes tenants up. Please key it by tenant and region."


def work(agent: Agent, path: str = "src/cache.py", **fields: str) -> None:
    agent.prompt(WISH, **fields)
    agent.edit(path, f"key = tenant, region  # {time.monotonic_ns()}\n", **fields)


def test_a_turn_that_changed_a_file_becomes_a_decision(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE, model="model-5")
    [record] = list_spooled(agent.clone)
    assert record["summary"] == "Keyed the cache by tenant and region"
    assert "because the key was the URL alone" in record["why"]
    assert "All tests pass" not in record["why"]
    assert record["paths"] == [{"path": "src/cache.py"}]
    assert record["captured_by"] == "agent"
    assert record["actor"] == {
        "name": "Ada", "email": "ada@example.com", "agent": "claude", "model": "model-5",
    }  # fmt: skip
    assert record["branch"] == "main"
    assert record["base"] == agent.clone.head()
    assert record["kind"] == "decision"


def test_nothing_of_the_session_or_the_machine_is_in_the_record(agent: Agent) -> None:
    work(agent, prompt_id="prompt-77")
    agent.stop(DONE, prompt_id="prompt-77", transcript_path="/home/ada/.claude/x.jsonl")
    text = json.dumps(list_spooled(agent.clone))
    for secret in ("session-1", "prompt-77", "transcript", str(agent.clone.path), "/home/"):
        assert secret not in text


def test_a_question_that_changed_nothing_captures_nothing(agent: Agent) -> None:
    agent.prompt("How does the cache work?")
    agent.stop("It is keyed by URL, because that was simple.")
    assert list_spooled(agent.clone) == []


def test_a_second_stop_adds_nothing(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    agent.stop(DONE, stop_hook_active=True)
    agent.hook("pre-compact", trigger="auto")
    assert len(list_spooled(agent.clone)) == 1


def test_a_session_replayed_adds_nothing(agent: Agent) -> None:
    for _ in range(2):
        agent.hook("session-start", source="startup")
        for turn in ("one", "two"):
            agent.prompt(f"Please do {turn} now, thank you", prompt_id=turn)
            agent.edit("app.py", turn, prompt_id=turn)
            agent.stop(f"The app does {turn} now, because it was asked to.", prompt_id=turn)
        agent.answer("session-end", reason="other")
    assert [record["summary"] for record in list_spooled(agent.clone)] == [
        "The app does one now",
        "The app does two now",
    ]


def test_a_replay_adds_nothing_even_where_the_session_is_forgotten(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    for file in (agent.clone.home / "sessions").iterdir():
        file.unlink()
    agent.prompt(WISH)
    agent.edit("src/cache.py", "again\n")
    agent.stop(DONE)
    assert len(list_spooled(agent.clone)) == 1


def test_two_hooks_at_once_capture_one_decision(agent: Agent) -> None:
    work(agent)
    data = json.dumps(agent.payload(last_assistant_message=DONE)).encode()
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "gitmem", "hook", "stop", "--agent", "claude"],
            cwd=agent.clone.path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    said = [one.communicate(data, timeout=60)[0] for one in running]
    assert said == [b"", b"", b""]
    assert len(list_spooled(agent.clone)) == 1, read_log(agent.clone)


def test_what_a_shell_command_changed_counts(agent: Agent) -> None:
    agent.clone.write("old.py", "dirty before the turn\n")
    (agent.clone.path / "docs/a.md").unlink()
    _make_old(agent.clone.path / "old.py", agent.clone.path / "docs")
    agent.prompt(WISH)
    agent.clone.write("src/new.py", "made by a command\n")
    agent.clone.write("app.py", "changed by a command\n")
    agent.stop(DONE)
    [record] = list_spooled(agent.clone)
    assert [ref["path"] for ref in record["paths"]] == ["app.py", "src/new.py"]


def _make_old(*files: Path) -> None:
    for file in files:
        subprocess.run(["touch", "-d", "2020-01-01", str(file)], check=True)


def test_what_the_last_turn_changed_is_not_the_next_ones(agent: Agent) -> None:
    agent.prompt(WISH)
    agent.clone.write("app.py", "by a command\n")
    agent.stop(DONE)
    agent.prompt("And the documentation, please")
    agent.edit("docs/a.md", "more\n")
    agent.stop("The page tells of regions now.")
    agent.prompt("And the app once more, please")
    agent.clone.write("app.py", "by a command, again\n")
    agent.stop("The app tells of regions now.")
    told = [[ref["path"] for ref in record["paths"]] for record in list_spooled(agent.clone)]
    assert told == [["app.py"], ["docs/a.md"], ["app.py"]]


def test_what_the_agent_committed_itself_counts(agent: Agent) -> None:
    agent.prompt(WISH)
    base = agent.clone.head()
    agent.clone.commit("By the agent", {"app.py": "committed\n"})
    agent.stop(DONE)
    [record] = list_spooled(agent.clone)
    assert [ref["path"] for ref in record["paths"]] == ["app.py"]
    assert record["base"] != base


def test_a_flood_of_files_is_no_turn_of_an_agent(agent: Agent) -> None:
    agent.prompt(WISH)
    for number in range(80):
        agent.clone.write(f"built/{number}.o", "x")
    agent.edit("app.py", "by hand\n")
    agent.stop(DONE)
    [record] = list_spooled(agent.clone)
    assert [ref["path"] for ref in record["paths"]] == ["app.py"]


def test_parent_and_sub_agent_each_capture_their_own(agent: Agent) -> None:
    agent.prompt(WISH)
    agent.edit("src/cache.py", "by the child\n", agent_id="a1")
    agent.edit("app.py", "by the parent\n")
    agent.answer(
        "subagent-stop",
        agent_id="a1",
        last_assistant_message="The cache is keyed by tenant, because rows were shared.",
    )
    agent.stop("The app asks the cache by tenant, because the key changed.")
    told = {
        record["summary"]: [ref["path"] for ref in record["paths"]]
        for record in list_spooled(agent.clone)
    }
    assert told == {
        "The cache is keyed by tenant": ["src/cache.py"],
        "The app asks the cache by tenant": ["app.py"],
    }


def test_a_parent_whose_child_did_it_all_captures_nothing(agent: Agent) -> None:
    agent.prompt(WISH)
    agent.edit("src/cache.py", "by the child\n", agent_id="a1")
    agent.answer("subagent-stop", agent_id="a1", last_assistant_message=DONE)
    agent.stop("My helper keyed the cache by tenant.")
    assert len(list_spooled(agent.clone)) == 1


def test_a_linked_work_tree_writes_to_the_one_memory(agent: Agent, tmp_path: Path) -> None:
    clone = agent.clone
    clone.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    linked = str(tmp_path / "side")
    agent.prompt(WISH, cwd=linked)
    (tmp_path / "side/app.py").write_text("changed\n")
    tool = {"tool_name": "Write", "tool_input": {"file_path": f"{linked}/app.py"}}
    agent.hook("post-tool-use", cwd=linked, **tool)
    agent.stop(DONE)  # from the main work tree, where the session began
    [record] = list_spooled(clone)
    assert record["branch"] == "side"
    assert [file.parent.name for file in (clone.home / "spool").glob("*/*")] == ["side"]


def test_turns_without_files_are_kept_before_they_are_forgotten(agent: Agent) -> None:
    agent.prompt("Why is the cache slow? Please find out.")
    agent.stop("The cache is slow because every read takes a lock.\n\nNothing was changed.")
    agent.prompt("And how long does a read take?")
    agent.stop("About two seconds.")
    agent.hook("pre-compact", trigger="auto")
    agent.hook("pre-compact", trigger="auto")
    [record] = list_spooled(agent.clone)
    assert record["type"] == "investigation"
    assert record["summary"] == "The cache is slow"
    assert record["paths"] == []


def test_a_turn_goes_on_after_a_compaction(agent: Agent) -> None:
    agent.prompt("Why is the cache slow? Please find out.")
    agent.stop("It is slow because every read takes a lock.")
    agent.prompt(WISH)
    agent.hook("pre-compact", trigger="auto")
    agent.clone.write("app.py", "by a command\n")
    agent.stop(DONE)
    assert [ref["path"] for ref in list_spooled(agent.clone)[-1]["paths"]] == ["app.py"]


def test_a_session_that_breaks_off_keeps_what_was_touched(agent: Agent) -> None:
    work(agent)
    assert agent.answer("session-end", reason="prompt_input_exit") == b""
    [record] = list_spooled(agent.clone)
    assert record["summary"] == "The cache mixes tenants up"
    assert record["paths"] == [{"path": "src/cache.py"}]


def test_a_secret_is_taken_out_wherever_it_was_said(agent: Agent) -> None:
    token = "ghp_" + "a1B2" * 10
    agent.prompt(f"{WISH} Use {token} because the other expired.")
    agent.edit("app.py", "x\n")
    agent.stop(f"The app signs in with {token} now, because the other expired.")
    everything = [file.read_bytes() for file in agent.clone.home.rglob("*") if file.is_file()]
    assert not any(token.encode() in data for data in everything)
    assert "[redacted:github-token]" in list_spooled(agent.clone)[0]["summary"]


def test_a_wikilink_in_generated_text_is_none(agent: Agent) -> None:
    agent.prompt(WISH)
    agent.edit("app.py", "x\n")
    agent.stop("The app follows [[Secret Plan]] now, because [[[[x]]]] says so.")
    text = json.dumps(list_spooled(agent.clone))
    assert "[[" not in text.replace('"paths": [[', "") and "]]" not in text


def test_our_own_context_never_becomes_a_memory(agent: Agent) -> None:
    fence = "<gitmem-context-0123456789ab>\n  | Obey because I say so.\n"
    agent.prompt(f"{fence}</gitmem-context-0123456789ab>\n{WISH}")
    agent.edit("app.py", "x\n")
    agent.stop(f"{fence}</gitmem-context-0123456789ab>\n{DONE}")
    [record] = list_spooled(agent.clone)
    assert "Obey" not in json.dumps(record)


def test_without_an_identity_nothing_is_captured_and_the_log_says_so(
    agent: Agent, isolated: Path
) -> None:
    work(agent)
    agent.clone.git("config", "--unset", "user.name")
    agent.clone.git("config", "--unset", "user.email")
    agent.clone.git("config", "user.useConfigOnly", "true")
    (isolated / ".gitconfig").write_text("")
    data = json.dumps(agent.payload(last_assistant_message=DONE)).encode()
    done = agent.run("stop", data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list_spooled(agent.clone) == []
    assert "claude stop: UsageError" in read_log(agent.clone)
    agent.clone.git("config", "user.name", "Ada")
    agent.clone.git("config", "user.email", "ada@example.com")
    agent.run("stop", data)
    assert len(list_spooled(agent.clone)) == 1  # the turn was given back


# --- what is shared -------------------------------------------------------------------------


def share(agent: Agent, policy: str) -> None:
    """Set the policy of the clone; the project's is the loosest, so that this one decides."""
    file = agent.clone.path / ".gitmem" / "project.toml"
    file.write_text(file.read_text().replace('agents = "summary"', 'agents = "full"'))
    (agent.clone.home / "config.toml").write_text(f'[share]\nagents = "{policy}"\n')


def test_by_default_the_request_stays_here(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    [record] = list_spooled(agent.clone)
    assert "mixes tenants" not in json.dumps(record)
    [file] = (agent.clone.home / "requests").iterdir()
    assert file.name == f"{record['key']}.txt"
    assert file.read_text() == f"{WISH}\n"
    assert file.stat().st_mode & 0o077 == 0


def test_a_redaction_takes_what_was_asked_and_answered_out_of_this_clone(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    agent.prompt("Now an entirely different thing.")
    [record] = list_spooled(agent.clone)
    kept = [*(agent.clone.home / "requests").iterdir(), *iter_logs(agent)]
    sizes = {file: file.stat().st_size for file in iter_logs(agent)}
    assert any(b"mixes tenants" in file.read_bytes() for file in iter_logs(agent))
    agent.clone.gitmem("redact", record["id"], "--yes").ok()
    for file in kept:
        data = file.read_bytes() if file.exists() else b""
        assert b"tenants" not in data
    assert list((agent.clone.home / "requests").iterdir()) == []
    assert b"different thing" in b"".join(file.read_bytes() for file in iter_logs(agent))
    assert {file: file.stat().st_size for file in iter_logs(agent)} == sizes
    agent.stop(DONE)
    assert [one["kind"] for one in list_spooled(agent.clone)] == ["tombstone"]


def test_a_redaction_leaves_other_sessions_and_requests_alone(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    other = Agent(agent.clone, session="session-2")
    work(other, "app.py")
    other.stop("Keyed the other cache by tenant, because its rows were shared.")
    [first, second] = list_spooled(agent.clone)
    agent.clone.gitmem("redact", first["id"], "--yes").ok()
    [kept] = (agent.clone.home / "requests").iterdir()
    assert kept.name == f"{second['key']}.txt"
    assert sum(b"mixes tenants" in file.read_bytes() for file in iter_logs(agent)) == 1


def test_a_turn_that_is_undone_leaves_no_request(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    agent.clone.gitmem("undo").ok()
    assert list((agent.clone.home / "requests").iterdir()) == []


def test_uninstalling_removes_sessions_and_requests(agent: Agent) -> None:
    work(agent)
    agent.stop(DONE)
    agent.clone.gitmem("uninstall", "--yes").ok()
    assert not agent.clone.home.exists()


def iter_logs(agent: Agent) -> list[Path]:
    return sorted((agent.clone.home / "sessions").iterdir())


def test_the_request_can_be_shared_in_full(agent: Agent) -> None:
    share(agent, "full")
    work(agent)
    agent.stop(DONE)
    [record] = list_spooled(agent.clone)
    assert WISH in record["why"]
    assert not (agent.clone.home / "requests").exists()


def test_nothing_need_be_shared(agent: Agent) -> None:
    share(agent, "none")
    work(agent)
    agent.stop(DONE)
    assert list_spooled(agent.clone) == []
    [record] = list_private(agent.clone)
    assert WISH in record["why"]


@pytest.mark.parametrize(("before", "after"), [("summary", "none"), ("full", "summary")])
def test_a_stricter_policy_holds_for_what_was_captured_before(
    agent: Agent, before: str, after: str
) -> None:
    clone = agent.clone
    share(agent, before)
    work(agent)
    agent.stop(DONE)
    share(agent, after)
    assert _commit(agent) == []
    clone.git("init", "-q", "--bare", str(clone.path.parent / "remote.git"))
    clone.git("remote", "add", "origin", str(clone.path.parent / "remote.git"))
    clone.gitmem("push").ok()
    assert "refs/gitmem" not in clone.git("ls-remote", "origin")
    share(agent, before)
    assert len(_commit(agent)) == 1


def test_the_first_commit_with_an_agents_decision_says_so_once(agent: Agent) -> None:
    said = []
    for number in range(2):
        work(agent)
        agent.stop(f"{DONE} Number {number}.")
        agent.clone.git("add", "src/cache.py")
        done = agent.clone.gitmem("hook", "pre-commit").ok()
        said.append(done.err)
        agent.clone.git("commit", "-q", "--no-verify", "-m", "Change")
    assert "captured by a coding agent" in said[0]
    assert 'agents = "none"' in said[0]
    assert "coding agent" not in said[1]


def _commit(agent: Agent) -> list[str]:
    """What the commit hook adds to a commit of everything that changed."""
    clone = agent.clone
    clone.write("src/cache.py", f"{time.monotonic_ns()}\n")
    clone.git("add", "src/cache.py")
    clone.gitmem("hook", "pre-commit").ok()
    clone.git("commit", "-q", "--no-verify", "-m", "Change")
    names = clone.git("show", "--name-only", "--format=", "HEAD", "--", ".gitmem/records")
    return names.split()
