"""Redacted records leave nothing behind in the files of the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.cache.building import Cache, open_cache
from gitmem.core.records import Line, Other, Tombstone
from tests.support.cached import make_segment, project_into, search_records
from tests.support.records import make_decision, make_decisions, make_tombstone

WORDS = ["quxblorple", "zanzifrab", "wumpletree", "snorkfield"]


def make_secret() -> Line:
    return make_decision(
        seq=5,
        summary=f"Use {WORDS[0].upper()}",
        why=f"Because {WORDS[1]} was leaked, see [[{WORDS[2]}#{WORDS[3]}]].",
        rejected=[{"option": WORDS[2], "reason": "x"}],
        tags=[WORDS[3]],
        paths=[{"path": f"src/{WORDS[0]}/b.py"}, {"path": "src/app.py"}],
        supersedes=["1" * 64],
        commits=[WORDS[3]],
    )


def list_leaks(path: Path) -> list[str]:
    """Parts of secret words in any file of the cache; tokens are stored shortened and
    folded."""
    data = b"".join(file.read_bytes() for file in sorted(path.parent.iterdir())).lower()
    return [word for word in WORDS if word[:6].encode() in data or word[2:9].encode() in data]


@pytest.mark.parametrize("order", ["record first", "tombstone first", "together", "one batch"])
def test_nothing_is_left_whichever_comes_first(path: Path, order: str) -> None:
    secret = make_secret()
    tombstone = make_tombstone(secret.id, "redact", seq=6)
    others = make_decisions(300)
    cache = open_cache(path, repository="here")
    cache.projection.project([make_segment(others)])
    first, second = make_segment([secret]), make_segment([tombstone])
    if order == "record first":
        cache.projection.project([first])
        assert list_leaks(path)
        cache.projection.project([second])
    elif order == "tombstone first":
        cache.projection.project([second])
        cache.projection.project([first])
    elif order == "together":
        cache.projection.project([make_segment([secret, tombstone])])
    else:
        cache.projection.project([first, second])
    assert list_leaks(path) == []
    cache.projection.set_folder_place(
        "spool:main", "1", [first.ref, second.ref, make_segment([secret, tombstone]).ref]
    )
    (held,) = cache.records.get_held([secret.id], "main")
    assert held.is_withheld and held.raw == b""
    assert isinstance(held.record, Other)
    assert (held.record.kind, held.record.seq, held.record.actor.name) == ("decision", 5, "Ada")
    assert search_records(cache, WORDS, limit=9) == []
    assert cache.records.list_by_paths(["src/app.py"], limit=999)[0].count(secret.id) == 0
    assert cache.records.match_paths("b.py", limit=9) == []
    assert cache.records.list_recent(limit=2)[0] == [tombstone.id, secret.id]
    assert tombstone.id in cache.records.list_about([secret.id])
    cache.close()
    assert list_leaks(path) == []


def test_other_records_keep_their_words_and_counts(cache: Cache) -> None:
    secret, other = make_secret(), make_decision(seq=1, why=f"{WORDS[1]} as well")
    project_into(cache, "spool:a", secret, other)
    assert cache.records.list_by_paths(["src/"], limit=9)[1] == 2
    project_into(cache, "spool:b", make_tombstone(secret.id, "redact", seq=9))
    assert [hit for hit, _ in search_records(cache, [WORDS[1]], limit=9)] == [other.id]
    assert cache.records.list_by_paths(["src/"], limit=9) == ([other.id], 1)
    assert cache.records.get_counts("a").records == 3


def test_a_retraction_withholds_nothing(cache: Cache) -> None:
    line = make_decision()
    project_into(cache, "spool:a", line, make_tombstone(line.id, "retract"))
    (held,) = cache.records.get_held([line.id], "a")
    assert not held.is_withheld
    assert held.raw == line.raw


@pytest.mark.parametrize("is_first", [True, False])
def test_a_redacted_redaction_stays_in_force_without_its_reason(
    path: Path, cache: Cache, is_first: bool
) -> None:
    secret = make_secret()
    tombstone = make_tombstone(secret.id, "redact", seq=6, reason=f"it said {WORDS[0]}")
    again = make_tombstone(tombstone.id, "redact", seq=7)
    segments = [make_segment([line]) for line in (again, tombstone, secret)]
    for segment in segments if is_first else reversed(segments):
        cache.projection.project([segment])
    (held,) = cache.records.get_held([tombstone.id], "a")
    assert held.is_withheld
    assert isinstance(held.record, Tombstone)
    assert (held.record.target, held.record.mode, held.record.reason) == (secret.id, "redact", "")
    (held,) = cache.records.get_held([secret.id], "a")
    assert held.is_withheld
    assert list_leaks(path) == []


def test_a_path_forgotten_by_another_process_is_not_written_to(path: Path) -> None:
    one, two = open_cache(path, repository="here"), open_cache(path, repository="here")
    secret = make_decision(paths=[{"path": "only/here.py"}])
    one.projection.project([make_segment([secret])])
    two.projection.project([make_segment([make_tombstone(secret.id, "redact")])])
    assert two.records.match_paths("here.py", limit=1) == []
    again = make_decision(seq=9, paths=[{"path": "only/here.py"}])
    one.projection.project([make_segment([again])])
    one.projection.set_folder_place("private", "1", [make_segment([again]).ref])
    assert one.records.list_by_paths(["only/here.py"], limit=9) == ([again.id], 1)
    assert one.records.match_paths("here.py", limit=1) == ["only/here.py"]
    one.close()
    two.close()
