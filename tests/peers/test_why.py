"""`why` across peers: by path, by what they say about us, within limits, each record once."""

from __future__ import annotations

import json

from tests.peers.conftest import Town

CACHE = ("billing", "Cache keyed by tenant")
OWN = (".", "Sessions in cookies")


def test_a_decision_on_the_same_path_is_seen_from_another_project(asked: Town) -> None:
    assert asked.hits("src/app.py")[:2] == [OWN, CACHE]
    text = asked.shop.gitmem("why", "src/app.py").ok().out
    assert "* [billing] Cache keyed by tenant" in text


def test_what_names_our_package_is_seen_at_any_file_and_says_so(asked: Town) -> None:
    answer = asked.why("src/plain.py")["data"]
    named = [hit for hit in answer["hits"] if hit["project"] == "billing"]
    assert [hit["summary"] for hit in named] == ["Round half even"]
    assert named[0]["mention"] == "acme-shop"
    assert "about acme-shop" in asked.shop.gitmem("why", "src/plain.py").out


def test_a_link_to_a_file_of_ours_leads_there_and_at_no_other_file(asked: Town) -> None:
    hits = asked.why("src/total.py")["data"]["hits"]
    first = next(hit for hit in hits if hit["project"] == "billing")
    assert first["summary"] == "Ask for totals"
    assert first["mention"] == "example.com/acme/shop:src/total.py"
    assert ("billing", "Ask for totals") not in asked.hits("src/plain.py")


def test_a_folder_is_asked_about_at_peers_too(asked: Town) -> None:
    found = asked.hits("src", "--all")
    assert CACHE in found and ("billing", "Use one writer process") in found


def test_a_path_that_only_a_peer_knows_is_no_unknown_path(asked: Town) -> None:
    answer = asked.why("src/store.py")["data"]
    assert answer["is_known"]
    assert ("billing", "Use one writer process") in asked.hits("src/store.py")


def test_a_peers_own_supersession_counts_and_its_unmerged_branch_does_not(asked: Town) -> None:
    rows = {hit["summary"]: hit for hit in asked.why("src/store.py")["data"]["hits"]}
    assert rows["Use WAL"]["state"] == "superseded"
    elsewhere = {hit["summary"]: hit for hit in asked.why("src/app.py", "--all")["data"]["hits"]}
    dropped = elsewhere["Drop the cache"]
    assert (dropped["where"], dropped["unreviewed"]) == ("elsewhere", True)
    assert elsewhere[CACHE[1]]["state"] == "current"
    assert not elsewhere[CACHE[1]]["unreviewed"]


def test_a_peers_tombstone_says_nothing_of_our_records(asked: Town) -> None:
    """Whoever writes to a peer cannot silence us, whatever record is named there."""
    own = asked.shop.gitmem("--json", "log").data["hits"][0]["id"]
    billing = asked.billing
    lines = [
        line for file in billing.path.rglob("*.ndjson") for line in file.read_text().splitlines()
    ]
    victim = json.loads(lines[0])["id"]
    done = billing.gitmem("redact", victim[:12], "-m", "gone", "--yes")
    assert done.code == 0, done
    billing.gitmem("capture", "-m", "Says it supersedes yours", "src/app.py", "--flush").ok()
    billing.commit("More")
    hit = next(h for h in asked.why("src/app.py")["data"]["hits"] if h["id"] == own)
    assert hit["state"] == "current" and not hit["superseded_elsewhere"]


def test_limits_apply_after_the_merge_and_a_peers_best_keeps_a_place(asked: Town) -> None:
    for number in range(5):
        asked.shop.decide(f"Own decision {number}", "src/app.py")
    answer = asked.why("src/app.py")["data"]
    decisions = [hit for hit in answer["hits"] if hit["kind"] == "decision"]
    assert [hit["project"] for hit in decisions] == [".", ".", ".", ".", "billing"]
    assert answer["more_decisions"] >= 2
    assert {p for p, _ in asked.hits("src/app.py", "--limit", "1")} == {"."}


def test_flags_choose_who_is_asked(asked: Town) -> None:
    asked.peers("add", str(asked.bare), "--alias", "other").ok()
    assert {p for p, _ in asked.hits("src/app.py", "--no-peers")} == {"."}
    assert {p for p, _ in asked.hits("src/app.py", "--peer", "other")} == {".", "other"}
    done = asked.shop.gitmem("why", "src/app.py", "--peer", "nobody", "--json").ends(4)
    assert done.error["code"] == "not-found"


def test_a_project_can_switch_federation_off(asked: Town) -> None:
    file = asked.shop.path / ".gitmem" / "project.toml"
    file.write_text(file.read_text() + "\n[federation]\nenabled = false\n")
    assert {p for p, _ in asked.hits("src/app.py")} == {"."}
    assert "billing" in {p for p, _ in asked.hits("src/app.py", "--peers")}


def test_the_same_project_at_several_addresses_shows_no_record_twice(asked: Town) -> None:
    done = asked.peers("add", str(asked.bare), f"file://{asked.bare}").ok()
    assert "The same project as billing" in done.out
    ids = [hit["id"] for hit in asked.why("src/app.py", "--all")["data"]["hits"] if hit["id"]]
    assert len(ids) == len(set(ids))
    assert all(row["same_as"] for row in asked.list())


def test_oneself_among_the_peers_adds_nothing(asked: Town) -> None:
    before = asked.hits("src/app.py")
    done = asked.peers("add", ".").ok()
    assert "this project" in done.out
    copy = asked.root / "copy"
    asked.shop.git("clone", "-q", str(asked.shop.path), str(copy))
    asked.peers("add", str(copy)).ok()
    assert asked.hits("src/app.py") == before


def test_what_a_peer_commits_is_in_the_next_answer(asked: Town) -> None:
    asked.billing.decide("Cache for an hour", "src/app.py")
    assert ("billing", "Cache for an hour") in asked.hits("src/app.py")


def test_the_same_question_has_the_same_answer_byte_for_byte(asked: Town) -> None:
    first, second = (
        asked.shop.gitmem("--json", "why", "src/app.py", env={"GITMEM_NOW": "2030-01-01T00:00:00Z"})
        for _ in range(2)
    )
    assert first.raw_out == second.raw_out


def test_a_commit_or_record_is_no_question_for_peers(asked: Town) -> None:
    assert asked.hits(asked.shop.head())[:1] == [OWN]
    assert all(project == "." for project, _ in asked.hits(asked.shop.head()))


def test_questions_work_from_a_repository_without_memory(asked: Town) -> None:
    plain = asked.root / "plain"
    asked.shop.git("init", "-q", str(plain))
    asked.shop.path = plain
    asked.shop.commit("Begin", {"src/app.py": "x\n"})
    assert CACHE in asked.hits("src/app.py")
