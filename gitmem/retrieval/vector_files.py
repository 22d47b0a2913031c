"""Vectors in files: one folder for each stamp, two append-only files for each kind of document.

    <folder>/<stamp>/<kind>.ids   a header of 32 bytes, then 32 bytes for each document
    <folder>/<stamp>/<kind>.f32   for each of them its vector: little-endian float32

A row counts once its id is written, which happens after its vector is on the disk: a kill at
any moment leaves whole rows. An id of zeros is a row that was forgotten: its bytes are gone
from both files, and the next document takes its place. Files that do not fit together are
thrown away, since vectors are derived. Nothing here needs more than the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from struct import iter_unpack

import msgspec

from gitmem.errors import CannotWrite

ROW_BYTES = 32
_FREE = bytes(ROW_BYTES)
_HEADER = b"gitmem vectors 1 dim %010d\n"
_DIGITS = slice(21, 31)
_SCANNED = 4096
_LOCK_SECONDS = 30.0

HoldLock = Callable[..., AbstractContextManager[None]]
"""(path, timeout_seconds=…) → the lock on a file, held."""


class NoVectors(Exception):
    """The numbers in a file are no vectors of length 1: it is damaged."""


class Rows(msgspec.Struct, frozen=True):
    """The rows of one kind: `count` of them, free ones included, each of `dimension` numbers.
    `ids` are those of all rows, without the header."""

    kind: str
    vectors: Path
    ids: bytes
    dimension: int

    @property
    def count(self) -> int:
        return len(self.ids) // ROW_BYTES

    def get_id(self, row: int) -> bytes | None:
        """The id of a row; None for a free one."""
        found = self.ids[row * ROW_BYTES : (row + 1) * ROW_BYTES]
        return None if found == _FREE else found


class VectorFolder:
    """The vectors under one stamp. Any number of readers beside one writer at a time."""

    def __init__(self, folder: Path, dimension: int, hold_lock: HoldLock) -> None:
        self.folder = folder
        self._dimension = dimension
        self._hold_lock = hold_lock

    def list_kinds(self) -> list[str]:
        return list_kinds(self.folder)

    def read_rows(self, kind: str) -> Rows | None:
        """What is there of a kind; None for nothing, and for files that do not fit together."""
        ids = _read_ids(self._ids_file(kind), self._dimension)
        if not ids:
            return None
        vectors = self._vectors_file(kind)
        try:
            is_whole = vectors.stat().st_size >= len(ids) // ROW_BYTES * self._vector_bytes
        except OSError:
            is_whole = False
        return Rows(kind, vectors, ids, self._dimension) if is_whole else None

    def count(self, kind: str) -> int:
        rows = self.read_rows(kind)
        return rows.count - rows.ids.count(_FREE) if rows else 0

    def iter_ids(self, kind: str) -> Iterator[bytes]:
        rows = self.read_rows(kind)
        if rows is not None:
            yield from (one for (one,) in iter_unpack("32s", rows.ids) if one != _FREE)

    def list_missing(self, kind: str, ids: Iterable[bytes]) -> list[bytes]:
        """Those that have no vector, in the order given. Looks at the last rows, then at the
        first and so on: asked for the newest documents it reads little."""
        wanted = dict.fromkeys(ids)
        rows = self.read_rows(kind)
        if rows is not None:
            blocks = range(0, rows.count, _SCANNED)
            for block in (*blocks[-1:], *blocks[:-1]):
                if not wanted:
                    break
                part = rows.ids[block * ROW_BYTES : (block + _SCANNED) * ROW_BYTES]
                for one in wanted.keys() & set(chain.from_iterable(iter_unpack("32s", part))):
                    del wanted[one]
        return list(wanted)

    def read(self, kind: str, ids: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors of these documents, of those that have one. Raises OSError where they
        vanish meanwhile."""
        wanted = set(ids)
        rows = self.read_rows(kind)
        if rows is None or not wanted:
            return {}
        places = [n for n, (one,) in enumerate(iter_unpack("32s", rows.ids)) if one in wanted]
        found: dict[bytes, bytes] = {}
        with open(rows.vectors, "rb") as file:
            for place in places:
                file.seek(place * self._vector_bytes)
                one = rows.get_id(place)
                if one is not None:
                    found[one] = file.read(self._vector_bytes)
        return found

    def add(self, kind: str, vectors: Sequence[tuple[bytes, bytes]]) -> int:
        """Keep (id, vector) pairs, durably; those that somebody else kept meanwhile are left
        out. The number added. Raises CannotWrite, Contended."""
        with self._writing():
            fresh = self.list_missing(kind, (one for one, _ in vectors))
            by_id = dict(vectors)
            self._write(kind, [(one, by_id[one]) for one in fresh])
            return len(fresh)

    def drop(self, kind: str) -> None:
        """Throw the vectors of a kind away."""
        with self._writing():
            _remove(self._ids_file(kind), self._vectors_file(kind))

    def _write(self, kind: str, fresh: list[tuple[bytes, bytes]]) -> None:
        ids_file, vectors_file = self._ids_file(kind), self._vectors_file(kind)
        rows = self.read_rows(kind)
        if rows is None:
            _remove(ids_file, vectors_file)
        places = _list_places(rows.ids if rows else b"", len(fresh))
        with _opened(vectors_file) as file:
            for place, (_, vector) in zip(places, fresh, strict=True):
                _write_at(file, place * self._vector_bytes, vector)
            os.fsync(file)
        with _opened(ids_file) as file:
            if rows is None:
                _write_at(file, 0, _HEADER % self._dimension)
            for place, (one, _) in zip(places, fresh, strict=True):
                _write_at(file, (place + 1) * ROW_BYTES, one)
            os.fsync(file)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _in_our_words():
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._hold_lock(_lock_file(self.folder), timeout_seconds=_LOCK_SECONDS):
                yield

    def _ids_file(self, kind: str) -> Path:
        return self.folder / f"{kind}.ids"

    def _vectors_file(self, kind: str) -> Path:
        return self.folder / f"{kind}.f32"

    @property
    def _vector_bytes(self) -> int:
        return 4 * self._dimension


