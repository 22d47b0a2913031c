"""Documents of every kind: which there are, in which order, and what their texts are."""

from __future__ import annotations

import pytest

from gitmem.cache import documents
from gitmem.cache.building import Cache
from gitmem.cache.documents import CacheDocuments
from gitmem.cache.notes import CacheNotes
from gitmem.core.notes import Chunk, Note
from gitmem.core.ranking import Passage
from gitmem.core.records import Line
from tests.support.cached import make_commit, oid_of, project_into
from tests.support.records import make_decision, make_tombstone


@pytest.fixture
def listed(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> CacheDocuments:
    """Reads two rows at a time."""
    monkeypatch.setattr(documents, "_PAGE", 2)
    return CacheDocuments(cache.db)


def _key(line: Line) -> str:
    return f"record:{line.id}"


def test_decisions_come_newest_first_and_what_was_answered_last(
    cache: Cache, listed: CacheDocuments
) -> None:
    lines = [make_decision(seq=seq, summary=f"Number {seq}") for seq in range(1, 6)]
    newer = make_decision(seq=6, supersedes=[lines[4].id])
    gone = make_tombstone(lines[2].id, seq=7)
    project_into(cache, "spool/x", *lines, newer, gone)
    expected = [newer, lines[3], lines[1], lines[0], lines[4], lines[2]]
    assert list(listed.iter_keys("record")) == [_key(line) for line in expected]


def test_many_of_one_number_are_listed_once_each(cache: Cache, listed: CacheDocuments) -> None:
    lines = [make_decision(summary=f"Number {number}") for number in range(7)]
    project_into(cache, "spool/x", *lines)
    keys = list(listed.iter_keys("record"))
    assert sorted(keys) == sorted(map(_key, lines)) and len(keys) == 7


def test_the_text_of_a_decision_is_all_that_it_says(cache: Cache, listed: CacheDocuments) -> None:
    line = make_decision(
        why="Two tenants shared an entry",
        rejected=[{"option": "A prefix", "reason": "It was forgotten once"}],
        tags=["cache"],
    )
    project_into(cache, "spool/x", line)
    text = "Cache keyed by tenant\nTwo tenants shared an entry\nA prefix\nIt was forgotten once"
    assert listed.get_passages([_key(line)]) == [Passage(_key(line), f"{text}\ncache")]


def test_a_redacted_decision_is_gone(cache: Cache, listed: CacheDocuments) -> None:
    kept, secret = make_decision(summary="Kept"), make_decision(summary="Secret", seq=2)
    project_into(cache, "spool/x", kept, secret, make_tombstone(secret.id, "redact", seq=3))
    assert list(listed.iter_keys("record")) == [_key(kept)]
    assert listed.get_passages([_key(secret)]) == []
    assert listed.list_gone([_key(secret), _key(kept)]) == [_key(secret)]
    assert listed.list_withheld() == [_key(secret)]


def test_a_decision_that_no_place_has_any_more_is_gone(
    cache: Cache, listed: CacheDocuments
) -> None:
    old, new = make_decision(summary="Old"), make_decision(summary="New")
    project_into(cache, "spool/x", old)
    project_into(cache, "spool/x", new)
    assert list(listed.iter_keys("record")) == [_key(new)]
    assert listed.list_gone([_key(old), _key(new)]) == [_key(old)]


def test_commits_with_a_reason_come_newest_first(cache: Cache, listed: CacheDocuments) -> None:
    cache.commits.add_commits(
        [
            make_commit(number, at=1000 + number, message=f"Step {number}\n\n{body}\n")
            for number, body in enumerate(
                ["because it was slow", "", "because a test said so", "to avoid a second read"]
            )
        ]
    )
    keys = [f"commit:{oid_of(number)}" for number in (3, 2, 0)]
    assert list(listed.iter_keys("commit")) == keys
    assert listed.list_gone([*keys, f"commit:{oid_of('x')}"]) == [f"commit:{oid_of('x')}"]
    assert listed.get_passages([keys[1]]) == [Passage(keys[1], "Step 2\n\nbecause a test said so")]


def test_the_text_of_a_commit_has_no_trailers_but_what_they_decide(
    cache: Cache, listed: CacheDocuments
) -> None:
    message = (
        "Key the cache\n\nIt was shared.\n\nDecision: Cache by tenant\nWhy: Entries leaked\n"
        "Rejected: A prefix | It was forgotten\nSigned-off-by: Ada <ada@example.com>\n"
    )
    cache.commits.add_commits([make_commit("x", message=message)])
    (passage,) = listed.get_passages([f"commit:{oid_of('x')}"])
    assert passage.text.splitlines() == [
        "Key the cache",
        "",
        "It was shared.",
        "Cache by tenant",
        "Entries leaked",
        "A prefix",
        "It was forgotten",
    ]


def test_chunks_of_notes_come_in_the_order_of_their_pages(
    cache: Cache, listed: CacheDocuments
) -> None:
    def chunk(page: int, number: int) -> Chunk:
        return Chunk(f"{page}{number}".ljust(64, "a"), number, f"Part {number}", 1, "Some text")

    notes = [
        Note(
            "docs", f"{page}.md", "s", title=f"Page {page}", chunks=(chunk(page, 0), chunk(page, 1))
        )
        for page in (2, 1)
    ]
    CacheNotes(cache.db).replace_notes("docs", notes, ())
    keys = [f"note:{chunk(page, number).id}" for page in (1, 2) for number in (0, 1)]
    assert list(listed.iter_keys("note")) == keys
    assert listed.get_passages([keys[1]]) == [Passage(keys[1], "Page 1\nPart 1\nSome text")]
    assert listed.list_gone([keys[0], "note:" + "f" * 64]) == ["note:" + "f" * 64]


def test_passages_come_in_the_order_that_was_asked_and_unknown_keys_are_left_out(
    cache: Cache, listed: CacheDocuments
) -> None:
    lines = [make_decision(summary=f"Number {number}") for number in range(3)]
    project_into(cache, "spool/x", *lines)
    cache.commits.add_commits([make_commit("x", message="Wait\n\nbecause it is slow\n")])
    keys = [_key(lines[2]), f"commit:{oid_of('x')}", "record:zz", "x", "note:", _key(lines[0])]
    assert [one.key for one in listed.get_passages(keys)] == [keys[0], keys[1], keys[5]]
    assert listed.list_gone(keys) == keys[2:5]
    assert list(listed.iter_keys("article")) == []
