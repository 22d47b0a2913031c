"""The vectors of one memory under one stamp: kept in files, made by an embedder when needed.

Loads neither numpy nor a model before something is embedded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from struct import unpack
from typing import TYPE_CHECKING

import msgspec

from gitmem.core.ranking import Passage, Ranked, Stamp, identity_of, kind_of
from gitmem.errors import CannotWrite, Contended
from gitmem.retrieval.vector_files import (
    ROW_BYTES,
    HoldLock,
    NoVectors,
    Rows,
    VectorFolder,
    forget_vectors,
    list_stamps,
    remove_stamp,
)

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Embedder

_BATCH = 128
"""Texts between two writes to the disk: so much is lost by a kill."""
_LIKE = 0.95
"""Cosine of two vectors of one text. Eight bits a number cost about 0.0001, another kind of
processor up to some hundredths with weights of eight bits; another text is far below."""
_OID_BYTES = 20
_PADDING = bytes(ROW_BYTES - _OID_BYTES)
_GATE_FILE = "gate.json"

FindNearest = Callable[[Rows, bytes, int], list[tuple[bytes, float]]]


class Gate(msgspec.Struct, frozen=True):
    """A measured similarity, and on what it was measured."""

    per_mille: int
    how: str


class Making(msgspec.Struct, frozen=True):
    """What an index is made of. `stamp` and `gate` are those that are known without a model;
    `check` raises where nothing can be embedded."""

    stamp: Stamp | None
    gate: int | None
    check: Callable[[], None]
    open_embedder: Callable[[], Embedder]
    load_search: Callable[[], FindNearest]
    hold_lock: HoldLock


class _Model:
    """The embedder, opened once, and the vector of the question that it was asked last."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self._make = make
        self._embedder: Embedder | None = None
        self._asked: tuple[str, bytes] | None = None

    def open(self) -> Embedder:
        if self._embedder is None:
            self._embedder = self._make()
        return self._embedder

    def embed_question(self, question: str) -> bytes:
        if self._asked is None or self._asked[0] != question:
            self._asked = question, self.open().embed([question], is_question=True)[0]
        return self._asked[1]


