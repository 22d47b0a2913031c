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
