"""review, maintain and status: what is pending, and what becomes of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gitmem.core.codec import build_line
from gitmem.core.segments import encode_segment, segment_name
from tests.hooks.conftest import MemoryRepo


def _gitmem(repo: MemoryRepo, *words: str, stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        ["gitmem", *words],
        cwd=repo.path,
        input=stdin,
        capture_output=True,
        timeout=60,
        encoding="utf-8",
    )
    return done.returncode, done.stdout, done.stderr


def _data(repo: MemoryRepo, *words: str) -> dict[str, object]:
    code, out, err = _gitmem(repo, *words, "--json")
    assert code == 0, err
    data: dict[str, object] = json.loads(out)["data"]
    return data


def _capture_as_agent(memory: MemoryRepo, summary: str) -> str:
    """As an agent's hook keeps it."""
    memory.capture(summary, "a.py")
    folder = memory.path / ".git" / "gitmem" / "spool" / "main"
    file = max(folder.iterdir())
    fields = json.loads(file.read_text())
    line = build_line({**fields, "captured_by": "agent"})
    data = encode_segment([line])
    file.unlink()
    (folder / f"{line.record.seq:015d}-{segment_name(data)}").write_bytes(data)
    return line.id


def _waiting(memory: MemoryRepo, *words: str) -> list[str]:
    hits = _data(memory, "review", *words)["hits"]
    assert isinstance(hits, list)
    return [hit["summary"] for hit in hits]


# --- review ---------------------------------------------------------------------------------


def test_what_agents_captured_waits_for_a_review(memory: MemoryRepo) -> None:
    _capture_as_agent(memory, "Of an agent")
    memory.capture("Of Ada", "a.py")
    assert _waiting(memory) == ["Of an agent"]
    assert _waiting(memory, "--all") == ["Of an agent", "Of Ada"]
    assert _gitmem(memory, "review")[0] == 2
    assert _gitmem(memory, "review", "--yes")[:2] == (0, "Accepted 1 decision.\n")
    assert _waiting(memory) == []
    assert memory.spooled() == ["Of Ada", "Of an agent"]
    memory.commit_file("a", "a.py", "a = 2\n")
    assert _waiting(memory, "--all") == []