class FileVectorIndex:
    """`ports.retrieval.VectorIndex` on files below `home`."""

    name = "vectors"

    def __init__(self, home: Path, making: Making, elsewhere: Sequence[Path] = ()) -> None:
        """`elsewhere` are other folders that may hold vectors of this memory."""
        self._home = home
        self._elsewhere = elsewhere
        self._making = making
        self._model = _Model(making.open_embedder)

    def open_beside(self, home: Path) -> FileVectorIndex:
        """The vectors of another memory, below another folder, by the same model: it is loaded
        once, and asks each question once."""
        beside = FileVectorIndex(home, self._making)
        beside._model = self._model
        return beside

    @property
    def stamp(self) -> Stamp:
        return self._making.stamp or self._model.open().stamp

    @property
    def gate(self) -> int | None:
        file = self._home / self.stamp.format() / _GATE_FILE
        try:
            return msgspec.json.decode(file.read_bytes(), type=Gate).per_mille
        except (OSError, msgspec.MsgspecError):
            return self._making.gate

    def set_gate(self, per_mille: int, how: str) -> None:
        folder = self._home / self.stamp.format()
        scratch = folder / f"{_GATE_FILE}.new"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            scratch.write_bytes(msgspec.json.encode(Gate(per_mille, how)))
            scratch.replace(folder / _GATE_FILE)
        except OSError as error:
            raise CannotWrite(f"the gate cannot be kept: {error.strerror}") from error

    def check(self) -> None:
        self._making.check()

    def rank(self, question: str, *, kinds: Collection[str], limit: int) -> list[Ranked]:
        if limit <= 0 or not any(self._list_kinds(kinds)):
            return []
        folder = self._folder()
        asked = self._model.embed_question(question)
        find_nearest = self._making.load_search()
        best: list[Ranked] = []
        for kind in self._list_kinds(kinds):
            rows = folder.read_rows(kind)
            try:
                nearest = find_nearest(rows, asked, limit) if rows else []
            except NoVectors:
                nearest = []
                with contextlib.suppress(CannotWrite, Contended):
                    folder.drop(kind)
            except (OSError, ValueError):  # another process has just thrown them away
                nearest = []
            best += [Ranked(_decode_key(kind, one), score) for one, score in nearest]
        return sorted(best, key=lambda one: (-one.score, one.key))[:limit]

    def list_missing(self, keys: Iterable[str]) -> list[str]:
        wanted = list(keys)
        folder = self._folder()
        missing: set[str] = set()
        for kind in {kind_of(key) for key in wanted}:
            ids = (encode_id(key) for key in wanted if kind_of(key) == kind)
            missing.update(_decode_key(kind, one) for one in folder.list_missing(kind, ids))
        return [key for key in wanted if key in missing]

    def add(self, passages: Iterable[Passage], report: Callable[[int], None]) -> int:
        coming = iter(passages)
        added = done = 0
        while batch := list(islice(coming, _BATCH)):
            vectors = self._model.open().embed([one.text for one in batch])
            keys = [one.key for one in batch]
            added += self.keep_vectors(zip(keys, vectors, strict=True))
            done += len(batch)
            report(done)
        return added

    def read_vectors(self, keys: Iterable[str]) -> dict[str, bytes]:
        folder = self._folder()
        found: dict[str, bytes] = {}
        for kind, ids in _sort_ids(keys).items():
            with contextlib.suppress(OSError):  # another process has just thrown them away
                read = folder.read(kind, ids)
                found.update((_decode_key(kind, one), vector) for one, vector in read.items())
        return found

    def keep_vectors(self, vectors: Iterable[tuple[str, bytes]]) -> int:
        by_kind: dict[str, list[tuple[bytes, bytes]]] = {}
        for key, vector in vectors:
            by_kind.setdefault(kind_of(key), []).append((encode_id(key), vector))
        folder = self._folder()
        return sum(folder.add(kind, pairs) for kind, pairs in sorted(by_kind.items()))

    def prepare(self, question: str) -> None:
        self._model.embed_question(question)

    def is_like_ours(self, passages: Sequence[Passage], vectors: Sequence[bytes]) -> bool:
        made = self._model.open().embed([one.text for one in passages])
        return all(
            _multiply(ours, other) >= _LIKE for ours, other in zip(made, vectors, strict=True)
        )

    def forget(self, keys: Iterable[str]) -> None:
        by_kind = _sort_ids(keys)
        for home in (self._home, *self._elsewhere):
            for kind, ids in by_kind.items():
                forget_vectors(home, kind, ids, self._making.hold_lock)

    def iter_keys(self, kind: str) -> Iterator[str]:
        return (_decode_key(kind, one) for one in self._folder().iter_ids(kind))

    def count(self) -> int:
        folder = self._folder()
        return sum(folder.count(kind) for kind in folder.list_kinds())

    def clear(self, *, only_other_stamps: bool) -> int:
        kept = self.stamp.format() if only_other_stamps else None
        found = [folder for folder in list_stamps(self._home) if folder.name != kept]
        for folder in found:
            remove_stamp(folder)
        return len(found)

    def _list_kinds(self, kinds: Collection[str]) -> list[str]:
        """Of the kinds those that have vectors; found without a stamp where there are none."""
        if not list_stamps(self._home):
            return []
        return [kind for kind in self._folder().list_kinds() if kind in kinds]

    def _folder(self) -> VectorFolder:
        stamp = self.stamp
        return VectorFolder(self._home / stamp.format(), stamp.dimension, self._making.hold_lock)


def encode_id(key: str) -> bytes:
    """A document's id as 32 bytes: 64 hexadecimal digits are themselves, the 40 of a commit
    are padded with zeros. Raises ValueError for another."""
    identity = bytes.fromhex(identity_of(key))
    if len(identity) not in (_OID_BYTES, ROW_BYTES):
        raise ValueError(f"no id of a document: {key}")
    return identity.ljust(ROW_BYTES, b"\0")


def _sort_ids(keys: Iterable[str]) -> dict[str, list[bytes]]:
    """Kind → the ids of the documents of that kind, in the order of kinds."""
    by_kind: dict[str, list[bytes]] = {}
    for key in keys:
        by_kind.setdefault(kind_of(key), []).append(encode_id(key))
    return dict(sorted(by_kind.items()))


def _multiply(one: bytes, other: bytes) -> float:
    """The cosine of two vectors of length 1."""
    form = f"<{len(one) // 4}f"
    return float(sum(a * b for a, b in zip(unpack(form, one), unpack(form, other), strict=True)))


def _decode_key(kind: str, one: bytes) -> str:
    return f"{kind}:{one.removesuffix(_PADDING).hex()}"
