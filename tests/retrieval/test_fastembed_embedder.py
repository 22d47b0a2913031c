"""Models of fastembed's registry: only what is on this machine, and no attempt at a network."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from gitmem.core.ranking import Passage
from gitmem.errors import ModelMissing
from gitmem.retrieval.cross_encoder import CrossEncoder
from gitmem.retrieval.fastembed_embedder import FastembedEmbedder
from gitmem.retrieval.model_files import Digests


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every attempt to connect anywhere, each of which fails."""
    made: list[object] = []

    def refuse(self: socket.socket, address: object) -> None:
        made.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *args, **kwargs: refuse(None, args),  # type: ignore[arg-type]
    )
    return made


def test_a_model_that_was_not_downloaded_is_missing_without_a_look_at_the_network(
    tmp_path: Path, attempts: list[object]
) -> None:
    with pytest.raises(ModelMissing, match="not on this machine") as caught:
        FastembedEmbedder("BAAI/bge-small-en-v1.5", tmp_path, Digests(tmp_path / "digests"))
    assert "gitmem reindex --download" in caught.value.hint
    assert attempts == []


def test_a_name_that_the_registry_lacks_says_which_setting_to_correct(
    tmp_path: Path, attempts: list[object]
) -> None:
    with pytest.raises(ModelMissing, match="no model") as caught:
        FastembedEmbedder("nobody/nothing", tmp_path, Digests(tmp_path / "digests"))
    assert "embedding.model" in caught.value.hint
    assert attempts == []


def test_a_cross_encoder_that_was_not_downloaded_is_missing_without_a_look_at_the_network(
    tmp_path: Path, attempts: list[object]
) -> None:
    with pytest.raises(ModelMissing, match="ranks again"):
        CrossEncoder(tmp_path).rerank("x", [Passage("record:x", "x")])
    assert attempts == []
