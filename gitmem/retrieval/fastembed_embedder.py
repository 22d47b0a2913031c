"""Any embedding model of fastembed's registry that was downloaded before, by its name.

Everything is asked of local files only. `download_model` alone uses the network, on an explicit
command.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fastembed import TextEmbedding
from loguru import logger

from gitmem.core.ranking import Stamp
from gitmem.errors import ModelMissing, RemoteUnreachable
from gitmem.retrieval.model_files import Digests, build_revision

# What goes wrong is said by us, in one line; it logs to stderr on its own.
logger.disable("fastembed")

MAX_CHARS = 16_384
_BATCH = 8
_DOWNLOAD_HINT = "Download it: gitmem reindex --download"


def download_model(name: str, folder: Path) -> None:
    """Fetch a model, once. Raises ModelMissing for a name that the registry does not have,
    RemoteUnreachable where it cannot be fetched."""
    _open(name, folder, may_download=True)


class FastembedEmbedder:
    """`ports.retrieval.Embedder` by fastembed."""

    def __init__(self, name: str, folder: Path, digests: Digests) -> None:
        """`folder` is where models were downloaded to. Raises ModelMissing."""
        self._model = _open(name, folder, may_download=False)
        self._name = name
        self._digests = digests
        self._stamp: Stamp | None = None

    @property
    def stamp(self) -> Stamp:
        """Of the files' bytes; the name of the registry stands for how they are used."""
        if self._stamp is None:
            inner: Any = self._model.model
            folder = Path(inner._model_dir)
            paths = [folder / inner.model_description.model_file, folder / "tokenizer.json"]
            parts = [self._digests.get_sha256(path) for path in paths if path.exists()]
            revision = build_revision([f"fastembed {self._name}", *parts], 0)
            is_small = "-q" in str(inner.model_description.sources.hf or "").lower()
            dimension = int(self._model.embedding_size)
            kind = "int8" if is_small else "float32"
            self._stamp = Stamp(self._name.replace("/", "-"), revision, dimension, kind)
        return self._stamp

    def embed(self, texts: Sequence[str], *, is_question: bool = False) -> list[bytes]:
        cut = [text[:MAX_CHARS].encode("utf-8", "replace").decode() for text in texts]
        order = sorted(range(len(cut)), key=lambda number: len(cut[number]))
        embed = self._model.query_embed if is_question else self._model.passage_embed
        found = embed([cut[number] for number in order], batch_size=_BATCH)
        vectors: list[bytes] = [b""] * len(cut)
        for number, vector in zip(order, found, strict=True):
            length = max(float(np.linalg.norm(vector)), 1e-12)
            vectors[number] = (vector / length).astype("<f4").tobytes()
        return vectors


def _open(name: str, folder: Path, *, may_download: bool) -> TextEmbedding:
    names = {str(one["model"]).lower() for one in TextEmbedding.list_supported_models()}
    if name.lower() not in names:
        raise ModelMissing(
            f"fastembed has no model {name!r}",
            hint="Correct embedding.model, or unset it to use the default model.",
        )
    try:
        return TextEmbedding(
            name, cache_dir=str(folder), threads=1, local_files_only=not may_download
        )
    except Exception as error:  # whatever its HTTP library or the hub's client raises
        if may_download:
            raise RemoteUnreachable(f"the model {name} cannot be downloaded: {error}") from error
        raise ModelMissing(
            f"the embedding model {name} is not on this machine", hint=_DOWNLOAD_HINT
        ) from error
