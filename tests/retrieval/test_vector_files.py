"""Vectors in files: what is kept, what a kill or damage leaves, and what forgetting removes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.cache.lock import hold_lock
from gitmem.errors import CannotWrite
from gitmem.retrieval import vector_files
from gitmem.retrieval.vector_files import ROW_BYTES, VectorFolder, forget_vectors
from tests.support.commandline import ROOT

MakeFolder = Callable[..., VectorFolder]
DIMENSION = 8


def _id(number: int) -> bytes:
    return (number + 1).to_bytes(ROW_BYTES, "big")


def _vector(number: int) -> bytes:
    return bytes([number % 251 + 1]) * (4 * DIMENSION)


def _pairs(*numbers: int) -> list[tuple[bytes, bytes]]:
    return [(_id(number), _vector(number)) for number in numbers]


def _read(folder: VectorFolder, kind: str = "record") -> dict[bytes, bytes]:
    rows = folder.read_rows(kind)
    if rows is None:
        return {}
    data = rows.vectors.read_bytes()
    size = 4 * DIMENSION
    return {
        one: data[row * size : (row + 1) * size]
        for row in range(rows.count)
        if (one := rows.get_id(row)) is not None
    }


def test_what_was_added_is_there_once(make_folder: MakeFolder) -> None:
    folder = make_folder()
    assert folder.add("record", _pairs(1, 2)) == 2
    assert folder.add("record", _pairs(2, 3)) == 1
    assert folder.add("note", _pairs(9)) == 1
    again = make_folder()
    assert _read(again) == dict(_pairs(1, 2, 3))
    assert (again.count("record"), again.count("note"), again.count("commit")) == (3, 1, 0)
    assert again.list_kinds() == ["note", "record"]
    assert list(again.iter_ids("record")) == [_id(1), _id(2), _id(3)]


def test_missing_ones_come_in_the_order_that_was_asked(make_folder: MakeFolder) -> None:
    folder = make_folder()
    assert folder.list_missing("record", [_id(2), _id(1)]) == [_id(2), _id(1)]
    folder.add("record", _pairs(1))
    assert folder.list_missing("record", [_id(2), _id(1), _id(0)]) == [_id(2), _id(0)]


@given(
    have=st.lists(st.integers(0, 60), unique=True),
    forgotten=st.sets(st.integers(0, 60)),
    asked=st.lists(st.integers(0, 60), unique=True),
)
@settings(max_examples=40, deadline=None)
def test_missing_is_what_was_not_added_or_was_forgotten(
    tmp_path_factory: pytest.TempPathFactory,
    have: list[int],
    forgotten: set[int],
    asked: list[int],
) -> None:
    home = tmp_path_factory.mktemp("vectors")
    folder = VectorFolder(home / "stamp", DIMENSION, hold_lock)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vector_files, "_SCANNED", 3)
        folder.add("record", _pairs(*have))
        forget_vectors(home, "record", [_id(one) for one in forgotten], hold_lock)
        kept = set(have) - forgotten
        missing = folder.list_missing("record", [_id(one) for one in asked])
        assert missing == [_id(one) for one in asked if one not in kept]
        assert folder.count("record") == len(kept)
        folder.add("record", _pairs(*asked))
        assert _read(folder) == dict(_pairs(*kept, *asked))


def test_a_forgotten_vector_leaves_no_byte_and_its_place_is_used_again(
    make_folder: MakeFolder, tmp_path: Path
) -> None:
    folder, other = make_folder(), make_folder("other-stamp")
    for one in (folder, other):
        one.add("record", _pairs(1, 2, 3))
    sizes = [file.stat().st_size for file in sorted(folder.folder.iterdir())]
    forget_vectors(tmp_path / "vectors", "record", [_id(2), _id(77)], hold_lock)
    for one in (folder, other):
        assert _read(one) == dict(_pairs(1, 3))
        for file in one.folder.iterdir():
            assert _id(2) not in file.read_bytes() and _vector(2) not in file.read_bytes()
    folder.add("record", _pairs(4))
    assert _read(folder) == dict(_pairs(1, 3, 4))
    assert [file.stat().st_size for file in sorted(folder.folder.iterdir())] == sizes


def test_zeros_at_the_end_of_an_id_are_no_free_place(
    make_folder: MakeFolder, tmp_path: Path
) -> None:
    """As the ids of commits have them, and some digests."""
    folder = make_folder()
    padded = b"\x07" * 20 + bytes(12)
    starting = bytes(12) + b"\x07" * 20
    folder.add("commit", [(padded, _vector(1)), (starting, _vector(2)), (_id(3), _vector(3))])
    forget_vectors(tmp_path / "vectors", "commit", [starting], hold_lock)
    folder.add("commit", [(_id(4), _vector(4)), (_id(5), _vector(5))])
    assert _read(folder, "commit") == {padded: _vector(1), **dict(_pairs(3, 4, 5))}


def test_a_write_that_was_cut_off_anywhere_leaves_whole_rows(
    make_folder: MakeFolder, tmp_path: Path
) -> None:
    before = make_folder("before")
    before.add("record", _pairs(1, 2))
    after = make_folder("after")
    shutil.copytree(before.folder, after.folder)
    after.add("record", _pairs(3, 4))
    ids, vectors = ((after.folder / f"record.{end}").read_bytes() for end in ("ids", "f32"))
    old_ids, old_vectors = 3 * ROW_BYTES, 2 * 4 * DIMENSION
    torn = [(old_ids, size) for size in range(old_vectors, len(vectors) + 1, 7)]
    torn += [(size, len(vectors)) for size in range(old_ids, len(ids) + 1)]
    for number, (ids_size, vectors_size) in enumerate(torn):
        cut = make_folder(f"cut{number}")
        cut.folder.mkdir()
        (cut.folder / "record.ids").write_bytes(ids[:ids_size])
        (cut.folder / "record.f32").write_bytes(vectors[:vectors_size])
        left = _read(cut)
        assert dict(_pairs(1, 2)).items() <= left.items() <= dict(_pairs(1, 2, 3, 4)).items()
        cut.add("record", _pairs(1, 2, 3, 4, 5))
        assert _read(cut) == dict(_pairs(1, 2, 3, 4, 5))
        assert cut.count("record") == 5


@pytest.mark.parametrize(
    "damage",
    [
        lambda ids, vectors: ids.write_bytes(b"gitmem vectors 9 dim 0000000008\n" + bytes(64)),
        lambda ids, vectors: ids.write_bytes(b"\xff" * 77),
        lambda ids, vectors: ids.write_bytes(b""),
        lambda ids, vectors: vectors.unlink(),
        lambda ids, vectors: vectors.write_bytes(vectors.read_bytes()[:-1]),
        lambda ids, vectors: ids.unlink(),
    ],
    ids=["other header", "noise", "empty", "no vectors", "short", "no ids"],
)
def test_files_that_do_not_fit_together_are_made_anew(
    make_folder: MakeFolder, tmp_path: Path, damage: Callable[[Path, Path], object]
) -> None:
    folder = make_folder()
    folder.add("record", _pairs(1, 2))
    damage(folder.folder / "record.ids", folder.folder / "record.f32")
    assert _read(folder) == {}
    assert folder.list_missing("record", [_id(1)]) == [_id(1)]
    forget_vectors(tmp_path / "vectors", "record", [_id(1)], hold_lock)
    folder.add("record", _pairs(2))
    assert _read(folder) == dict(_pairs(2))


def test_vectors_of_another_length_are_not_ours(make_folder: MakeFolder) -> None:
    make_folder(dimension=4).add("record", [(_id(1), bytes(16))])
    assert make_folder(dimension=DIMENSION).read_rows("record") is None


_WRITER = """
import sys
from pathlib import Path
from gitmem.cache.lock import hold_lock
from gitmem.retrieval.vector_files import VectorFolder
folder = VectorFolder(Path(sys.argv[1]), 8, hold_lock)
first = int(sys.argv[2])
for number in range(first, first + 60):
    one = (number + 1).to_bytes(32, "big"), bytes([number % 251 + 1]) * 32
    folder.add("record", [one])
"""


def test_two_that_write_at_once_lose_nothing_and_double_nothing(make_folder: MakeFolder) -> None:
    folder = make_folder()
    words = [sys.executable, "-c", _WRITER, str(folder.folder)]
    writers = [subprocess.Popen([*words, str(first)], cwd=ROOT) for first in (0, 30)]
    while any(writer.poll() is None for writer in writers):
        for one, vector in _read(folder).items():
            assert vector == _vector(int.from_bytes(one, "big") - 1)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert _read(folder) == dict(_pairs(*range(90)))
    assert folder.count("record") == 90


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    folder = VectorFolder(tmp_path / "taken" / "stamp", DIMENSION, hold_lock)
    assert folder.count("record") == 0
    with pytest.raises(CannotWrite):
        folder.add("record", _pairs(1))
