"""Vectors that clones of one project share, so that a fresh one need not make them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.core.shared_vectors import count_bytes, decode_vectors, encode_vectors
from gitmem.errors import BadVectors
from gitmem.retrieval.model_files import default_stamp
from tests.support.commandline import Clone, Team

STAMP = default_stamp()
FOLDER = f"vectors/{STAMP.format()}"
SHARING = {"GITMEM_SHARE_VECTORS": "true"}


def own_ref(clone: Clone) -> str:
    return f"refs/gitmem/w/{(clone.home / 'writer').read_text().strip()}"


def list_shared(clone: Clone, repository: Path | None = None) -> set[str]:
    """What stands under our stamp on a clone's own ref, here or on its remote."""
    where = [f"--git-dir={repository}"] if repository is not None else []
    out = clone.git(*where, "ls-tree", "-r", "--name-only", own_ref(clone), "vectors/")
    return {row.removeprefix(f"{FOLDER}/") for row in out.split()}


def list_segments(clone: Clone) -> set[str]:
    """The segments that a clone's own ref publishes."""
    listed = clone.git("ls-tree", "-r", "--name-only", own_ref(clone)).split()
    return {Path(row).stem for row in listed if row.endswith(".ndjson")}


def count_vectors(clone: Clone) -> int:
    home = clone.path / ".git" / "gitmem" / "vectors" / STAMP.format() / "record.ids"
    if not home.is_file():
        return 0
    rows = home.read_bytes()[32:]
    return sum(any(rows[at : at + 32]) for at in range(0, len(rows), 32))


def write_on_ref(clone: Clone, path: str, data: bytes | None) -> None:
    """Change one file on a clone's own ref, as somebody hostile would."""
    ref = own_ref(clone)
    index = {"GIT_INDEX_FILE": str(clone.home / "hostile-index")}
    before, clone.env = clone.env, {**clone.env, **index}
    try:
        clone.git("read-tree", ref)
        if data is None:
            clone.git("update-index", "--force-remove", path)
        else:
            oid = clone.git("hash-object", "-w", "--stdin", stdin=data)
            clone.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
        tree = clone.git("write-tree")
        commit = clone.git("commit-tree", tree, "-p", ref, "-m", "x")
    finally:
        clone.env = before
    clone.git("update-ref", ref, commit)
    clone.git("push", "-q", "origin", ref)


