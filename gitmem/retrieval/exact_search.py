"""The nearest vectors, exactly: one matrix product, then the best again in double precision.

The product's last bits depend on where a row lies; the second look does not, so the same
vectors give the same order however they came into the file.
"""

from __future__ import annotations

import mmap
from heapq import nsmallest
from typing import Any

import numpy as np

from gitmem.retrieval.vector_files import NoVectors, Rows

DIGITS = 4
"""Of a cosine: what is less than that apart comes in the order of ids."""
_SLACK = 2 * 10.0**-DIGITS
_LOOKED_AT = 8192
_BLOCK_ROWS = 65_536
"""So many rows end where a page of memory does, however wide they are."""
_LONGEST = 1.01


def find_nearest(rows: Rows, question: bytes, limit: int) -> list[tuple[bytes, float]]:
    """(id, cosine) of the best, best first; only what points the same way at all. Linear in
    the rows; needs the memory of one block of them, and four bytes a row. Raises NoVectors."""
    if not rows.count or limit <= 0:
        return []
    with open(rows.vectors, "rb") as file:
        length = rows.count * rows.dimension * 4
        with mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ) as mapped:
            return _search(mapped, rows, np.frombuffer(question, dtype="<f4"), limit)


def _search(mapped: mmap.mmap, rows: Rows, asked: Any, limit: int) -> list[tuple[bytes, float]]:
    matrix = np.frombuffer(mapped, dtype="<f4").reshape(rows.count, rows.dimension)
    try:
        rough = _multiply(mapped, matrix, asked)
        # A score that is no number makes the sum none, and one beyond 1 is none of a cosine.
        if not np.isfinite(rough.sum()) or rough.max() > _LONGEST:
            raise NoVectors
        best = _choose(rough, limit)
        return _look_again(matrix, rows, asked.astype(np.float64), best, limit)
    finally:
        del matrix


def _multiply(mapped: mmap.mmap, matrix: Any, asked: Any) -> Any:
    """One number a row. Of a large file what was read is handed back, or all of it would count
    as this process's memory."""
    rough = np.empty(len(matrix), dtype="<f4")
    row_bytes = matrix.shape[1] * matrix.itemsize
    for start in range(0, len(matrix), _BLOCK_ROWS):
        block = matrix[start : start + _BLOCK_ROWS]
        np.matmul(block, asked, out=rough[start : start + _BLOCK_ROWS])
        if len(matrix) > _BLOCK_ROWS and hasattr(mapped, "madvise"):
            mapped.madvise(mmap.MADV_DONTNEED, start * row_bytes, len(block) * row_bytes)
    return rough


def _choose(rough: Any, limit: int) -> Any:
    """Row numbers of all that may be among the best."""
    least = _SLACK
    if len(rough) > limit:
        place = len(rough) - limit
        least = float(np.partition(rough, place)[place])
    return np.flatnonzero(rough >= max(least - _SLACK, 0.0))


def _look_again(
    matrix: Any, rows: Rows, asked: Any, chosen: Any, limit: int
) -> list[tuple[bytes, float]]:
    best: dict[bytes, float] = {}
    for start in range(0, len(chosen), _LOOKED_AT):
        part = chosen[start : start + _LOOKED_AT]
        exact = np.round((matrix[part] * asked).sum(axis=1), DIGITS)
        for row, score in zip(part.tolist(), exact.tolist(), strict=True):
            one = rows.get_id(row)
            if one is not None and score > 0:
                best[one] = max(score, best.get(one, score))
        if len(best) > limit:
            best = dict(_order(best, limit))
    return _order(best, limit)


def _order(best: dict[bytes, float], limit: int) -> list[tuple[bytes, float]]:
    return nsmallest(limit, best.items(), key=lambda one: (-one[1], one[0]))
