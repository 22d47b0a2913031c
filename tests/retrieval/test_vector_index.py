"""The index: what it finds, what it does without a model, and what it keeps apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from gitmem.cache.lock import hold_lock
from gitmem.core.ranking import Passage, Ranked, Stamp
from gitmem.errors import ModelMissing
from gitmem.retrieval.exact_search import find_nearest
from gitmem.retrieval.vector_files import Rows
from gitmem.retrieval.vector_index import FileVectorIndex, Making, encode_id
from tests.retrieval.conftest import WordEmbedder

RECORD = "record:" + "ab" * 32
OTHER = "record:" + "cd" * 32
COMMIT = "commit:" + "12" * 20
NOTE = "note:" + "ef" * 32
MakeIndex = Callable[..., FileVectorIndex]


@pytest.fixture
def words() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def make_index(tmp_path: Path, words: WordEmbedder) -> MakeIndex:
    def make(embedder: object = words, *, stamp: Stamp | None = words.stamp) -> FileVectorIndex:
        making = Making(
            stamp=stamp,
            gate=300,
            check=lambda: None,
            open_embedder=embedder if callable(embedder) else lambda: embedder,  # type: ignore[arg-type, return-value]
            load_search=lambda: find_nearest,
            hold_lock=hold_lock,
        )
        return FileVectorIndex(tmp_path / "vectors", making)

    return make


def _no_model() -> WordEmbedder:
    raise ModelMissing("none here")


def _fill(index: FileVectorIndex) -> None:
    passages = [
        Passage(RECORD, "cache tenant key"),
        Passage(COMMIT, "retry jitter client"),
        Passage(NOTE, "price rounding cents"),
    ]
    assert index.add(passages, lambda done: None) == 3


def test_the_nearest_of_the_kinds_that_are_asked_for(make_index: MakeIndex) -> None:
    index = make_index()
    _fill(index)
    assert index.rank("cache tenant key", kinds=["record", "note"], limit=5)[0] == Ranked(
        RECORD, 1.0
    )
    keys = {one.key for one in index.rank("cache retry", kinds=["commit"], limit=5)}
    assert keys == {COMMIT}
    assert index.rank("retry jitter client", kinds=["article"], limit=5) == []


def test_where_there_are_no_vectors_no_model_is_loaded(make_index: MakeIndex) -> None:
    for stamp in (WordEmbedder().stamp, None):
        index = make_index(_no_model, stamp=stamp)
        assert index.rank("cache", kinds=["record"], limit=5) == []


def test_what_looks_after_vectors_needs_no_model(make_index: MakeIndex) -> None:
    _fill(make_index())
    index = make_index(_no_model)
    assert index.list_missing([OTHER, RECORD, COMMIT, NOTE]) == [OTHER]
    assert index.count() == 3
    assert list(index.iter_keys("commit")) == [COMMIT]
    index.forget([RECORD, COMMIT])
    assert index.list_missing([RECORD, COMMIT, NOTE]) == [RECORD, COMMIT]
    with pytest.raises(ModelMissing):
        index.rank("cache", kinds=["note"], limit=5)


def test_vectors_of_two_models_never_meet(make_index: MakeIndex) -> None:
    _fill(make_index())
    other = make_index(stamp=Stamp("words", "1" * 64, 8, "float32"))
    assert other.count() == 0
    assert other.rank("cache tenant key", kinds=["record"], limit=5) == []
    other.add([Passage(RECORD, "cache")], lambda done: None)
    assert other.clear(only_other_stamps=True) == 1
    assert make_index().count() == 0
    assert other.count() == 1
    assert other.clear(only_other_stamps=False) == 1
    assert other.count() == 0


def test_vectors_elsewhere_are_forgotten_too(tmp_path: Path, make_index: MakeIndex) -> None:
    index = make_index()
    _fill(index)
    moved = FileVectorIndex(tmp_path / "new", index._making, [tmp_path / "vectors"])
    moved.forget([RECORD])
    assert index.list_missing([RECORD, NOTE]) == [RECORD]


def test_damaged_numbers_are_thrown_away_and_the_rest_answers(
    make_index: MakeIndex, tmp_path: Path, words: WordEmbedder
) -> None:
    index = make_index()
    _fill(index)
    (tmp_path / "vectors" / words.stamp.format() / "record.f32").write_bytes(b"\xff" * 32)
    assert [one.key for one in index.rank("cache price", kinds=["record", "note"], limit=5)] == [
        NOTE
    ]
    assert index.list_missing([RECORD, NOTE]) == [RECORD]


def test_vectors_that_vanish_while_they_are_asked_are_not_found(
    make_index: MakeIndex, tmp_path: Path
) -> None:
    index = make_index()
    _fill(index)

    def vanish(rows: Rows, asked: bytes, limit: int) -> list[tuple[bytes, float]]:
        if rows.kind == "record":
            rows.vectors.unlink()
        if rows.kind == "commit":
            rows.vectors.write_bytes(b"")
        return find_nearest(rows, asked, limit)

    index._making = msgspec.structs.replace(index._making, load_search=lambda: vanish)
    found = index.rank("cache retry price", kinds=["record", "commit", "note"], limit=5)
    assert {one.key for one in found} <= {NOTE}


def test_batches_are_reported_and_stay_when_the_rest_fails(
    make_index: MakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.retrieval.vector_index._BATCH", 2)
    index = make_index()
    reported: list[int] = []

    def passages():  # type: ignore[no-untyped-def]
        for number in range(5):
            yield Passage(f"record:{number + 1:064x}", f"text {number}")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.add(passages(), reported.append)
    assert reported == [2, 4]
    assert index.count() == 4


def test_a_gate_is_kept_with_its_stamp(make_index: MakeIndex, tmp_path: Path) -> None:
    index = make_index()
    assert index.gate == 300
    index.set_gate(412, "200 prompts")
    assert make_index().gate == 412
    assert make_index(stamp=Stamp("words", "1" * 64, 8, "float32")).gate == 300
    (gate,) = (tmp_path / "vectors").glob("*/gate.json")
    gate.write_text("nonsense")
    assert index.gate == 300


@pytest.mark.parametrize("key", [RECORD, COMMIT, NOTE, "commit:" + "ab" * 32])
def test_a_key_is_told_by_its_id(make_index: MakeIndex, key: str) -> None:
    index = make_index()
    index.add([Passage(key, "x")], lambda done: None)
    assert [one.key for one in index.rank("x", kinds=["record", "commit", "note"], limit=1)] == [
        key
    ]
    assert len(encode_id(key)) == 32


def test_an_id_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no id"):
        encode_id("record:abcd")
