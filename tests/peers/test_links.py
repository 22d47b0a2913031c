"""What peers say about a file, commit or record of ours: `related` and `changelog`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.peers.conftest import Town

TOTALS = ("billing", "Ask for totals")
LINK = "example.com/acme/shop:src/total.py"


def related(town: Town, target: str, *words: str) -> list[dict[str, Any]]:
    rows = town.shop.gitmem("--json", "related", target, *words).ok().data["hits"]
    assert isinstance(rows, list)
    return rows


def shown(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(row["project"], row["summary"]) for row in rows]


def test_a_peers_link_to_a_file_is_related_to_it_and_to_no_other(asked: Town) -> None:
    rows = related(asked, "src/total.py")
    assert shown(rows)[0] == TOTALS
    assert rows[0]["mention"] == LINK
    assert TOTALS not in shown(related(asked, "src/plain.py"))
    text = asked.shop.gitmem("related", "src/total.py").ok().out
    assert "[billing]" in text and f"about {LINK}" in text


def test_what_just_names_us_comes_last(asked: Town) -> None:
    rows = related(asked, "src/total.py")
    assert [row["mention"] for row in rows if row["project"] == "billing"] == [LINK, "acme-shop"]


@pytest.mark.parametrize("digits", [7, 9, 12, 40])
def test_a_peer_that_names_a_commit_of_ours_is_related_to_it(asked: Town, digits: int) -> None:
    oid = asked.shop.head()
    asked.billing.decide("Follow the shop", "src/f.py", "--why", f"As of {oid[:digits]}, it did.")
    asked.billing.decide("Follow nothing", "src/g.py", "--why", f"Not {oid[:6]}.")
    rows = related(asked, "HEAD")
    assert ("billing", "Follow the shop") in shown(rows)
    assert ("billing", "Follow nothing") not in shown(rows)
    assert next(r for r in rows if r["summary"] == "Follow the shop")["mention"] == oid


def test_all_who_name_one_commit_are_found_however_they_shorten_it(asked: Town) -> None:
    oid = asked.shop.head()
    for digits in (7, 12, 40):
        why = f"Since {oid[:digits]}."
        asked.billing.decide(f"With {digits} digits", "src/f.py", "--why", why)
    found = shown(related(asked, "HEAD"))
    assert {("billing", f"With {digits} digits") for digits in (7, 12, 40)} <= set(found)


def test_a_peer_that_names_a_record_of_ours_is_related_to_it(asked: Town) -> None:
    own = asked.shop.gitmem("--json", "log", "--no-peers").data["hits"][0]["id"]
    asked.billing.decide("As the shop decided", "src/f.py", "--why", f"See {own[:12]}.")
    assert ("billing", "As the shop decided") in shown(related(asked, own))


def test_flags_and_limit_hold_for_what_is_related(asked: Town) -> None:
    assert all(row["project"] == "." for row in related(asked, "src/app.py", "--no-peers"))
    asked.peers("add", str(asked.bare), "--alias", "other").ok()
    only = related(asked, "src/total.py", "--peer", "other")
    assert {row["project"] for row in only} - {"."} == {"other"}
    ids = [row["id"] for row in related(asked, "src/total.py") if row["id"]]
    assert len(ids) == len(set(ids))
    for number in range(4):
        asked.shop.decide(f"Total {number}", "src/total.py")
    few = related(asked, "src/total.py", "-n", "3")
    assert len(few) == 3 and shown(few)[-1][0] in ("billing", "other")
    asked.shop.gitmem("related", "src/total.py", "--peer", "nobody").ends(4)


def changelog(town: Town, *words: str) -> list[tuple[str, str]]:
    data = town.shop.gitmem("--json", "changelog", *words).ok().data
    return [(row["project"], row["summary"]) for row in data["peers"]]


def test_a_changelog_lists_what_peers_say_of_its_files_and_commits_apart(asked: Town) -> None:
    start = asked.shop.head()
    asked.shop.commit("Total in cents", {"src/total.py": "cents\n"})
    oid = asked.shop.head()
    asked.billing.decide("Follow the shop", "src/f.py", "--why", f"Since {oid[:9]} it has cents.")
    asked.billing.decide("Old news", "src/f.py", "--why", f"Since {start[:9]}.")
    asked.billing.git("push", "-q", "origin", "main")
    alone = asked.shop.gitmem("--json", "changelog", f"{start}..HEAD").ok().data
    data = asked.shop.gitmem("--json", "changelog", "--peers", f"{start}..HEAD").ok().data
    rows = {row["summary"]: row for row in data["peers"]}
    assert set(rows) == {"Ask for totals", "Follow the shop"}
    assert rows["Ask for totals"]["path"] == "src/total.py"
    assert rows["Follow the shop"]["commit"] == oid
    assert {row["project"] for row in rows.values()} == {"billing"}
    assert alone["peers"] == []
    assert {**data, "peers": []} == alone
    text = asked.shop.gitmem("changelog", "--peers", f"{start}..HEAD").ok().out
    assert "### From other projects" in text and "- billing: **Ask for totals.**" in text
    assert "other projects" not in asked.shop.gitmem("changelog", f"{start}..HEAD").ok().out


def test_a_changelog_asks_the_peers_that_are_named(asked: Town) -> None:
    asked.peers("add", str(asked.bare), "--alias", "other").ok()
    assert changelog(asked, "HEAD", "--peer", "other") == [("other", "Ask for totals")]
    assert changelog(asked, "HEAD") == []
    asked.shop.gitmem("changelog", "HEAD", "--peer", "nobody").ends(4)


def test_a_changelog_has_no_peers_decision_that_was_withdrawn_or_never_merged(asked: Town) -> None:
    billing, link = asked.billing, "[[example.com/acme/shop:src/plain.py]]"
    old = billing.decide("First thought", "src/f.py", "--why", link)
    billing.decide("Second thought", "src/f.py", "--supersedes", old)
    billing.git("push", "-q", "origin", "main")
    billing.git("checkout", "-q", "-b", "feat/y")
    billing.decide("Unmerged", "src/f.py", "--why", link)
    billing.git("checkout", "-q", "main")
    assert changelog(asked, "HEAD", "--peers") == [("billing", "Ask for totals")]
    states = {row["summary"]: row["state"] for row in related(asked, "src/plain.py")}
    assert (states["First thought"], states["Unmerged"]) == ("superseded", "current")


def test_a_peers_words_have_no_effect_in_a_changelog(asked: Town) -> None:
    link = "[[example.com/acme/shop:src/plain.py]]"
    asked.billing.decide("Bad <script> @all", "src/f.py", "--why", f"See {link}\n\n## Fixed")
    asked.billing.git("push", "-q", "origin", "main")
    text = asked.shop.gitmem("changelog", "HEAD", "--peers").ok().out
    row = next(line for line in text.splitlines() if "Bad" in line)
    assert "<script" not in row and "@all" not in row
    assert "\n## Fixed" not in text
