"""Search by meaning: what reindex makes of a memory, and what an answer does without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitmem.app.embedding import open_vectors
from gitmem.app.opening import Opened, open_repository
from gitmem.core.ranking import Ranked
from gitmem.retrieval.model_files import DEFAULT_BYTES, DEFAULT_PACKAGE
from gitmem.services.catch_up import catch_up
from gitmem.services.embedding import BEHIND, FEW, try_rank_vectors
from gitmem.services.reindex import Reindexed, reindex
from gitmem.services.workspace import Notice
from tests.support.commandline import Clone, Team, call_gitmem, environment, start_python

KINDS = ("record", "commit", "note")
DEAD_END = dict.fromkeys(
    ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"
)


def _ask(
    clone: Clone, question: str, limit: int = 3, env: Mapping[str, str] | None = None
) -> tuple[list[Ranked], tuple[Notice, ...]]:
    opened = open_repository(clone.path, {**os.environ, **(env or {})})
    try:
        catch_up(opened.workspace)
        return try_rank_vectors(opened.workspace, question, KINDS, limit)
    finally:
        opened.close()


def _reindex(clone: Clone, env: Mapping[str, str] | None = None) -> Reindexed:
    opened = open_repository(clone.path, {**os.environ, **(env or {})})
    try:
        return reindex(opened.workspace)
    finally:
        opened.close()


def _open(clone: Clone) -> Opened:
    opened = open_repository(clone.path, os.environ)
    catch_up(opened.workspace)
    return opened


def _files(clone: Clone) -> dict[str, bytes]:
    home = clone.path / ".git" / "gitmem" / "vectors"
    return {file.name: file.read_bytes() for file in home.rglob("*.*") if file.is_file()}


def _capture_many(clone: Clone, count: int) -> None:
    commits = "".join(
        f"commit refs/heads/main\ncommitter Ada <ada@example.com> {1_700_000_000 + n} +0000\n"
        f"data <<END\nChange number {n}\n\nbecause step {n} was too slow in the measurement\nEND\n"
        + ("from refs/heads/main^0\n" if n == 0 else "")
        for n in range(count)
    )
    clone_done = subprocess.run(
        ["git", "fast-import", "--quiet", "--force"],
        cwd=clone.path,
        input=commits.encode(),
        capture_output=True,
    )
    assert clone_done.returncode == 0, clone_done.stderr


def test_a_decision_is_found_by_what_it_means(ada: Clone) -> None:
    wanted = ada.capture("Amounts are cut to cents")
    ada.capture("The nightly job runs at three", "app.py")
    _reindex(ada)
    found, notices = _ask(ada, "How are prices rounded?")
    assert notices == ()
    assert found[0].key == f"record:{wanted}"


def test_reindex_says_in_one_line_what_it_did_and_does_nothing_twice(ada: Clone) -> None:
    ada.capture("Cache by tenant")
    first = call_gitmem(ada.path, "reindex").ok()
    assert first.out.startswith("Embedded ") and first.out.count("\n") == 1
    data = call_gitmem(ada.path, "reindex", "--json").ok().data
    assert (data["embedded"], data["dropped"], data["other_stamps"]) == (0, 0, 0)
    assert data["vectors"] >= 1
    again = call_gitmem(ada.path, "reindex", "--all", "--json").ok().data
    assert again["embedded"] == again["vectors"] == data["vectors"]


def test_what_was_captured_last_is_embedded_within_the_answer(ada: Clone) -> None:
    wanted = ada.capture("Retries have jitter")
    found, notices = _ask(ada, "Why do clients wait at random?")
    assert notices == ()
    assert f"record:{wanted}" in {one.key for one in found}
    assert _reindex(ada).embedded == 0


def test_many_without_a_vector_are_left_to_reindex(ada: Clone) -> None:
    _capture_many(ada, FEW + 1)
    found, notices = _ask(ada, "too slow")
    assert (found, notices) == ([], (BEHIND,))
    assert not _files(ada)
    _reindex(ada)
    found, notices = _ask(ada, "too slow")
    assert found and notices == ()


_PROBE = """
import sys
from gitmem.__main__ import main
main(["recall", "what was too slow"])
print(sorted({"numpy", "onnxruntime", "tokenizers", "fastembed"} & set(sys.modules)))
"""


def test_without_vectors_nothing_of_the_model_is_loaded(ada: Clone) -> None:
    _capture_many(ada, FEW + 1)
    running = start_python(ada.path, _PROBE)
    out, err = running.communicate(timeout=120)
    assert out.decode().splitlines()[-1] == "[]"
    assert "gitmem reindex" in err.decode()


def test_a_redacted_record_leaves_no_vector(ada: Clone) -> None:
    secret = ada.capture("The password is in the vault of the third floor")
    _reindex(ada)
    vector = _files(ada)["record.f32"]
    assert bytes.fromhex(secret) in _files(ada)["record.ids"]
    call_gitmem(ada.path, "redact", secret, "-m", "held a password", "--yes").ok()
    files = _files(ada)
    assert bytes.fromhex(secret) not in files["record.ids"]
    assert len(files["record.f32"]) == len(vector) and not any(files["record.f32"])


def test_redacting_needs_no_part_of_the_search_extra(ada: Clone, tmp_path: Path) -> None:
    secret = ada.capture("The password is in the vault of the third floor")
    _reindex(ada)
    env = _without(tmp_path, "numpy", "onnxruntime", "tokenizers", "fastembed", DEFAULT_PACKAGE)
    ada.gitmem("redact", secret, "-m", "held a password", "--yes", env=env).ok()
    assert bytes.fromhex(secret) not in _files(ada)["record.ids"]


def test_a_redaction_of_somebody_else_purges_the_vector_here(team: Team) -> None:
    ada = team.start("Ada")
    secret = ada.capture("The password is in the vault of the third floor")
    ada.gitmem("push").ok()
    bob = team.clone("Bob")
    bob.gitmem("pull").ok()
    _reindex(bob)
    assert bytes.fromhex(secret) in _files(bob)["record.ids"]
    ada.gitmem("redact", secret, "-m", "held a password", "--yes").ok()
    ada.gitmem("push").ok()
    bob.gitmem("pull").ok()
    assert bytes.fromhex(secret) not in _files(bob)["record.ids"]


def test_vectors_of_commits_that_are_gone_are_dropped(ada: Clone) -> None:
    ada.commit("Wait longer\n\nbecause the remote is slow at noon", {"app.py": "x\n"})
    before = _reindex(ada)
    ada.git("reset", "-q", "--hard", "HEAD~1")
    ada.git("reflog", "expire", "--expire=now", "--all")
    ada.git("gc", "-q", "--prune=now")
    ada.commit("Something else\n\nbecause it was asked for by everybody", {"app.py": "y\n"})
    after = _reindex(ada)
    assert after.dropped == 1
    assert after.vectors == before.vectors


def test_notes_have_vectors_as_long_as_they_say_so(ada: Clone) -> None:
    (ada.path / "docs").mkdir()
    note = ada.path / "docs" / "prices.md"
    note.write_text("# Prices\n\nAmounts are cut to cents, since the bank does so.\n")
    env = {"GITMEM_NOTES_FOLDERS": str(ada.path / "docs")}
    _reindex(ada, env)
    found = (
        call_gitmem(ada.path, "recall", "--json", "How is money rounded?", env=env)
        .ok()
        .data["excerpts"]
    )
    assert "cut to cents" in found[0]["text"]
    note.write_text("# Prices\n\nNothing is known of them.\n")
    done = _reindex(ada, env)
    assert (done.embedded, done.dropped) == (1, 1)


def test_killed_in_the_middle_it_goes_on_where_it_was(ada: Clone) -> None:
    _capture_many(ada, 260)
    env = environment()
    words = [sys.executable, "-m", "gitmem", "reindex"]
    running = subprocess.Popen(words, cwd=ada.path, env=env, stdout=subprocess.PIPE)
    ids = ada.path / ".git" / "gitmem" / "vectors"
    deadline = time.monotonic() + 120
    while not list(ids.glob("*/commit.ids")) and time.monotonic() < deadline:
        assert running.poll() is None, running.stdout and running.stdout.read()
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    opened = _open(ada)
    kept = opened.workspace.vectors.count()
    opened.close()
    assert 0 < kept < 260
    done = _reindex(ada)
    assert done.embedded == done.vectors - kept
    opened = _open(ada)
    keys = [*opened.workspace.vectors.iter_keys("commit")]
    wanted = [*opened.workspace.documents.iter_keys("commit")]
    opened.close()
    assert sorted(keys) == sorted(wanted) and len(set(keys)) == len(keys)


def test_the_answer_is_the_same_whatever_the_order_of_arrival(ada: Clone, tmp_path: Path) -> None:
    texts = ["Cache by tenant", "Retry with jitter", "Cut prices to cents", "Sign every request"]
    for text in texts:
        call_gitmem(ada.path, "capture", "-m", text).ok()
    ada.git("add", "-A")
    ada.gitmem("capture", "--flush").ok()
    ada.git("commit", "-q", "-m", "Decide")
    other = Clone(tmp_path / "other")
    ada.git("clone", "-q", ".", str(other.path))
    _reindex(ada)
    opened = _open(other)
    keys = [*opened.workspace.documents.iter_keys("record")]
    opened.close()
    question = "Why do tenants have keys of their own?"
    assert len(keys) == len(texts)
    for key in keys[::-1]:
        _embed(other, key)
    assert _ask(other, question) == _ask(ada, question) == _ask(ada, question)


def test_the_deepest_question_says_so_where_nothing_ranks_again(ada: Clone) -> None:
    ada.capture("Cache by tenant")
    done = ada.gitmem("recall", "--depth", "deep", "--json", "tenant cache", env=DEAD_END).ok()
    assert done.err == ""
    (notice,) = done.json["warnings"]
    assert notice["code"] == "no-reranker"
    assert "gitmem reindex --download" in notice["message"]
    assert [one["hit"]["summary"] for one in done.data["excerpts"]] == ["Cache by tenant"]


def _embed(clone: Clone, key: str) -> None:
    opened = _open(clone)
    opened.workspace.vectors.add(opened.workspace.documents.get_passages([key]), lambda done: None)
    opened.close()


def _without(tmp_path: Path, *packages: str) -> dict[str, str]:
    """An environment in which these packages are not installed."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    lines = "".join(f"sys.modules[{package!r}] = None\n" for package in packages)
    (folder / "sitecustomize.py").write_text(f"import sys\n{lines}")
    paths = os.pathsep.join([str(folder), environment()["PYTHONPATH"]])
    return {"PYTHONPATH": paths}


