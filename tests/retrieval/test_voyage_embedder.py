"""The hosted embedder against a server on this machine."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from struct import unpack
from typing import Any

import pytest

from gitmem.errors import (
    AuthRefused,
    PartMissing,
    RateLimited,
    RemoteError,
    RemoteUnreachable,
    RequestRejected,
)
from gitmem.retrieval import voyage_embedder
from gitmem.retrieval.voyage_embedder import DIMENSION, VoyageEmbedder

KEY = "not-" + "a-real-key"
Answer = tuple[int, bytes, dict[str, str]]


class Service:
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.answer: Callable[[dict[str, Any]], Answer] = _vectors
        self.address = ""


def _vectors(body: dict[str, Any]) -> Answer:
    data = [
        {"embedding": [float(len(text)), *[0.0] * (DIMENSION - 1)], "index": number}
        for number, text in enumerate(body["input"])
    ]
    return 200, json.dumps({"data": data[::-1], "model": body["model"]}).encode(), {}


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    told = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.asked.append(body)
            told.keys.append(self.headers["Authorization"])
            status, data, headers = told.answer(body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            with contextlib.suppress(OSError):  # whoever asked may be gone
                self.end_headers()
                self.wfile.write(data)

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.address = f"http://127.0.0.1:{server.server_address[1]}/v1/embeddings"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def hosted(service: Service) -> VoyageEmbedder:
    return VoyageEmbedder("voyage-3.5", KEY, address=service.address)


def test_texts_become_vectors_in_their_order(hosted: VoyageEmbedder, service: Service) -> None:
    vectors = hosted.embed(["one", ""])
    assert [unpack(f"<{DIMENSION}f", one)[0] for one in vectors] == [1.0, 1.0]
    hosted.embed(["why?"], is_question=True)
    assert [one["input_type"] for one in service.asked] == ["document", "query"]
    assert service.keys == [f"Bearer {KEY}"] * 2
    assert hosted.stamp.format().startswith("voyage-voyage-3-5-")


def test_many_texts_are_asked_in_parts(hosted: VoyageEmbedder, service: Service) -> None:
    assert len(hosted.embed(["text"] * 150)) == 150
    assert [len(one["input"]) for one in service.asked] == [64, 64, 22]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, AuthRefused),
        (403, AuthRefused),
        (429, RateLimited),
        (400, RequestRejected),
        (500, RemoteError),
    ],
)
def test_a_refusal_is_asked_once_and_names_no_key(
    hosted: VoyageEmbedder, service: Service, status: int, error: type[RemoteError]
) -> None:
    service.answer = lambda body: (status, KEY.encode(), {})
    with pytest.raises(error) as caught:
        hosted.embed(["one"])
    assert type(caught.value) is error
    assert len(service.asked) == 1
    assert KEY not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>",
        b'{"data": []}',
        b'{"data": [{"embedding": "x", "index": 0}]}',
        b'{"data": [{"embedding": [1.0], "index": 0}]}',
        b'{"data": [{"embedding": [1.0], "index": 7}]}',
        b"[" * 100_000,
    ],
)
def test_nonsense_is_an_error_of_the_other_side(
    hosted: VoyageEmbedder, service: Service, data: bytes
) -> None:
    service.answer = lambda body: (200, data, {})
    with pytest.raises(RemoteError):
        hosted.embed(["one"])


def test_a_redirect_is_not_followed_with_the_key(hosted: VoyageEmbedder, service: Service) -> None:
    service.answer = lambda body: (302, b"", {"Location": service.address})
    with pytest.raises(RemoteError):
        hosted.embed(["one"])
    assert len(service.asked) == 1


def test_nobody_there_is_unreachable() -> None:
    nobody = VoyageEmbedder("voyage-3.5", KEY, address="http://127.0.0.1:9/")
    with pytest.raises(RemoteUnreachable):
        nobody.embed(["one"])


def test_an_answer_that_never_ends_is_given_up(
    hosted: VoyageEmbedder, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voyage_embedder, "TIMEOUT_SECONDS", 0.2)
    waiting = threading.Event()

    def never(body: dict[str, Any]) -> Answer:
        waiting.wait(5)
        return 200, b"", {}

    service.answer = never
    with pytest.raises(RemoteUnreachable):
        hosted.embed(["one"])
    waiting.set()


def test_without_a_key_it_is_a_missing_part() -> None:
    for key in (None, ""):
        with pytest.raises(PartMissing) as caught:
            VoyageEmbedder("voyage-3.5", key)
        assert "VOYAGE_API_KEY" in caught.value.hint
