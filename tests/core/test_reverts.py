"""Reverts, told by messages alone."""

from __future__ import annotations

import msgspec
import pytest

from gitmem.core.reverts import Older, find_reverts


class Said(msgspec.Struct, frozen=True):
    oid: str
    parents: tuple[str, ...]
    message: str


def line(*messages: str) -> list[Said]:
    """Commits 1111111, 2222222, … one after the other."""
    oids = [str(n) * 40 for n in range(1, len(messages) + 1)]
    return [
        Said(oid, tuple(oids[:place][-1:]), message)
        for place, (oid, message) in enumerate(zip(oids, messages, strict=True))
    ]


def test_a_named_commit_and_a_quoted_subject_are_found() -> None:
    commits = line(
        "Add a",
        "Add b (#7)",
        f'Revert "Add a"\n\nThis reverts commit {"1" * 40}.',
        'Revert "Add b (#7)" (#8)',
    )
    found = find_reverts(commits)
    assert found.cancelled == {"1" * 40: "3" * 40, "2" * 40: "4" * 40}
    assert found.taking == {"3" * 40, "4" * 40}


def test_what_is_of_an_older_release_is_told_apart() -> None:
    found = find_reverts(line('Revert "feat: old"\n\nThis reverts commit abcdef0123.'))
    assert (found.cancelled, found.older) == ({}, {"1" * 40: Older("feat: old")})


def test_a_reverted_revert_takes_nothing_back() -> None:
    commits = line("Add a", 'Revert "Add a"', f"Reapply\n\nThis reverts commit {'2' * 40}.")
    found = find_reverts(commits)
    assert found.cancelled == {"2" * 40: "3" * 40}


def test_a_reverted_merge_takes_back_what_it_merged() -> None:
    one, two, three, merge = (n * 40 for n in "1234")
    commits = [
        Said(one, (), "Base"),
        Said(two, (one,), "Topic"),
        Said(three, (one,), "Main"),
        Said(merge, (three, two), "Merge topic"),
        Said(
            "5" * 40,
            (merge,),
            f'Revert "Merge topic"\n\nThis reverts commit {merge}, reversing\n'
            f"changes made to {three}.",
        ),
    ]
    assert set(find_reverts(commits).cancelled) == {merge, two}


@pytest.mark.parametrize(
    ("subject", "is_restored"),
    [
        ('Revert "Add a"', False),
        ("revert: Add a", False),
        ('Revert "Revert "Add a""', True),
        ('Reapply "Add a"', True),
        ('Reapply "Add a" (#12)', True),
        ('Revert "Reapply "Add a""', False),
        ('Reapply "Reapply "Add a""', True),
        ('Revert "Revert "Revert "Add a"""', False),
    ],
)
def test_what_is_there_again_is_told_from_what_is_gone(subject: str, is_restored: bool) -> None:
    older = find_reverts(line(subject)).older
    assert older == {"1" * 40: Older("Add a", is_restored)}


def test_a_message_of_its_own_stays_beside_what_it_takes_back() -> None:
    commits = line("Add a", f"Do b instead\n\nThis reverts commit {'1' * 40}.")
    found = find_reverts(commits)
    assert (set(found.cancelled), found.taking, found.older) == ({"1" * 40}, frozenset(), {})


def test_a_commit_may_take_back_several() -> None:
    body = "\n".join(f"This reverts commit {n * 7}." for n in "12")
    found = find_reverts(line("Add a", "Add b", f'Revert "Add a"\n\n{body}'))
    assert set(found.cancelled) == {"1" * 40, "2" * 40}


def test_what_is_applied_again_without_an_id_takes_its_revert_back() -> None:
    found = find_reverts(line("Add a", 'Revert "Add a" (#2)', 'Reapply "Add a" (#3)'))
    assert found.cancelled == {"2" * 40: "3" * 40}
