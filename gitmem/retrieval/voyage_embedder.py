"""A hosted embedder: every text is sent to Voyage AI. Only where a person configured it.

The form of requests and answers: https://docs.voyageai.com/reference/embeddings-api
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from struct import pack
from typing import IO

import msgspec

from gitmem.core.ranking import Stamp
from gitmem.errors import (
    AuthRefused,
    PartMissing,
    RateLimited,
    RemoteError,
    RemoteUnreachable,
    RequestRejected,
)
from gitmem.retrieval.model_files import build_revision

PREFIX = "voyage:"
ADDRESS = "https://api.voyageai.com/v1/embeddings"
DIMENSION = 1024
"""What most of its models give; others are refused with a clear line."""
TIMEOUT_SECONDS = 10.0
"""For each step of a request; all of it may take three times as long."""
MAX_CHARS = 16_384
_BATCH = 64
_MAX_ANSWER_BYTES = 32 * 1024 * 1024
_BLOCK_BYTES = 256 * 1024


class _Vector(msgspec.Struct, frozen=True):
    embedding: list[float]
    index: int


class _Answer(msgspec.Struct, frozen=True):
    data: list[_Vector]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key elsewhere."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


class VoyageEmbedder:
    """`ports.retrieval.Embedder` over HTTPS, one attempt a request."""

    def __init__(self, model: str, key: str | None, *, address: str = ADDRESS) -> None:
        """Raises PartMissing without a key."""
        if not key:
            raise PartMissing(
                f"the embedding model voyage:{model} needs a key",
                hint="Set VOYAGE_API_KEY, or unset embedding.model to use the default model.",
            )
        self._model = model
        self._key = key
        self._address = address
        self._opener = urllib.request.build_opener(_NoRedirect)

    @property
    def stamp(self) -> Stamp:
        """A hosted model's bytes are not known: its name stands for them."""
        revision = build_revision([PREFIX + self._model], 0)
        return Stamp(f"voyage-{self._model}", revision, DIMENSION, "float32")

    def embed(self, texts: Sequence[str], *, is_question: bool = False) -> list[bytes]:
        """Raises RemoteError and its kinds."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), _BATCH):
            vectors += self._ask(texts[start : start + _BATCH], is_question)
        return vectors

    def _ask(self, texts: Sequence[str], is_question: bool) -> list[bytes]:
        body = {
            "model": self._model,
            # An empty text is refused there.
            "input": [_clean(text) or " " for text in texts],
            "input_type": "query" if is_question else "document",
        }
        answer = self._post(msgspec.json.encode(body))
        by_index = {one.index: one.embedding for one in answer.data}
        if sorted(by_index) != list(range(len(texts))):
            raise RemoteError("the embedding service left texts out of its answer")
        return [_scale(by_index[number]) for number in range(len(texts))]

    def _post(self, body: bytes) -> _Answer:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._address, body, headers, method="POST")
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                data = _read(response)
        except urllib.error.HTTPError as error:
            error.close()
            raise _refusal(error.code) from None
        except (OSError, http.client.HTTPException) as error:
            raise RemoteUnreachable(
                f"the embedding service does not answer: {type(error).__name__}"
            ) from None
        try:
            return msgspec.json.decode(data, type=_Answer)
        except msgspec.MsgspecError:
            raise RemoteError("the embedding service answered nonsense") from None


def _read(response: http.client.HTTPResponse) -> bytes:
    """The body, bounded in size and time; raises TimeoutError."""
    deadline = time.monotonic() + 3 * TIMEOUT_SECONDS
    data = b""
    while len(data) < _MAX_ANSWER_BYTES:
        if time.monotonic() > deadline:
            raise TimeoutError
        part = response.read1(_BLOCK_BYTES)
        if not part:
            break
        data += part
    return data


def _refusal(status: int) -> RemoteError:
    if status in (401, 403):
        return AuthRefused(
            "the embedding service does not take the key", hint="Check VOYAGE_API_KEY."
        )
    if status == 429:
        return RateLimited("the embedding service wants us to come back later")
    if status in (400, 404, 422):
        return RequestRejected(
            f"the embedding service does not take the request ({status})",
            hint="Check the name after voyage: in embedding.model.",
        )
    return RemoteError(f"the embedding service fails ({status})")


def _scale(numbers: Sequence[float]) -> bytes:
    if len(numbers) != DIMENSION:
        raise RequestRejected(
            f"the embedding service gives vectors of {len(numbers)} numbers, not {DIMENSION}",
            hint="Choose another model in embedding.model.",
        )
    length = sum(number * number for number in numbers) ** 0.5 or 1.0
    return pack(f"<{DIMENSION}f", *(number / length for number in numbers))


def _clean(text: str) -> str:
    return text[:MAX_CHARS].encode("utf-8", "replace").decode().strip()