def read_on_ref(clone: Clone, path: str) -> bytes:
    text = clone.git("cat-file", "blob", f"{own_ref(clone)}:{path}")
    return text.encode("utf-8", "surrogateescape")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A team and Ada, who shares the vectors of two decisions, each in a segment of its own:
    made once; tests work in copies."""
    root = tmp_path_factory.mktemp("sharing")
    (root / "home").mkdir()
    team = Team(root / "team")
    ada = team.clone("Ada")
    ada.env |= {"HOME": str(root / "home"), "GIT_CONFIG_GLOBAL": os.devnull}
    ada.git("switch", "-q", "-C", "main")
    ada.commit("Begin", {"app.py": "one\n"})
    ada.init()
    ada.git("push", "-q", "-u", "origin", "main")
    for summary in ("Amounts are cut to cents", "The nightly job runs at three"):
        ada.capture(summary, "app.py")
        ada.gitmem("reindex").ok()
        ada.gitmem("push", env=SHARING).ok()
    return root / "team"


@pytest.fixture
def team(built: Path, tmp_path: Path) -> Team:
    shutil.copytree(built, tmp_path / "team", symlinks=True)
    return Team(tmp_path / "team")


@pytest.fixture
def sharing(team: Team) -> Clone:
    """Ada, in a copy of what was made."""
    ada = Clone(team.folder / "ada", "Ada")
    ada.git("remote", "set-url", "origin", str(team.remote))
    return ada


def find_blob(clone: Clone) -> str:
    return sorted(list_shared(clone) - {"stamp.json"})[0]


def test_nothing_is_shared_unless_it_is_said(tmp_path: Path) -> None:
    ada = Team(tmp_path / "other").start("Ada")
    ada.capture("Cache by tenant", "app.py")
    ada.gitmem("reindex").ok()
    ada.gitmem("push").ok()
    assert list_shared(ada) == set()
    project = ada.path / ".gitmem" / "project.toml"
    project.write_text(project.read_text().replace("[share]", "[share]\nvectors = true"))
    assert "vectors = true" in project.read_text()
    ada.capture("Cache by user", "app.py")
    ada.gitmem("push").ok()
    assert list_shared(ada) == set()


def test_each_segment_has_one_blob_and_the_stamp_is_said_in_full(
    sharing: Clone, team: Team
) -> None:
    names = list_shared(sharing, team.remote)
    assert "stamp.json" in names and len(names) == 3
    said = json.loads(read_on_ref(sharing, f"{FOLDER}/stamp.json"))
    assert said == {
        "model": STAMP.model,
        "revision": STAMP.revision,
        "dimension": STAMP.dimension,
        "quantisation": STAMP.quantisation,
    }
    assert names - {"stamp.json"} == list_segments(sharing)
    data = read_on_ref(sharing, f"{FOLDER}/{find_blob(sharing)}")
    assert len(data) == count_bytes(1, STAMP.dimension)
    assert len(decode_vectors(data, STAMP.dimension)) == 1


def test_segments_of_the_default_branch_are_among_them(sharing: Clone) -> None:
    wanted = sharing.decide("Retries have jitter", "src/job.py")
    sharing.gitmem("reindex").ok()
    sharing.git("push", "-q")
    sharing.gitmem("push", env=SHARING).ok()
    listed = sharing.git("ls-tree", "-r", "--name-only", own_ref(sharing), "default/records/")
    (segment,) = listed.split()
    data = read_on_ref(sharing, f"{FOLDER}/{Path(segment).stem}")
    assert wanted in decode_vectors(data, STAMP.dimension)


def test_a_push_that_has_nothing_new_moves_nothing(sharing: Clone) -> None:
    before = sharing.git("rev-parse", own_ref(sharing))
    done = sharing.gitmem("push", env=SHARING).ok()
    assert "Nothing new to push" in done.out
    assert sharing.git("rev-parse", own_ref(sharing)) == before


def test_a_decision_without_a_vector_keeps_its_segment_back_and_it_is_said(
    sharing: Clone,
) -> None:
    before = list_shared(sharing)
    sharing.capture("Retries have jitter", "src/job.py")
    done = sharing.gitmem("push", "--json", env=SHARING).ok()
    assert [one["code"] for one in done.json["warnings"]] == ["vectors-unshared"]
    assert list_shared(sharing) == before
    sharing.gitmem("reindex").ok()
    done = sharing.gitmem("push", env=SHARING).ok()
    assert "the vectors of 1 decision" in done.out
    assert len(list_shared(sharing)) == len(before) + 1


def test_a_redacted_record_takes_the_vectors_of_its_segment_away(
    sharing: Clone, team: Team
) -> None:
    secret = sharing.capture("The password is on the third floor", "src/job.py")
    before = list_shared(sharing)
    sharing.gitmem("reindex").ok()
    sharing.gitmem("push", env=SHARING).ok()
    (blob,) = list_shared(sharing) - before
    data = read_on_ref(sharing, f"{FOLDER}/{blob}")
    assert secret in decode_vectors(data, STAMP.dimension)
    sharing.gitmem("redact", secret, "-m", "held a password", "--yes").ok()
    sharing.gitmem("push", env=SHARING).ok()
    assert list_shared(sharing, team.remote) == before


def test_switched_off_the_next_push_takes_all_of_them_away(sharing: Clone, team: Team) -> None:
    sharing.gitmem("push").ok()
    assert list_shared(sharing, team.remote) == set()


def test_private_records_are_never_among_them(sharing: Clone) -> None:
    private = sharing.capture("Only for me", "--local", "src/job.py")
    sharing.gitmem("reindex").ok()
    sharing.gitmem("push", env=SHARING).ok()
    for blob in list_shared(sharing) - {"stamp.json"}:
        data = read_on_ref(sharing, f"{FOLDER}/{blob}")
        assert private not in decode_vectors(data, STAMP.dimension)


def test_a_fresh_clone_takes_them_over_with_the_pull(sharing: Clone, team: Team) -> None:
    bob = team.clone("Bob")
    done = bob.gitmem("pull", "--json").ok()
    assert done.data["vectors"] == 2 and done.json["warnings"] == []
    assert count_vectors(bob) == 2
    made = bob.gitmem("reindex", "--json").ok().data
    assert (made["taken"], made["vectors"]) == (0, made["embedded"] + 2)
    found = bob.gitmem("recall", "--json", "How are prices rounded?").ok().data["excerpts"]
    assert found[0]["hit"]["summary"] == "Amounts are cut to cents"


def test_reindex_takes_them_over_where_the_pull_could_not(
    sharing: Clone, team: Team, tmp_path: Path
) -> None:
    bob = team.clone("Bob")
    env = hide(tmp_path, "onnxruntime")
    done = bob.gitmem("pull", "--json", env=env).ok()
    assert (done.data["vectors"], done.json["warnings"]) == (0, [])
    made = bob.gitmem("reindex", "--json").ok().data
    assert made["taken"] == 2 and count_vectors(bob) == 2


def hide(tmp_path: Path, *packages: str) -> dict[str, str]:
    """An environment in which these packages are not installed."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    lines = "".join(f"sys.modules[{package!r}] = None\n" for package in packages)
    (folder / "sitecustomize.py").write_text(f"import sys\n{lines}")
    return {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}


