"""The default model, loaded once, and vectors that need none."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest

from gitmem.cache.lock import hold_lock
from gitmem.core.ranking import Stamp
from gitmem.retrieval.model_files import default_stamp, find_default_model
from gitmem.retrieval.onnx_embedder import OnnxEmbedder
from gitmem.retrieval.vector_files import VectorFolder

DIMENSION = 8


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(find_default_model(), lambda dimension: default_stamp())


class WordEmbedder:
    """Vectors of the words of a text, without a model; counts what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def stamp(self) -> Stamp:
        return Stamp("words", "0" * 64, DIMENSION, "float32")

    def embed(self, texts: list[str], *, is_question: bool = False) -> list[bytes]:
        self.asked += texts
        return [make_vector(text) for text in texts]


def make_vector(text: str, dimension: int = DIMENSION) -> bytes:
    """The sum of one fixed direction a word, scaled to length 1."""
    numbers = [0.0] * dimension
    for word in text.split() or [""]:
        source = random.Random(word)
        numbers = [one + source.gauss(0, 1) for one in numbers]
    length = math.sqrt(sum(one * one for one in numbers)) or 1.0
    return pack(f"<{dimension}f", *(one / length for one in numbers))


@pytest.fixture
def make_folder(tmp_path: Path) -> Callable[..., VectorFolder]:
    def make(name: str = "stamp", dimension: int = DIMENSION) -> VectorFolder:
        return VectorFolder(tmp_path / "vectors" / name, dimension, hold_lock)

    return make
