"""Wiring of vectors: which model makes them, where they lie, and what is missing for them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitmem.app.adapters import load
from gitmem.cache.lock import hold_lock
from gitmem.config import Settings
from gitmem.errors import CannotWrite, ModelMissing, PartMissing, SearchMissing
from gitmem.retrieval.model_files import (
    DEFAULT_GATE,
    Digests,
    ModelFiles,
    check_default_model,
    default_stamp,
    find_default_model,
    find_model_in,
    stamp_files,
)
from gitmem.retrieval.vector_index import FileVectorIndex, Making

if TYPE_CHECKING:
    from gitmem.ports.retrieval import Embedder, Reranker

VECTORS = "vectors"
HOSTED = "voyage:"
_DIGESTS = "digests.json"
_LOCAL_PACKAGES = ("numpy", "onnxruntime", "tokenizers")
_FASTEMBED_PACKAGES = ("numpy", "fastembed")


def open_vectors(home: Path, settings: Settings, environ: Mapping[str, str]) -> FileVectorIndex:
    """The vectors of this clone under the configured model. Nothing is loaded yet."""
    own = home / VECTORS
    spare = _spare_folder(home, settings)
    folder = own if spare is None or own.is_dir() or _is_writable(home) else spare
    elsewhere = [one for one in (own, spare) if one is not None and one != folder]
    making = _choose_model(settings, environ, Digests(folder / _DIGESTS))
    return FileVectorIndex(folder, making, elsewhere)


def remove_vectors(home: Path, settings: Settings) -> None:
    """Delete the vectors of this clone, wherever they lie. Downloaded models stay: they are
    this user's, for all clones. Raises CannotWrite."""
    for folder in (home / VECTORS, _spare_folder(home, settings)):
        try:
            if folder is not None:
                shutil.rmtree(folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise CannotWrite(f"{folder} cannot be removed: {error.strerror}") from error


def is_hosted(settings: Settings) -> bool:
    """Whether every text that is embedded leaves this machine."""
    name = settings.embedding_model
    return settings.embedding_folder is None and name is not None and name.startswith(HOSTED)


def open_vectors_with(embedder: Embedder, home: Path) -> FileVectorIndex:
    """The vectors of this clone under an embedder that the caller brings."""
    return FileVectorIndex(home / VECTORS, _making(lambda: embedder, ("numpy",)))


def open_reranker(settings: Settings, environ: Mapping[str, str]) -> Reranker:
    """The cross-encoder. Raises SearchMissing, ModelMissing."""
    _check_packages(_FASTEMBED_PACKAGES)
    reranker: Reranker = _load("cross-encoder")(_models_folder(settings, environ))
    return reranker


def download_models(settings: Settings, environ: Mapping[str, str]) -> list[str]:
    """Fetch what is configured and what ranks again: the one place that may. Their names."""
    _check_packages(_FASTEMBED_PACKAGES)
    folder = _models_folder(settings, environ)
    names: list[str] = []
    name = settings.embedding_model
    if name is not None and settings.embedding_folder is None and not name.startswith(HOSTED):
        _load("download-model")(name, folder)
        names.append(name)
    names.append(_load("download-cross-encoder")(folder))
    return names


def _choose_model(settings: Settings, environ: Mapping[str, str], digests: Digests) -> Making:
    """Raises nothing: a wrong setting must not keep anybody from forgetting vectors."""
    name = settings.embedding_model
    if settings.embedding_folder is not None:
        folder = Path(settings.embedding_folder)
        return _making(
            lambda: _open_files(find_model_in(folder), digests, is_default=False), _LOCAL_PACKAGES
        )
    if name is None:
        return Making(
            stamp=default_stamp(),
            gate=DEFAULT_GATE,
            check=_check_default,
            open_embedder=lambda: _open_files(find_default_model(), digests, is_default=True),
            load_search=lambda: _load("exact-search"),
            hold_lock=hold_lock,
        )
    if name.startswith(HOSTED):
        model, key = name.removeprefix(HOSTED), environ.get("VOYAGE_API_KEY")
        return _making(lambda: _load("voyage-embedder")(model, key), ("numpy",))
    return _making(
        lambda: _load("fastembed-embedder")(name, _models_folder(settings, environ), digests),
        _FASTEMBED_PACKAGES,
    )


def _making(open_embedder: Callable[[], Embedder], packages: tuple[str, ...]) -> Making:
    return Making(
        stamp=None,
        gate=None,
        check=lambda: _check_packages(packages),
        open_embedder=open_embedder,
        load_search=lambda: _load("exact-search"),
        hold_lock=hold_lock,
    )


def _open_files(files: ModelFiles, digests: Digests, *, is_default: bool) -> Embedder:
    if is_default:
        check_default_model(files, digests)
        return _open_default(files)

    def find_stamp(dimension: int) -> Any:
        paths = (files.model, files.tokenizer)
        return stamp_files(
            files.name, paths, files.max_tokens, dimension, files.quantisation, digests
        )

    embedder: Embedder = _load("onnx-embedder")(files, find_stamp)
    return embedder


@cache
def _open_default(files: ModelFiles) -> Embedder:
    """Kept, since a server opens the repository anew for each call, and the model is the same."""
    embedder: Embedder = _load("onnx-embedder")(files, lambda dimension: default_stamp())
    return embedder


def _check_default() -> None:
    _check_packages(_LOCAL_PACKAGES)
    find_default_model()


def _check_packages(packages: tuple[str, ...]) -> None:
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise SearchMissing(f"search by meaning needs {package}, which is not installed")


def _load(name: str) -> Any:
    try:
        return load(name)
    except PartMissing as error:
        raise SearchMissing(error.message) from error
    except ImportError as error:  # an installation that does not fit this machine
        raise SearchMissing(f"search by meaning does not start here: {error}") from error


def _models_folder(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Where fastembed keeps what it downloads: as its own users have it, else ours."""
    own = environ.get("FASTEMBED_CACHE_PATH")
    if own:
        return Path(own)
    if settings.cache_home is None:
        raise ModelMissing("there is no folder for models", hint="Set FASTEMBED_CACHE_PATH.")
    return settings.cache_home / "models"


def _spare_folder(home: Path, settings: Settings) -> Path | None:
    """Where vectors lie if the repository cannot be written."""
    if settings.cache_home is None:
        return None
    name = hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:32]
    return settings.cache_home / VECTORS / name


def _is_writable(home: Path) -> bool:
    there = next((one for one in (home, *home.parents) if one.exists()), home)
    return os.access(there, os.W_OK)
