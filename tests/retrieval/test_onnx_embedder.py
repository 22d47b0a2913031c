"""What a text's vector is, that it depends on the text alone, and what fastembed says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from struct import unpack

import numpy as np
import pytest

from gitmem.errors import ModelDamaged
from gitmem.retrieval.model_files import (
    Digests,
    ModelFiles,
    find_default_model,
    find_model_in,
    stamp_files,
)
from gitmem.retrieval.onnx_embedder import MAX_CHARS, OnnxEmbedder

TEXTS = [
    "Cache keys hold the tenant",
    "Why do two tenants share an entry of the cache?",
    "The retry has no jitter, so all clients come back at once. " * 3,
    "x",
    "Кэш хранит ключи арендаторов",
    "word " * 400,
    "a_name.py: `call(1, 2)` — see docs/adr/0003.md\n\nbecause it was measured",
]


def _matrix(vectors: list[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)


def _copy_model(folder: Path) -> ModelFiles:
    found = find_default_model()
    folder.mkdir()
    (folder / "model.onnx").symlink_to(found.model)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(found.tokenizer.with_name(name), folder)
    return find_model_in(folder)


def test_vectors_are_those_of_fastembed_on_the_same_files(
    embedder: OnnxEmbedder, tmp_path: Path
) -> None:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    _copy_model(tmp_path / "model")
    TextEmbedding.add_custom_model(
        model="gitmem/default",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="gitmem/default"),
        dim=384,
        model_file="model.onnx",
    )
    other = TextEmbedding("gitmem/default", specific_model_path=str(tmp_path / "model"), threads=1)
    texts = TEXTS[2:]
    theirs = np.array(list(other.embed(texts)))
    for is_question in (False, True):
        ours = _matrix(embedder.embed(texts, is_question=is_question))
        assert np.abs(ours - theirs).max() < 1e-4
        assert (ours * theirs).sum(axis=1).min() > 0.9999


def test_a_vector_has_length_one_and_as_many_numbers_as_the_stamp_says(
    embedder: OnnxEmbedder,
) -> None:
    for vector in embedder.embed(["", *TEXTS]):
        numbers = unpack(f"<{embedder.stamp.dimension}f", vector)
        assert sum(one * one for one in numbers) == pytest.approx(1.0, abs=1e-5)


def test_a_vector_does_not_depend_on_what_is_embedded_with_it(embedder: OnnxEmbedder) -> None:
    together = embedder.embed(TEXTS)
    alone = [embedder.embed([text])[0] for text in TEXTS]
    turned = embedder.embed(TEXTS[::-1])[::-1]
    assert np.abs(_matrix(together) - _matrix(alone)).max() < 1e-6
    assert np.abs(_matrix(together) - _matrix(turned)).max() < 1e-6


def test_what_means_the_same_is_nearer_than_what_does_not(embedder: OnnxEmbedder) -> None:
    question, same, other = _matrix(
        embedder.embed(["How are prices rounded?", "Amounts are cut to cents", "Snow in the Alps"])
    )
    assert question @ same > question @ other + 0.1


@pytest.mark.parametrize(
    "text", ["", "\0", "\ud800 lone", "\u202e" * 50, "[[" * 2000, "👩‍👩‍👧" * 30, "a" * 200_000]
)
def test_any_text_has_a_vector(embedder: OnnxEmbedder, text: str) -> None:
    assert len(embedder.embed([text], is_question=True)[0]) == 4 * 384


def test_of_a_huge_text_the_beginning_counts(embedder: OnnxEmbedder) -> None:
    start = "tenant cache " * 2000
    assert embedder.embed([start + "x" * MAX_CHARS]) == embedder.embed([start[:MAX_CHARS]])


def test_no_texts_have_no_vectors(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]) == []


@pytest.mark.parametrize("damage", ["cut", "zeros", "empty", "other"])
def test_a_model_file_that_is_none_is_said_to_be_damaged(tmp_path: Path, damage: str) -> None:
    files = _copy_model(tmp_path / "model")
    data = files.model.read_bytes()
    files.model.unlink()
    files.model.write_bytes(
        {"cut": data[:1024], "zeros": bytes(4096), "empty": b"", "other": b"<html>"}[damage]
    )
    broken = OnnxEmbedder(files, lambda dimension: pytest.fail("never asked"))
    with pytest.raises(ModelDamaged):
        broken.embed(["x"])


def test_a_tokenizer_that_is_none_is_said_to_be_damaged(tmp_path: Path) -> None:
    files = _copy_model(tmp_path / "model")
    files.tokenizer.write_text("{}")
    with pytest.raises(ModelDamaged):
        OnnxEmbedder(files, lambda dimension: pytest.fail("never asked"))


def test_a_model_in_a_folder_has_the_stamp_of_its_bytes(tmp_path: Path) -> None:
    files = _copy_model(tmp_path / "model")
    digests = Digests(tmp_path / "digests.json")

    def find_stamp(dimension: int):  # type: ignore[no-untyped-def]
        paths = (files.model, files.tokenizer)
        return stamp_files(files.name, paths, files.max_tokens, dimension, "float32", digests)

    first = OnnxEmbedder(files, find_stamp).stamp
    assert first.dimension == 384
    files.tokenizer.write_bytes(files.tokenizer.read_bytes() + b"\n")
    second = find_stamp(384)
    assert first.model == second.model
    assert first.revision != second.revision
    assert first.format() != second.format()


@pytest.mark.parametrize("module", ["onnx_embedder", "fastembed_embedder", "cross_encoder"])
def test_the_runtime_makes_no_device_id_and_reports_to_nobody(tmp_path: Path, module: str) -> None:
    """It would write both into the home folder from its import on."""
    package = "onnxruntime" if module == "onnx_embedder" else "fastembed"
    pytest.importorskip(package)
    code = f"import time, gitmem.retrieval.{module}; time.sleep(1)"
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []
