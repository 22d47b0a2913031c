"""Peers made to harm whoever reads them: bounded, set apart, and never in the way of others."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from gitmem.core.codec import build_line
from gitmem.core.segments import segment_name
from gitmem.store import peer_union
from tests.peers.conftest import Town
from tests.support.commandline import Clone
from tests.support.servers import Server

CACHE = ("billing", "Cache keyed by tenant")


def sample(town: Town) -> dict[str, Any]:
    """The fields of a record of the peer."""
    for file in sorted((town.billing.path / ".gitmem" / "records").rglob("*.ndjson")):
        for line in file.read_text().splitlines():
            fields: dict[str, Any] = json.loads(line)
            if fields["summary"] == CACHE[1]:
                del fields["id"]
                return fields
    raise AssertionError("no such record")


def commit_segment(clone: Clone, data: bytes, name: str | None = None) -> None:
    folder = clone.path / ".gitmem" / "records" / "2026-01"
    folder.mkdir(exist_ok=True)
    (folder / (name or segment_name(data))).write_bytes(data)
    clone.commit("Segment")


def commit_tree(clone: Clone, tree: str) -> None:
    """Make a tree, however odd, the tip of main."""
    commit = clone.git("commit-tree", tree, "-p", "HEAD", "-m", "Odd")
    clone.git("update-ref", "refs/heads/main", commit)


def write_object(clone: Clone, kind: str, data: bytes) -> str:
    return clone.git("hash-object", "-t", kind, "-w", "--literally", "--stdin", stdin=data)


def test_a_line_longer_than_any_record_is_set_apart_and_the_rest_answers(town: Town) -> None:
    commit_segment(town.billing, b"a" * (64 << 20) + b"\n")
    done = town.peers("add", str(town.billing.path)).ok()
    assert "6 records" in done.out
    assert CACHE in town.hits("src/app.py")
    assert town.list()[0]["quarantined"] == 1


@pytest.mark.slow
def test_a_record_of_a_gibibyte_is_not_loaded(town: Town) -> None:
    """Its bytes are few where it is stored, so that anybody can publish it."""
    size = 1 << 30
    header = b"blob %d\0" % size
    packer = zlib.compressobj(1)
    zeros = bytes(1 << 20)
    body = packer.compress(header) + b"".join(packer.compress(zeros) for _ in range(1024))
    oid = "e05a4fc6d8bd6b0f1e2ff8f9d6ddd7ea2e9a4ba1"
    place = town.billing.path / ".git" / "objects" / oid[:2] / oid[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(body + packer.flush())
    shelf = write_object(
        town.billing, "tree", b"100644 %s\0" % (b"a" * 26 + b".ndjson") + bytes.fromhex(oid)
    )
    commit_tree(town.billing, nest(town.billing, shelf))
    town.peers("add", str(town.billing.path), timeout=60)
    assert {project for project, _ in town.hits("src/app.py")} >= {"."}


def nest(clone: Clone, shelf: str) -> str:
    """A commit's tree in which .gitmem/records/2026-01 is this shelf, and the project's file
    stays."""
    entry = clone.git("ls-tree", "HEAD:.gitmem", "project.toml").split()
    records = write_object(clone, "tree", b"40000 2026-01\0" + bytes.fromhex(shelf))
    folder = write_object(
        clone,
        "tree",
        b"100644 project.toml\0" + bytes.fromhex(entry[2])
        + b"40000 records\0" + bytes.fromhex(records),
    )  # fmt: skip
    return write_object(clone, "tree", b"40000 .gitmem\0" + bytes.fromhex(folder))


@pytest.mark.parametrize(
    "name",
    [b"..", b"../x.ndjson", b".git", b"..\\x", b"a/b", b"\xff\xfe", b"x" * 300, b"\x1b[2J"],
    ids=repr,
)
def test_odd_names_in_a_tree_lead_nowhere(town: Town, name: bytes) -> None:
    blob = write_object(town.billing, "blob", b"evil\n")
    link = write_object(town.billing, "blob", b"/etc/passwd")
    good = town.billing.git("ls-tree", "-r", "HEAD:.gitmem/records").splitlines()[0].split()
    shelf = write_object(
        town.billing,
        "tree",
        b"100644 %s\0" % name + bytes.fromhex(blob)
        + b"120000 %s\0" % (b"b" * 26 + b".ndjson") + bytes.fromhex(link)
        + b"100644 %s\0" % good[3].rpartition("/")[2].encode() + bytes.fromhex(good[2]),
    )  # fmt: skip
    commit_tree(town.billing, nest(town.billing, shelf))
    before = sorted(path.name for path in town.root.iterdir())
    town.peers("add", str(town.billing.path)).ok()
    (row,) = town.list()
    assert row["records"] >= 1 and row["quarantined"] >= 1
    done = town.shop.gitmem("why", "src/app.py").ok()
    assert "root:" not in done.all and "\x1b[2J" not in done.all
    assert sorted(path.name for path in town.root.iterdir()) == before


def test_ids_that_lie_and_clocks_past_every_bound_are_set_apart(town: Town) -> None:
    fields = sample(town)
    good = build_line({**fields, "summary": "Good among bad"}).raw
    lying = good.replace(b"Good among bad", b"A lie about it")
    far = {**fields, "summary": "Beyond the last number"}
    far["seq"] = 2**48 + 1
    raw = json.dumps(far).encode()
    commit_segment(town.billing, good + b"\n" + lying + b"\n" + raw + b"\n")
    town.peers("add", str(town.billing.path)).ok()
    found = {summary for _, summary in town.hits("src/app.py", "--all")}
    assert "Good among bad" in found
    assert not {"A lie about it", "Beyond the last number"} & found
    assert town.list()[0]["quarantined"] >= 2
    town.shop.capture("Ours afterwards", "src/app.py")
    seqs = [hit["seq"] for hit in town.why("src/app.py")["data"]["hits"] if hit["project"] == "."]
    assert max(seqs) < 10


def test_a_time_at_the_end_of_the_calendar_counts_as_now_and_wins_nothing(town: Town) -> None:
    fields = {**sample(town), "summary": "From the year 9999", "key": "0" * 15 + "1"}
    line = build_line({**fields, "at": "9999-12-31T23:59:59.999Z"})
    commit_segment(town.billing, line.raw + b"\n")
    town.peers("add", str(town.billing.path)).ok()
    later = Clone(town.root / "later")
    later.path.mkdir()
    later.git("init", "-q", "-b", "main")
    later.commit("Begin", {"src/app.py": "x\n"})
    later.init()
    later.decide("Decided now", "src/app.py")
    town.peers("add", str(later.path)).ok()
    shown = [s for p, s in town.hits("src/app.py") if p != "."]
    assert set(shown) >= {"From the year 9999", "Decided now", CACHE[1]}
    assert "just now" in town.shop.gitmem("why", "src/app.py").out


def test_text_that_acts_on_a_terminal_does_not(town: Town) -> None:
    text = "Cursed \x1b]0;owned\x07\x1b[2J\x9b31m\u202etext\u200b"
    fields = {**sample(town), "summary": text, "key": "0" * 15 + "2"}
    commit_segment(town.billing, build_line(fields).raw + b"\n")
    town.peers("add", str(town.billing.path)).ok()
    for words in (["why", "src/app.py"], ["--in", "billing", "log"]):
        out = town.shop.gitmem(*words).ok().raw_out
        assert b"Cursed" in out
        assert not {b"\x1b", b"\x07", b"\xc2\x9b", "\u202e".encode()} & {
            out[i : i + 1] for i in range(len(out))
        }
        assert b"\x1b" not in out and "\u202e".encode() not in out


def test_of_a_million_segments_a_bounded_part_is_read_and_each_pull_reads_on(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_union, "MAX_SEGMENTS", 2)
    shop = town.shop
    done = shop.call("peers", "add", str(town.billing.path)).ok()
    assert "2 records" in done.out and "gitmem peers pull billing" in done.out
    seen = []
    for _ in range(6):
        (row,) = shop.call("peers", "list", "--json").data["peers"]
        seen.append((row["records"], row["is_cut"]))
        if row["is_cut"]:
            assert row["improve"] == "gitmem peers pull billing"
            assert "not all of it is read yet" in shop.call("peers", "list").out
        shop.call("peers", "pull").ok()
    assert seen[:2] == [(2, True), (4, True)]
    assert seen[-1] == (6, False)
    assert CACHE in town.hits("src/app.py")
    town.billing.git("rm", "-q", "-r", ".gitmem/records")
    town.billing.commit("Take all of it away")
    town.billing.git("push", "-q", "origin", "main")
    rows = {hit["summary"]: hit for hit in town.why("src/store.py")["data"]["hits"]}
    assert rows["Use one writer process"]["unreviewed"]


def test_of_a_servers_peer_each_pull_reads_on_though_nothing_is_new_there(
    town: Town, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_union, "MAX_SEGMENTS", 4)
    town.shop.call("peers", "add", server.url("billing.git"), "--alias", "billing").ok()
    (before,) = town.list()
    town.shop.call("peers", "pull").ok()
    (after,) = town.list()
    assert (before["records"], before["is_cut"]) == (4, True)
    assert (after["records"], after["is_cut"]) == (6, False)


def test_records_of_another_project_are_not_taken_in(town: Town) -> None:
    """What is replayed from one project into another is set apart there."""
    fields = {
        **sample(town),
        "summary": "Replayed",
        "project": "0d9d51c4-6a5a-5b4e-9f3f-2f0c6f1f3f10",
    }
    commit_segment(town.billing, build_line(fields).raw + b"\n")
    town.peers("add", str(town.billing.path)).ok()
    assert ("billing", "Replayed") not in town.hits("src/app.py", "--all")


def test_objects_that_are_damaged_cost_only_themselves(town: Town) -> None:
    listed = town.billing.git("ls-tree", "-r", "main:.gitmem/records").splitlines()
    oid = listed[0].split()[2]
    place = town.billing.path / ".git" / "objects" / oid[:2] / oid[2:]
    place.chmod(0o644)
    place.write_bytes(b"damaged")
    writers = ["refs/gitmem", "refs/gitmem-remotes"]
    for ref in town.billing.git("for-each-ref", "--format=%(refname)", *writers).split():
        town.billing.git("update-ref", "-d", ref)
    town.peers("add", str(town.billing.path)).ok()
    (row,) = town.list()
    assert 1 <= row["records"] < 6
    town.shop.gitmem("why", "src/app.py").ok()


def test_a_peer_that_lends_its_objects_from_elsewhere_is_read_as_git_reads_it(town: Town) -> None:
    lent = town.root / "lent"
    town.shop.git("clone", "-q", "--shared", str(town.billing.path), str(lent))
    town.peers("add", str(lent)).ok()
    assert ("lent", CACHE[1]) in town.hits("src/app.py")


@pytest.mark.parametrize(
    "config",
    [
        "[core]\n\trepositoryformatversion = 99\n",
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tunheardOf = true\n",
        "[core\n",
    ],
)
def test_a_format_that_lies_is_told_and_harms_no_answer(asked: Town, config: str) -> None:
    (asked.billing.path / ".git" / "config").write_text(config)
    answer = asked.why("src/app.py")
    assert {hit["project"] for hit in answer["data"]["hits"]} >= {"."}
    done = asked.peers("pull")
    assert done.code in (0, 5, 7, 70)
    assert "Traceback" not in done.err


def test_a_memory_of_a_newer_format_is_told(town: Town) -> None:
    file = town.billing.path / ".gitmem" / "project.toml"
    file.write_text(file.read_text().replace("format = 1", "format = 9"))
    town.billing.commit("Newer")
    done = town.peers("add", str(town.billing.path), "--json").ends(8)
    assert done.error["code"] == "newer-format"