@pytest.mark.parametrize(
    ("answer", "spooled", "private"),
    [
        ("a", ["One", "Two"], 0),
        ("s", ["One", "Two"], 0),
        ("d", ["Two"], 0),
        ("l", ["Two"], 1),
        ("e", ["One, better", "Two"], 0),
        ("q", ["One", "Two"], 0),
    ],
)
def test_one_by_one(
    memory: MemoryRepo,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: str,
    spooled: list[str],
    private: int,
) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\nsed -i 's/^One$/One, better/' \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("GIT_EDITOR", str(editor))
    _capture_as_agent(memory, "One")
    _capture_as_agent(memory, "Two")
    code = (
        "import sys; sys.stdin.isatty = lambda: True; from gitmem.__main__ import main; "
        "sys.exit(main(['review']))"
    )
    done = subprocess.run(
        ["python", "-c", code],
        cwd=memory.path,
        input=f"?\n{answer}\nq\n",
        capture_output=True,
        timeout=60,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert memory.spooled() == spooled
    folder = memory.path / ".git" / "gitmem" / "private"
    assert len(list(folder.glob("*.ndjson"))) == private
    assert ("One" not in _waiting(memory)) is (answer in "adle")


# --- status ---------------------------------------------------------------------------------


def test_status_says_where_pending_decisions_will_go(memory: MemoryRepo) -> None:
    memory.capture("About a", "a.py")
    memory.capture("In general")
    rows = _data(memory, "status")["pending_records"]
    assert isinstance(rows, list)
    assert [row["goes_with"] for row in rows] == [["a.py"], []]
    out = _gitmem(memory, "status")[1]
    assert "goes with a.py" in out and "goes with the next commit" in out


# --- maintain -------------------------------------------------------------------------------


def test_maintain_folds_the_spool_without_network(memory: MemoryRepo) -> None:
    memory.git("remote", "add", "origin", "https://unreachable.invalid/x.git")
    memory.capture("Committed", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.capture("Pending", "a.py")
    assert _data(memory, "maintain", "--dry-run")["folded"] == 2
    assert memory.spooled() == ["Committed", "Pending"]
    assert memory.git("for-each-ref", "refs/gitmem") == ""
    done = _data(memory, "maintain")
    assert (done["folded"], done["emptied"]) == (2, 1)
    assert memory.spooled() == ["Pending"]
    assert _data(memory, "maintain")["folded"] == 0
    memory.commit_file("a", "a.py", "a = 3\n")
    assert memory.said() == ["Committed", "Pending"]
    _data(memory, "maintain")
    assert memory.spooled() == []
    assert memory.status() == ""


def test_maintain_where_nothing_is_pending(memory: MemoryRepo) -> None:
    assert _data(memory, "maintain")["folded"] == 0
    assert memory.git("for-each-ref", "refs/gitmem") == ""


def test_what_left_the_spool_is_not_committed_again(memory: MemoryRepo) -> None:
    memory.capture("Once", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    _data(memory, "maintain")
    memory.commit_file("a", "a.py", "a = 3\n")
    assert memory.said() == ["Once"]


def _redact(memory: MemoryRepo, record: str) -> None:
    code, _, err = _gitmem(memory, "redact", record, "-m", "a secret", "--yes")
    assert code == 0, err


def test_redacted_records_leave_the_segments_of_the_default_branch(memory: MemoryRepo) -> None:
    for name in ("Keep one", "Keep two"):
        memory.capture(name, "a.py")
    record = memory.capture("Goes", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    _redact(memory, record)
    memory.git("checkout", "-q", "-b", "feature")
    assert "default branch" in _gitmem(memory, "maintain")[2]
    assert memory.said() == ["Goes", "Keep one", "Keep two"]
    memory.git("checkout", "-q", "main")
    head = memory.head()
    done = _data(memory, "maintain")
    assert isinstance(done["rewritten"], list) and isinstance(done["staged"], list)
    assert (len(done["rewritten"]), len(done["staged"])) == (1, 2)
    assert memory.head() == head
    memory.git("commit", "-q", "-m", "redacted")
    assert [one for one in memory.said() if one != "-"] == ["Keep one", "Keep two"]
    assert memory.status() == ""
    assert _gitmem(memory, "verify")[0] == 0
    assert _data(memory, "maintain")["rewritten"] == []


@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_conflicts_among_the_records_are_settled_by_union(memory: MemoryRepo, how: str) -> None:
    """One branch rewrote a segment for a redaction, another changed it, as a tool that sorts
    or reformats files would."""
    memory.capture("Keep", "a.py")
    record = memory.capture("Goes", "a.py")
    memory.commit_file("a", "a.py", "a = 2\n")
    memory.git("checkout", "-q", "-b", "feature")
    name = memory.git("ls-files", ".gitmem/records")
    file = memory.path / name
    extra = build_line({**json.loads(file.read_text().splitlines()[0]), "summary": "Extra"})
    file.write_bytes(file.read_bytes() + extra.raw + b"\n")
    memory.git("commit", "-q", "-n", "-a", "-m", "changed")
    memory.git("checkout", "-q", "main")
    _redact(memory, record)
    _data(memory, "maintain")
    memory.git("commit", "-q", "-m", "redacted")
    if how == "merge":
        assert memory.try_git("merge", "feature")[0] != 0
    else:
        memory.git("checkout", "-q", "feature")
        assert memory.try_git("rebase", "main")[0] != 0
    done = _data(memory, "maintain", "--resolve")
    assert done["resolved"]
    assert memory.git("ls-files", "-u") == ""
    if how == "merge":
        memory.git("commit", "-q", "--no-edit")
    else:
        memory.git("-c", "core.editor=true", "rebase", "--continue")
    assert sorted(set(memory.said()) - {"-"}) == ["Extra", "Keep"]
    assert memory.status() == ""
    assert _gitmem(memory, "verify")[0] == 0


def test_without_a_conflict_nothing_is_settled(memory: MemoryRepo) -> None:
    assert _data(memory, "maintain", "--resolve")["resolved"] == []


# --- what hooks missed ----------------------------------------------------------------------


def test_capture_for_a_range_fills_in_what_hooks_missed(memory: MemoryRepo) -> None:
    memory.commit_file("a", "a.py", "a = 2\n", "--no-verify")
    memory.commit_file("b", "b.py", "b = 2\n", "--no-verify")
    commits = memory.git("rev-list", "--reverse", "HEAD~2..HEAD").split()
    code, _, err = _gitmem(
        memory, "capture", "--for", "HEAD~2..HEAD", "-m", "Explained late", "--json"
    )
    assert code == 0, err
    for path in ("a.py", "b.py", commits[0], commits[1]):
        hits = _data(memory, "why", path)["hits"]
        assert isinstance(hits, list)
        assert hits[0]["summary"] == "Explained late"
    memory.commit_file("b again", "b.py", "b = 3\n")
    assert memory.added() == ["Explained late"]
