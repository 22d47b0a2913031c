"""`impact`: what rests on a file, a decision, a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.commandline import Clone


def impact(clone: Clone, *words: str) -> Any:
    return clone.gitmem("impact", "--json", *words).ok().data


def test_of_a_file_it_tells_decisions_what_points_at_them_and_what_changes_with_it(
    ada: Clone,
) -> None:
    first = ada.decide("Cache by tenant", "app.py")
    for number in range(3):
        ada.commit(f"Change {number}", {"app.py": f"{number}\n", "near.py": f"{number}\n"})
    ada.commit("Licence year", {f"f{number}.py": "x\n" for number in range(60)} | {"app.py": "y\n"})
    ada.commit("Again", {f"f{number}.py": "z\n" for number in range(60)} | {"app.py": "z\n"})
    link = ada.decide("Limits", "limits.py", "--why", f"Follows from [[{first[:12]}]].")
    data = impact(ada, "app.py")
    assert (data["kind"], [hit["id"] for hit in data["hits"]]) == ("file", [first])
    assert data["together"] == [{"path": "near.py", "commits": 3, "of": 5}]
    assert [(one["hit"]["id"], one["link"]) for one in data["dependents"]] == [(link, "wikilink")]
    shown = ada.gitmem("impact", "app.py").ok().out
    assert "near.py  3 of 5 commits" in shown and "Limits" in shown


def test_of_a_renamed_file_it_knows_the_former_name(ada: Clone) -> None:
    ada.commit("Write", {"old.py": "a\nb\nc\nd\n", "friend.py": "1\n"})
    ada.commit("Both", {"old.py": "a\nb\nc\ne\n", "friend.py": "2\n"})
    record = ada.decide("Of the old name", "other.py", "old.py")
    ada.git("mv", "old.py", "new.py")
    ada.commit("Move")
    data = impact(ada, "new.py")
    assert [hit["id"] for hit in data["hits"]] == [record]
    assert [one["path"] for one in data["together"]] == ["friend.py"]


def test_files_that_moved_together_count_under_their_later_names(ada: Clone) -> None:
    for number in range(2):
        files = {"lib/app.py": f"a\nb\nc\n{number}\n", "lib/near.py": f"d\ne\nf\n{number}\n"}
        ada.commit(f"Change {number}", files)
    ada.git("mv", "lib", "src")
    ada.commit("Move")
    ada.commit("Again", {"src/app.py": "a\nb\nc\n9\n", "src/near.py": "d\ne\nf\n9\n"})
    assert impact(ada, "src/app.py")["together"] == [{"path": "src/near.py", "commits": 4, "of": 4}]
    assert ada.gitmem("impact", "src").ok().out.startswith("src/ (folder)")


def test_of_a_decision_it_tells_before_after_files_and_commits(ada: Clone) -> None:
    first = ada.decide("Cache by URL", "app.py")
    second = ada.decide("Cache by tenant", "app.py", "--supersedes", first)
    third = ada.decide("Cache by region", "app.py", "--supersedes", second)
    data = impact(ada, second[:10])
    assert [hit["id"] for hit in data["supersedes"]] == [first]
    assert [hit["id"] for hit in data["superseded_by"]] == [third]
    assert data["files"] == ["app.py"]
    assert data["commits"] == [ada.git("rev-parse", "HEAD~1")]
    assert data["dependents"] == []


def test_of_an_address_it_tells_the_decisions_that_speak_of_it(ada: Clone) -> None:
    url = "https://example.com/spec?v=2"
    record = ada.decide("Follow it", "app.py", "--why", f"As {url} asks.")
    ada.decide("Another example spec", "b.py", "--why", "https://example.com/spec")
    data = impact(ada, url)
    assert (data["kind"], [hit["id"] for hit in data["hits"]]) == ("source", [record])


def test_of_a_page_it_tells_what_links_to_it(ada: Clone) -> None:
    config: Path = ada.home / "config.toml"
    config.write_text('[notes]\nfolders = ["notes"]\n')
    ada.write("notes/tenancy.md", "# Tenancy\n\nOne row for each.\n")
    record = ada.decide("Cache by tenant", "app.py", "--why", "See [[tenancy]].")
    data = impact(ada, "tenancy", "--as", "topic")
    assert record in {one["hit"]["id"] for one in data["dependents"]} | {
        hit["id"] for hit in data["hits"]
    }


def test_what_is_nowhere_is_not_found_and_a_commit_is_shown_the_way(ada: Clone) -> None:
    assert ada.gitmem("--json", "impact", "nowhere.py").ends(4).error["code"] == "not-found"
    assert "gitmem why" in ada.gitmem("impact", ada.head()[:10]).ends(2).err


def test_it_works_before_there_is_a_memory(bare_history: Clone) -> None:
    bare_history.commit("A", {"app.py": "1\n", "b.py": "1\n"})
    bare_history.commit("B", {"app.py": "2\n", "b.py": "2\n"})
    assert impact(bare_history, "app.py")["together"][0]["path"] == "b.py"