def list_kinds(folder: Path) -> list[str]:
    """The kinds of documents that have vectors in a stamp's folder, sorted."""
    try:
        return sorted(one.stem for one in folder.iterdir() if one.suffix == ".ids")
    except OSError:
        return []


def list_stamps(home: Path) -> list[Path]:
    """The folders of all stamps, sorted."""
    try:
        return sorted(one for one in home.iterdir() if one.is_dir() and not one.is_symlink())
    except OSError:
        return []


def forget_vectors(home: Path, kind: str, ids: Iterable[bytes], hold_lock: HoldLock) -> None:
    """Overwrite the vectors of these documents with zeros, under every stamp. Raises
    CannotWrite, Contended."""
    wanted = set(ids) - {_FREE}
    for folder in list_stamps(home) if wanted else ():
        if kind not in list_kinds(folder):
            continue
        with _in_our_words(), hold_lock(_lock_file(folder), timeout_seconds=_LOCK_SECONDS):
            _forget(folder, kind, wanted)


def remove_stamp(folder: Path) -> None:
    """Delete a stamp's folder with the files in it. Raises CannotWrite."""
    with _in_our_words():
        _remove(*folder.iterdir())
        folder.rmdir()


def _forget(folder: Path, kind: str, wanted: set[bytes]) -> None:
    ids_file, vectors_file = folder / f"{kind}.ids", folder / f"{kind}.f32"
    dimension = _read_dimension(ids_file)
    if dimension is None:
        _remove(ids_file, vectors_file)
        return
    ids = _read_ids(ids_file, dimension)
    places = [row for row, (one,) in enumerate(iter_unpack("32s", ids)) if one in wanted]
    if not places:
        return
    with _opened(ids_file) as file:
        for place in places:
            _write_at(file, (place + 1) * ROW_BYTES, _FREE)
        os.fsync(file)
    with _opened(vectors_file) as file:
        for place in places:
            _write_at(file, place * 4 * dimension, bytes(4 * dimension))
        os.fsync(file)


def _list_places(ids: bytes, most: int) -> list[int]:
    """So many rows to write to: the free ones, then new ones at the end."""
    places: list[int] = []
    found = ids.find(_FREE)
    while found != -1 and len(places) < most:
        row = -(-found // ROW_BYTES)
        if ids[row * ROW_BYTES : (row + 1) * ROW_BYTES] == _FREE:
            places.append(row)
        found = ids.find(_FREE, (row + 1) * ROW_BYTES)
    end = len(ids) // ROW_BYTES
    return places + list(range(end, end + most - len(places)))


def _read_ids(file: Path, dimension: int) -> bytes:
    """Whole ids only; empty where the header is not ours."""
    try:
        data = file.read_bytes()
    except OSError:
        return b""
    if data[:ROW_BYTES] != _HEADER % dimension:
        return b""
    return data[ROW_BYTES : len(data) - len(data) % ROW_BYTES]


def _read_dimension(file: Path) -> int | None:
    with open(file, "rb") as opened:
        header = opened.read(ROW_BYTES)
    digits = header[_DIGITS]
    if not digits.isdigit() or header != _HEADER % int(digits):
        return None
    return int(digits)


def _lock_file(folder: Path) -> Path:
    return folder / "lock"


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _write_at(file: int, offset: int, data: bytes) -> None:
    os.lseek(file, offset, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


@contextmanager
def _opened(file: Path) -> Iterator[int]:
    handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _in_our_words() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = (error.strerror or "no space").lower()
        raise CannotWrite(f"vectors cannot be kept: {why}") from error
