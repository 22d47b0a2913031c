"""Text → vectors on onnxruntime and tokenizers directly: what fastembed does, in half the time.

Mean of the token vectors, scaled to length 1. A text's vector does not depend on what else is
embedded with it, nor on threads: measured for the default model, whose weights are quantised
and whose activations are not (tests/retrieval/test_onnx_embedder.py holds it).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from gitmem.core.ranking import Stamp
from gitmem.errors import ModelDamaged
from gitmem.retrieval.model_files import ModelFiles

onnxruntime.disable_telemetry_events()  # on Windows the system collects them

MAX_CHARS = 16_384
"""Of a longer text only the beginning is looked at; it is far more than a model reads."""
_BATCH = 8
_MAX_WORKERS = 8


class OnnxEmbedder:
    """`ports.retrieval.Embedder` for files that were checked.

    Optimising the graph takes longer than all else at start-up and pays off from the fourth
    text on. So questions have a session of their own that starts fast; each text always goes
    the same way, and so has the same vector to the last bit.
    """

    def __init__(self, files: ModelFiles, find_stamp: Callable[[int], Stamp]) -> None:
        """`find_stamp` is given the dimension, which the model says."""
        self._files = files
        self._find_stamp = find_stamp
        self._stamp: Stamp | None = None
        self._tokenizer = _load_tokenizer(files)
        self._fast: Any = None
        self._thorough: Any = None

    @property
    def stamp(self) -> Stamp:
        if self._stamp is None:
            dimension = len(self.embed([""], is_question=True)[0]) // 4
            self._stamp = self._find_stamp(dimension)
        return self._stamp

    def embed(self, texts: Sequence[str], *, is_question: bool = False) -> list[bytes]:
        session = self._open_fast() if is_question else self._open_thorough()
        cut = [text[:MAX_CHARS].encode("utf-8", "replace").decode() for text in texts]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(cut)]
        order = sorted(range(len(tokens)), key=lambda number: len(tokens[number]))
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]

        def run(batch: list[int]) -> list[bytes]:
            return _run(session, [tokens[number] for number in batch])

        vectors: list[bytes] = [b""] * len(tokens)
        for batch, found in zip(batches, _map(run, batches), strict=True):
            for number, vector in zip(batch, found, strict=True):
                vectors[number] = vector
        return vectors

    def _open_fast(self) -> Any:
        if self._fast is None:
            level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            self._fast = _open_session(self._files, level)
        return self._fast

    def _open_thorough(self) -> Any:
        if self._thorough is None:
            level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
            self._thorough = _open_session(self._files, level)
        return self._thorough


def _map(run: Callable[[list[int]], list[bytes]], batches: list[list[int]]) -> list[list[bytes]]:
    """Batches side by side, one thread each: threads within a batch gain nothing on a small
    model, and spin."""
    workers = min(os.cpu_count() or 1, len(batches), _MAX_WORKERS)
    if workers <= 1:
        return [run(batch) for batch in batches]
    # One question needs no pool, whose module takes as long to load as a short answer.
    futures = importlib.import_module("concurrent.futures")
    with futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, batches))


def _load_tokenizer(files: ModelFiles) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # the library raises nothing narrower
        raise ModelDamaged(f"the model's tokenizer cannot be read: {files.tokenizer}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.max_tokens)
    return tokenizer


def _open_session(files: ModelFiles, level: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            str(files.model), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the library's classes are of no documented root
        raise ModelDamaged(f"the embedding model cannot be loaded: {files.model}") from error


def _run(session: Any, tokens: Sequence[Sequence[int]]) -> list[bytes]:
    """The vectors of one batch, padded to its longest text."""
    longest = max(1, *(len(one) for one in tokens)) if len(tokens) > 1 else max(1, len(tokens[0]))
    ids = np.zeros((len(tokens), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, one in enumerate(tokens):
        ids[row, : len(one)] = one
        mask[row, : len(one)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {one.name for one in session.get_inputs()}
    try:
        hidden = session.run(None, {name: given[name] for name in wanted & given.keys()})[0]
    except Exception as error:
        raise ModelDamaged("the embedding model does not run: it is no text model") from error
    vectors = hidden if hidden.ndim == 2 else _average(hidden, mask)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return [vector.tobytes() for vector in (vectors / lengths).astype("<f4")]


def _average(hidden: Any, mask: Any) -> Any:
    """Token vectors (texts, tokens, numbers) → their means (texts, numbers), in float64."""
    kept = mask[:, :, np.newaxis].astype(bool)
    total = np.sum(hidden, axis=1, where=kept, dtype=np.float64)
    return total / np.maximum(mask.sum(axis=1, keepdims=True), 1)