def test_what_was_taken_over_is_shared_as_the_same_bytes(sharing: Clone, team: Team) -> None:
    sharing.decide("Retries have jitter", "src/job.py")
    sharing.gitmem("reindex").ok()
    sharing.git("push", "-q")
    sharing.gitmem("push", env=SHARING).ok()
    bob = team.clone("Bob")
    bob.gitmem("pull").ok()
    bob.capture("A word of my own", "src/job.py")
    bob.gitmem("push", env=SHARING).ok()
    (name,) = list_shared(bob) & list_shared(sharing) - {"stamp.json"}
    path = f"{FOLDER}/{name}"
    ours, theirs = (clone.git("rev-parse", f"{own_ref(clone)}:{path}") for clone in (bob, sharing))
    assert ours == theirs


def forge(kind: str, clone: Clone) -> tuple[str, bytes]:
    """(path on the ref, bytes) of what somebody hostile would share."""
    blob = find_blob(clone)
    path = f"{FOLDER}/{blob}"
    vectors = decode_vectors(read_on_ref(clone, path), STAMP.dimension)
    (name,) = vectors
    other = vectors[name][4:] + vectors[name][:4]
    if kind == "garbage":
        return path, b"\xff" * 500
    if kind == "too large":
        return path, bytes(2 * 1024 * 1024)
    if kind == "other record":
        return path, encode_vectors(STAMP.dimension, {**vectors, "ab" * 32: vectors[name]})
    if kind == "other text":
        return path, encode_vectors(STAMP.dimension, {name: other})
    if kind == "other width":
        return path, encode_vectors(3, {name: b"\0\0\x80\x3f" + bytes(8)})
    if kind == "lying stamp":
        said = read_on_ref(clone, f"{FOLDER}/stamp.json")
        return f"{FOLDER}/stamp.json", said.replace(b'"model":"all-', b'"model":"All-')
    assert kind == "no stamp"
    return f"{FOLDER}/stamp.json", b"{}"


@pytest.mark.parametrize(
    ("kind", "good"),
    [
        ("garbage", 1),
        ("too large", 1),
        ("other record", 1),
        ("other width", 1),
        ("lying stamp", 0),
        ("no stamp", 0),
    ],
)
def test_what_is_not_what_it_should_be_is_left_out_and_named(
    sharing: Clone, team: Team, kind: str, good: int
) -> None:
    write_on_ref(sharing, *forge(kind, sharing))
    bob = team.clone("Bob")
    done = bob.gitmem("pull", "--json").ok()
    assert [one["code"] for one in done.json["warnings"]] == [BadVectors.code]
    assert done.data["vectors"] == good == count_vectors(bob)
    made = bob.gitmem("reindex", "--json").ok().data
    assert made["embedded"] >= 2 - good and count_vectors(bob) == 2


def test_vectors_of_other_texts_are_found_out(sharing: Clone, team: Team) -> None:
    for blob in sorted(list_shared(sharing) - {"stamp.json"}):
        path = f"{FOLDER}/{blob}"
        vectors = decode_vectors(read_on_ref(sharing, path), STAMP.dimension)
        turned = {name: one[4:] + one[:4] for name, one in vectors.items()}
        write_on_ref(sharing, path, encode_vectors(STAMP.dimension, turned))
    bob = team.clone("Bob")
    done = bob.gitmem("pull", "--json").ok()
    assert [one["code"] for one in done.json["warnings"]] == [BadVectors.code]
    assert count_vectors(bob) == 0


def test_names_in_the_tree_lead_nowhere(sharing: Clone, team: Team) -> None:
    data = read_on_ref(sharing, f"{FOLDER}/{find_blob(sharing)}")
    for path in (f"{FOLDER}/zz", f"{FOLDER}/{'a' * 26}", f"vectors/{'X' * 30}/stamp.json"):
        write_on_ref(sharing, path, data)
    bob = team.clone("Bob")
    done = bob.gitmem("pull", "--json").ok()
    assert (done.data["vectors"], done.json["warnings"]) == (2, [])


def test_a_hosted_model_is_sent_nothing_for_a_pull(sharing: Clone, team: Team) -> None:
    bob = team.clone("Bob")
    env: dict[str, Any] = {
        "GITMEM_EMBEDDING_MODEL": "voyage:voyage-3.5",
        "VOYAGE_API_KEY": "-".join(["not", "a", "key"]),
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    done = bob.gitmem("pull", "--json", env=env, timeout=30).ok()
    assert (done.data["vectors"], done.json["warnings"]) == (0, [])
