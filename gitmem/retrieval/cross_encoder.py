"""A cross-encoder that reads question and passage together, where one is on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fastembed.rerank.cross_encoder import TextCrossEncoder
from loguru import logger

from gitmem.core.ranking import Passage, Ranked
from gitmem.errors import ModelMissing, RemoteUnreachable

# What goes wrong is said by us, in one line; it logs to stderr on its own.
logger.disable("fastembed")

MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"
MAX_CHARS = 4096
DIGITS = 4


class CrossEncoder:
    """`ports.retrieval.Reranker`. Downloads nothing."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where models were downloaded to. Raises ModelMissing."""
        try:
            self._model = TextCrossEncoder(
                MODEL, cache_dir=str(folder), threads=1, local_files_only=True
            )
        except Exception as error:  # whatever the hub's client raises
            raise ModelMissing(
                f"the model that ranks again ({MODEL}) is not on this machine",
                hint="Download it: gitmem reindex --download",
            ) from error

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Ranked]:
        """All of them, best first; ties in the order of keys."""
        texts = [one.text[:MAX_CHARS].encode("utf-8", "replace").decode() for one in passages]
        asked = question[:MAX_CHARS].encode("utf-8", "replace").decode()
        # One by one: what a passage scores must not depend on what it is compared with.
        scores = [next(iter(self._model.rerank(asked, [text]))) for text in texts]
        ranked = [
            Ranked(passage.key, round(float(score), DIGITS))
            for passage, score in zip(passages, scores, strict=True)
        ]
        return sorted(ranked, key=lambda one: (-one.score, one.key))


def download_cross_encoder(folder: Path) -> str:
    """Fetch the model, once; its name. Raises RemoteUnreachable."""
    try:
        TextCrossEncoder(MODEL, cache_dir=str(folder), threads=1)
    except Exception as error:  # whatever its HTTP library or the hub's client raises
        raise RemoteUnreachable(f"the model {MODEL} cannot be downloaded: {error}") from error
    return MODEL
