"""Which commit messages carry a reason."""

from __future__ import annotations

import pytest

from gitmem.core.history import Commit
from gitmem.core.reasons import find_reason, has_reason, is_bot


def _commit(message: str, *, parents: int = 1, author: str = "Ada", email: str = "a@b.c") -> Commit:
    return Commit("1" * 40, ("2" * 40,) * parents, 0, author, email, message, ())


@pytest.mark.parametrize(
    "message",
    [
        "Use WAL because readers must not wait",
        "Cache by tenant, so that no two share a row",
        "Use a list instead of a set",
        "Prefer tabs rather than spaces",
        "Sleep to avoid the race",
        "Lock to prevent torn writes",
        "Retry, otherwise the build fails",
        "Drop it due to its licence",
        "Keep rows (fixes #12)",
        "Closes #7",
        "resolved: #9",
        "Fixed org/repo#3",
        "Subject\n\nReaders had to wait for the writer.",
        "Subject\n\nReaders had to wait.\n\nSigned-off-by: Ada <a@b.c>",
        "Subject\r\n\r\nReaders had to wait.\r\n",
        "Subject\n\nWhy: two tenants shared a row",
        "Subject\n\nDecision: keyed by tenant\nRejected: a global cache",
    ],
)
def test_messages_with_a_reason(message: str) -> None:
    assert has_reason(_commit(message))


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Fix typo",
        "wip",
        "Fixes a bug",
        "Bump version to 1.2",
        "Subject\n\n\n",
        "Subject\n\nSigned-off-by: Ada <a@b.c>",
        "Subject\n\nCo-authored-by: Bob <b@b.c>\nChange-Id: I0123",
        "Subject\n\nReviewed-by: Bob\nRefs: X-1",
        'Revert "Subject"\n\nThis reverts commit 0123456789.',
        "Subject\n\n(cherry picked from commit 0123456789)",
        "Squash\n\n* one\n* two",
        "Subject\n\n- [x] tested\n- [ ] documented",
        "Subject\n\ngit-svn-id: svn://x@1",
        "Subject\n\nok",
    ],
)
def test_messages_without_a_reason(message: str) -> None:
    assert not has_reason(_commit(message))


def test_merges_never_count() -> None:
    assert not has_reason(_commit("Merge branch 'x'\n\nBecause it is done.", parents=2))


@pytest.mark.parametrize(
    ("author", "email"),
    [
        ("dependabot[bot]", "x@example.com"),
        ("renovate", "x@example.com"),
        ("Ada", "49699333+dependabot[bot]@users.noreply.example.com"),
        ("github-actions", "x@example.com"),
    ],
)
def test_programs_never_count(author: str, email: str) -> None:
    assert is_bot(author, email)
    assert not has_reason(_commit("Bump x\n\nBecause of a bug.", author=author, email=email))


@pytest.mark.parametrize("author", ["Ada", "Abbot", "Robot Smith", "Bottom"])
def test_people_are_no_programs(author: str) -> None:
    assert not is_bot(author, "a@b.c")


def test_a_root_commit_can_carry_a_reason() -> None:
    assert has_reason(_commit("Start\n\nNobody could say why.", parents=0))


def test_subject_and_body_are_told_apart() -> None:
    commit = _commit("Subject \n\nBody\nmore\n")
    assert (commit.subject, commit.body) == ("Subject", "Body\nmore")


def test_a_body_of_rules_and_trailers_gives_no_reason() -> None:
    body = "---------\n\nCo-authored-by: Ada <a@example.com>"
    assert not has_reason(_commit(f"Fix it (#12)\n\n{body}"))
    assert find_reason(body) == ""


def test_the_first_paragraph_that_says_something_is_the_reason() -> None:
    body = "* fix lint\n* again\n\n  Readers must\n  not wait.\n\nMore of it.\n"
    assert find_reason(body) == "Readers must not wait."
