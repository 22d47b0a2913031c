"""The nearest vectors: exactly those, in an order that does not depend on where they lie."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from struct import pack

import numpy as np
import pytest

from gitmem.retrieval.exact_search import find_nearest
from gitmem.retrieval.vector_files import NoVectors, Rows, VectorFolder, forget_vectors
from tests.retrieval.conftest import make_vector

MakeFolder = Callable[..., VectorFolder]
WIDE = 384


def _random_vectors(count: int, dimension: int) -> list[bytes]:
    source = np.random.default_rng(7)
    numbers = source.normal(size=(count, dimension))
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    return [one.astype("<f4").tobytes() for one in numbers]


def _fill(folder: VectorFolder, pairs: Sequence[tuple[bytes, bytes]]) -> Rows:
    folder.add("record", pairs)
    rows = folder.read_rows("record")
    assert rows is not None
    return rows


def _id(number: int) -> bytes:
    return (number + 1).to_bytes(32, "big")


def test_the_best_are_those_of_a_sum_over_all(make_folder: MakeFolder) -> None:
    vectors = _random_vectors(500, WIDE)
    rows = _fill(make_folder(dimension=WIDE), list(zip(map(_id, range(500)), vectors, strict=True)))
    asked = np.frombuffer(vectors[3], dtype="<f4").astype(float)
    expected = sorted(
        (-round(float(np.frombuffer(one, dtype="<f4").astype(float) @ asked), 4), _id(number))
        for number, one in enumerate(vectors)
    )[:20]
    found = find_nearest(rows, vectors[3], 20)
    assert [(-score, one) for one, score in found] == expected
    assert found[0] == (_id(3), 1.0)


def test_the_order_does_not_depend_on_where_rows_lie(make_folder: MakeFolder) -> None:
    pairs = list(zip(map(_id, range(300)), _random_vectors(300, WIDE), strict=True))
    asked = _random_vectors(301, WIDE)[300]
    answers = []
    for seed in range(5):
        random.Random(seed).shuffle(pairs)
        answers.append(find_nearest(_fill(make_folder(f"s{seed}", WIDE), pairs), asked, 50))
    assert all(answer == answers[0] for answer in answers)


def test_documents_alike_come_in_the_order_of_ids(make_folder: MakeFolder) -> None:
    vector = make_vector("the same")
    rows = _fill(make_folder(), [(_id(number), vector) for number in (5, 3, 9, 1, 7)])
    assert [one for one, _ in find_nearest(rows, vector, 3)] == [_id(1), _id(3), _id(5)]


def test_what_points_the_other_way_is_not_found(make_folder: MakeFolder) -> None:
    ahead, aside, behind = (pack("<2f", *one) for one in ((1, 0), (0, 1), (-1, 0)))
    rows = _fill(make_folder(dimension=2), [(_id(0), behind), (_id(1), aside), (_id(2), ahead)])
    assert find_nearest(rows, ahead, 10) == [(_id(2), 1.0)]


def test_forgotten_rows_are_not_found(make_folder: MakeFolder) -> None:
    folder = make_folder()
    vector = make_vector("a b")
    _fill(folder, [(_id(number), vector) for number in range(4)])
    forget_vectors(folder.folder.parent, "record", [_id(1)], folder._hold_lock)
    rows = folder.read_rows("record")
    assert rows is not None
    assert [one for one, _ in find_nearest(rows, vector, 9)] == [_id(0), _id(2), _id(3)]


def test_none_are_found_for_no_places(make_folder: MakeFolder) -> None:
    rows = _fill(make_folder(), [(_id(1), make_vector("a"))])
    assert find_nearest(rows, make_vector("a"), 0) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 300.0])
def test_numbers_that_are_no_vector_are_damage(make_folder: MakeFolder, number: float) -> None:
    bad = pack("<8f", *[number] * 8)
    rows = _fill(make_folder(), [(_id(1), make_vector("a")), (_id(2), bad)])
    with pytest.raises(NoVectors):
        find_nearest(rows, pack("<8f", *[8**-0.5] * 8), 5)
