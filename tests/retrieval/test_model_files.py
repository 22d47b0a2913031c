"""Where the model is, and that a file which is not it is never loaded."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gitmem.errors import ModelDamaged, ModelMissing
from gitmem.retrieval import model_files
from gitmem.retrieval.model_files import (
    DEFAULT_BYTES,
    DEFAULT_PACKAGE,
    MAX_TOKENS,
    Digests,
    check_default_model,
    default_stamp,
    find_default_model,
    find_model_in,
)


@pytest.fixture
def digests(tmp_path: Path) -> Digests:
    return Digests(tmp_path / "vectors" / "digests.json")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed model package whose file a test makes."""
    folder = tmp_path / "site" / DEFAULT_PACKAGE
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('this is never run')")
    monkeypatch.syspath_prepend(str(folder.parent))
    # Whoever imported the true one before us must not be the answer.
    monkeypatch.delitem(sys.modules, DEFAULT_PACKAGE, raising=False)
    return folder


def test_the_installed_model_is_the_one_that_is_meant(digests: Digests) -> None:
    files = find_default_model()
    check_default_model(files, digests)
    config = json.loads(files.tokenizer.with_name("tokenizer_config.json").read_text())
    assert config["model_max_length"] == files.max_tokens == MAX_TOKENS


def test_a_model_that_was_cut_off_is_damaged(package: Path) -> None:
    (package / "model.onnx").write_bytes(bytes(1024))
    with pytest.raises(ModelDamaged, match="not whole") as caught:
        find_default_model()
    assert caught.value.code == "model-damaged"
    assert "pip install --force-reinstall" in caught.value.hint


def test_a_model_of_zeros_of_the_right_size_is_damaged(package: Path, digests: Digests) -> None:
    with open(package / "model.onnx", "wb") as file:
        file.truncate(DEFAULT_BYTES)
    files = find_default_model()
    for _ in range(2):
        with pytest.raises(ModelDamaged, match="damaged"):
            check_default_model(files, digests)


def test_a_package_without_its_model_is_a_missing_model(package: Path) -> None:
    with pytest.raises(ModelMissing, match="not where it was installed") as caught:
        find_default_model()
    assert caught.value.code == "model-missing"


def test_no_package_is_a_missing_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "DEFAULT_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelMissing):
        find_default_model()


def test_a_digest_is_remembered_until_the_file_changes(
    digests: Digests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    first = digests.get_sha256(file)
    with monkeypatch.context() as patched:
        patched.setattr(model_files, "_hash", lambda path: pytest.fail("hashed again"))
        assert digests.get_sha256(file) == first
    found = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert digests.get_sha256(file) != first


def test_a_memory_of_digests_that_is_nonsense_is_made_anew(
    digests: Digests, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    first = digests.get_sha256(file)
    (tmp_path / "vectors" / "digests.json").write_bytes(b'{"x": [1]}')
    assert digests.get_sha256(file) == first


def test_digests_are_found_where_nothing_can_be_remembered(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    file = tmp_path / "file"
    file.write_bytes(b"one")
    digests = Digests(tmp_path / "taken" / "digests.json")
    assert digests.get_sha256(file) == digests.get_sha256(file)


def test_the_default_stamp_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "DEFAULT_PACKAGE", "no_such_package_here")
    assert default_stamp().format() == "all-minilm-l6-v2-23c195d93e8c-384-int8"


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_file_of_the_model_says_which(tmp_path: Path, missing: str) -> None:
    for name in {"model.onnx", "tokenizer.json"} - {missing}:
        (tmp_path / name).write_text("x")
    with pytest.raises(ModelMissing, match=missing) as caught:
        find_model_in(tmp_path)
    assert "embedding.folder" in caught.value.hint


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ('{"model_max_length": 128}', 128),
        ('{"model_max_length": 1e30}', MAX_TOKENS),
        ('{"model_max_length": -3}', MAX_TOKENS),
        ('{"model_max_length": "many"}', MAX_TOKENS),
        ("[]", MAX_TOKENS),
        ("nonsense", MAX_TOKENS),
        (None, MAX_TOKENS),
    ],
)
def test_a_folder_says_where_its_texts_are_cut(
    tmp_path: Path, config: str | None, expected: int
) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("x")
    if config is not None:
        (tmp_path / "tokenizer_config.json").write_text(config)
    assert find_model_in(tmp_path).max_tokens == expected
