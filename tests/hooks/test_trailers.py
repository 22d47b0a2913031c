"""Trailers are what git says they are; and what they say is a decision of their commit."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.core.records import Rejected
from gitmem.core.trailers import VOCABULARY, cut_trailers, find_decision, parse_trailers
from tests.hooks.conftest import MemoryRepo


def _ask_git(message: str, *options: str) -> list[str]:
    done = subprocess.run(
        ["git", *options, "interpret-trailers", "--parse", "--no-divider"],
        input=message.encode(),
        capture_output=True,
        check=True,
        timeout=20,
    )
    return done.stdout.decode().splitlines()


def _ask_us(message: str, *recognised: str) -> list[str]:
    found = parse_trailers(message, recognised=recognised)
    return [f"{one.key}: {one.value}" for one in found]


MESSAGES = [
    "subject",
    "subject\n",
    "Decision: only a title",
    "subject\n\nDecision: one\nWhy: two\n",
    "subject\n\nbody\n\nDecision: one\n",
    "subject\n\nbody\nDecision: in the same paragraph\n",
    "subject\n\nDecision: one\n  goes on\n\tand on\nWhy: two\n",
    "subject\n\nDecision: one\nnot a trailer\n",
    "subject\n\nSigned-off-by: A <a@b>\nnot one\nnor this\nnor that\n",
    "subject\n\nSigned-off-by: A <a@b>\nnot one\nnor this\nnor that\nfour\n",
    "subject\n\nDecision: one\n(cherry picked from commit 1234)\n",
    "subject\n\nDecision : spaces\nKey with words: x\n",
    "subject\n\nDecision: one\n\n\n# a comment\n",
    "subject\n\nDecision: one\n# between\nWhy: two\n",
    "subject\n\nDecision: one\n\nConflicts:\n\ta.py\n",
    "subject\n\nDecision: one\n# ------------------------ >8 ------------------------\ndiff\n",
    "subject\n\nhttp://example.com: not really\n",
    "subject\n\nKey:\nOther:value\n",
    "subject\n\n key: indented\n",
    "subject\n \nDecision: after a blank of spaces\n",
    "\n\nsubject\n\nDecision: one\n",
    "subject\r\n\r\nDecision: one\r\n",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_as_git_does(message: str) -> None:
    assert _ask_us(message) == _ask_git(message)


LINES = st.sampled_from(
    [
        *("subject", "", " ", "Decision: one", "Why: it", "prose", "  more", "# comment"),
        *("Signed-off-by: A <a@b>", "(cherry picked from commit 12)", "Conflicts:", "\ta.py"),
        *("a b: c", ": none"),
    ]
)


@given(st.lists(LINES, max_size=12), st.booleans())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_as_git_does_with_any_lines(lines: list[str], ends: bool) -> None:
    message = "\n".join(lines) + ("\n" if ends else "")
    assert _ask_us(message) == _ask_git(message)


@pytest.mark.parametrize(
    "message",
    [
        "subject\n\nDecision: one\nprose\nprose\nprose\n",
        "subject\n\nDecision: one\nprose\nprose\nprose\nprose\n",
        "subject\n\nprose\nConstraint: memory\n",
    ],
)
def test_our_words_count_as_configured_ones(message: str) -> None:
    options = [word for key in VOCABULARY for word in ("-c", f"trailer.{key}.ifexists=add")]
    ours = [one.lower() for one in _ask_us(message, *VOCABULARY)]
    assert ours == [one.lower() for one in _ask_git(message, *options)]


def test_a_decision_is_read() -> None:
    message = (
        "Key the cache by tenant\n\nBody.\n\n"
        "Decision: Cache keyed by tenant\nWhy: Rows were shared\n"
        "Rejected: a global cache | leaks\nRejected: none at all\nSupersedes: 1234abcd\n"
        "Constraint: 64 MB\nConfidence: high\nSigned-off-by: Ada <a@b>\n"
    )
    said = find_decision(message)
    assert said is not None
    assert said.summary == "Cache keyed by tenant"
    assert said.why == "Rows were shared"
    assert said.rejected == (Rejected("a global cache", "leaks"), Rejected("none at all", ""))
    assert said.supersedes == ("1234abcd",)
    assert said.more == ("Supersedes: 1234abcd", "Constraint: 64 MB")
    assert said.tags == ("confidence:high",)
    assert cut_trailers(message) == "Key the cache by tenant\n\nBody.\n\n"


@pytest.mark.parametrize(
    "message", ["subject", "subject\n\nSigned-off-by: A <a@b>", "subject\n\nConfidence: high\n"]
)
def test_other_trailers_state_none(message: str) -> None:
    assert find_decision(message) is None


def test_a_message_of_any_size_is_read_in_good_time() -> None:
    message = "subject\n\n" + "Decision: x\n" * 200_000
    assert len(parse_trailers(message)) == 100
    assert parse_trailers("a: " * 500_000) == []


def test_why_shows_a_commit_with_trailers_as_a_decision(memory: MemoryRepo) -> None:
    memory.write("a.py", "a = 2\n")
    message = (
        "Key the cache\n\nLong prose.\n\nDecision: Keyed by tenant\nWhy: Rows were shared\n"
        "Rejected: global | leaks\nConstraint: 64 MB"
    )
    memory.git("commit", "-q", "-a", "-m", message)
    for words in (["a.py"], ["HEAD"], ["a.py:1"]):
        done = subprocess.run(
            ["gitmem", "why", *words, "--json"], cwd=memory.path, capture_output=True, timeout=60
        )
        hit = json.loads(done.stdout)["data"]["hits"][0]
        assert (hit["kind"], hit["type"]) == ("commit", "decision")
        assert hit["commit"] == memory.head()
        assert hit["summary"] == "Keyed by tenant"
        assert hit["why"] == "Rows were shared\nConstraint: 64 MB"
        assert hit["rejected"] == [{"option": "global", "reason": "leaks"}]
    shown = subprocess.run(
        ["gitmem", "why", "a.py"], cwd=memory.path, capture_output=True, timeout=60, text=True
    ).stdout
    assert "Keyed by tenant" in shown and "rejected: global (leaks)" in shown


def test_a_commit_with_only_a_constraint_is_found(memory: MemoryRepo) -> None:
    memory.write("a.py", "a = 2\n")
    memory.git("commit", "-q", "-a", "-m", "Shrink\n\nConstraint: 64 MB")
    done = subprocess.run(
        ["gitmem", "why", "a.py", "--json"], cwd=memory.path, capture_output=True, timeout=60
    )
    hits = json.loads(done.stdout)["data"]["hits"]
    assert [(hit["summary"], hit["why"]) for hit in hits] == [("Shrink", "Constraint: 64 MB")]