@pytest.mark.parametrize("package", ["onnxruntime", "numpy", "tokenizers"])
def test_without_the_extra_one_notice_says_what_to_install(
    ada: Clone, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    ada.capture("Cache by tenant")
    monkeypatch.setitem(sys.modules, package, None)  # type: ignore[arg-type]
    found, notices = _ask(ada, "cache")
    assert found == []
    assert [one.code for one in notices] == ["search-extra-missing"]
    assert "pip install 'gitmem-sync[search]'" in notices[0].message


def test_without_a_model_one_notice_says_what_to_install(
    ada: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.capture("Cache by tenant")
    monkeypatch.setitem(sys.modules, DEFAULT_PACKAGE, None)  # type: ignore[arg-type]
    found, notices = _ask(ada, "cache")
    assert found == []
    assert [one.code for one in notices] == ["model-missing"]


@pytest.mark.parametrize("size", [0, 1024, DEFAULT_BYTES])
def test_a_broken_model_file_is_one_notice_and_never_loaded(
    ada: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
) -> None:
    ada.capture("Cache by tenant")
    _reindex(ada)
    package = tmp_path / "site" / DEFAULT_PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    with open(package / "model.onnx", "wb") as file:
        file.truncate(size)
    monkeypatch.syspath_prepend(str(package.parent))
    # Whoever imported the true one before us must not be the answer.
    monkeypatch.delitem(sys.modules, DEFAULT_PACKAGE, raising=False)
    before = _files(ada)["record.ids"]
    found, notices = _ask(ada, "cache")
    assert found == []
    assert [one.code for one in notices] == ["model-damaged"]
    assert "--force-reinstall" in notices[0].message
    assert _files(ada)["record.ids"] == before


def test_reindex_without_a_model_ends_with_its_code(ada: Clone, tmp_path: Path) -> None:
    env = _without(tmp_path, DEFAULT_PACKAGE)
    done = ada.gitmem("--json", "reindex", env=env).ends(9)
    assert done.error["code"] == "model-missing"


def test_a_model_of_the_registry_that_is_not_here_is_asked_of_no_network(ada: Clone) -> None:
    ada.capture("Cache by tenant")
    env = {"GITMEM_EMBEDDING_MODEL": "BAAI/bge-small-en-v1.5", **DEAD_END}
    done = ada.gitmem("--json", "reindex", env=env, timeout=60).ends(9)
    assert done.error["code"] == "model-missing"
    assert "--download" in done.error["hint"]


def test_a_hosted_model_is_asked_only_with_a_key(ada: Clone) -> None:
    ada.capture("Cache by tenant")
    done = ada.gitmem("--json", "reindex", env={"GITMEM_EMBEDDING_MODEL": "voyage:voyage-3.5"})
    assert done.ends(9).error["code"] == "part-missing"
    assert "VOYAGE_API_KEY" in done.error["hint"]


@pytest.mark.parametrize(
    "setting",
    [
        {"GITMEM_EMBEDDING_FOLDER": "not/absolute"},
        {"GITMEM_EMBEDDING_MODEL": "voyage:"},
        {"HOME": None, "USERPROFILE": None, "GITMEM_EMBEDDING_MODEL": "nobody/nothing"},
    ],
    ids=["relative", "no key", "no home"],
)
def test_a_wrong_model_in_the_settings_neither_stops_answers_nor_redaction(
    ada: Clone, setting: dict[str, str | None]
) -> None:
    secret = ada.capture("The password is in the vault of the third floor")
    _reindex(ada)
    env = {**setting, "GIT_CONFIG_GLOBAL": os.environ["HOME"] + "/.gitconfig"}
    done = call_gitmem(ada.path, "recall", "--json", "where is the password", env=env).ok()
    assert len(done.json["warnings"]) == 1
    assert len(done.data["excerpts"]) == 1
    call_gitmem(ada.path, "redact", secret, "-m", "held a password", "--yes", env=env).ok()
    assert bytes.fromhex(secret) not in _files(ada)["record.ids"]


def test_the_vectors_of_the_model_before_go_once_all_is_embedded(
    ada: Clone, tmp_path: Path
) -> None:
    ada.capture("Cache by tenant")
    first = _reindex(ada)
    folder = _copy_model(tmp_path / "my-model")
    env = {"GITMEM_EMBEDDING_FOLDER": str(folder)}
    second = _reindex(ada, env)
    assert second.stamp.startswith("my-model-")
    assert second.other_stamps == 1
    assert second.embedded == second.vectors == first.vectors
    found, notices = _ask(ada, "tenant", env=env)
    assert found and notices == ()


def test_where_the_repository_cannot_be_written_vectors_lie_in_the_cache_folder(
    ada: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.capture("Cache by tenant")
    opened = _open(ada)
    home = opened.workspace.clone.home
    monkeypatch.setattr("gitmem.app.embedding._is_writable", lambda home: False)
    vectors = open_vectors(home, opened.settings, os.environ)
    keys = [*opened.workspace.documents.iter_keys("record")]
    vectors.add(opened.workspace.documents.get_passages(keys), lambda done: None)
    opened.close()
    assert vectors.count() == len(keys) == 1
    assert not (home / "vectors").exists()
    monkeypatch.undo()
    assert opened.settings.cache_home is not None
    assert list((opened.settings.cache_home / "vectors").glob("*/*/record.ids"))


def _copy_model(folder: Path) -> Path:
    from gitmem.retrieval.model_files import find_default_model

    found = find_default_model()
    folder.mkdir()
    (folder / "model.onnx").symlink_to(found.model)
    (folder / "tokenizer.json").symlink_to(found.tokenizer)
    return folder


def test_doctor_says_whether_meaning_is_searched(
    ada: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look() -> dict[str, str]:
        done = call_gitmem(ada.path, "--json", "doctor")
        (found,) = [one for one in done.json["data"]["checks"] if one["id"] == "search"]
        assert isinstance(found, dict)
        return found

    _capture_many(ada, FEW + 1)
    assert "reindex" in look()["fix"] and look()["state"] == "warning"
    _reindex(ada)
    assert look()["state"] == "ok"
    monkeypatch.setitem(sys.modules, DEFAULT_PACKAGE, None)
    assert "by words alone" in look()["message"] and look()["state"] == "warning"


@pytest.mark.parametrize("words", [["--yes"], ["--yes", "--keep-data"]])
def test_uninstalling_leaves_no_vectors(ada: Clone, words: list[str]) -> None:
    ada.capture("Cache by tenant")
    _reindex(ada)
    opened = _open(ada)
    assert opened.settings.cache_home is not None
    spare = open_vectors(ada.home, opened.settings, os.environ)._elsewhere[0]
    opened.close()
    spare.mkdir(parents=True)
    (spare / "digests.json").write_text("{}")
    call_gitmem(ada.path, "uninstall", *words).ok()
    assert not spare.exists() and not (ada.home / "vectors").exists()
    assert (ada.home / "spool").exists() == ("--keep-data" in words)
