"""Idle writers: what they recorded stays, their refs go."""

from __future__ import annotations

from tests.support.commandline import Team

LONG_AGO = {"GITMEM_NOW": "2020-01-01T00:00:00.000Z"}


def _writers(team: Team) -> list[str]:
    return [ref for ref in team.refs() if ref.startswith("refs/gitmem/w/")]


def test_an_idle_writers_records_are_taken_over_and_its_ref_goes(team: Team) -> None:
    ada, ben = team.start("Ada"), team.clone("Ben")
    record_id = ben.gitmem("--json", "capture", "-m", "Old", "app.py", env=LONG_AGO).data["id"]
    ben.gitmem("push").ok()
    (old,) = _writers(team)
    planned = ada.gitmem("--json", "maintain", "--retire", "30", "--dry-run").data
    assert planned["writers"] == [old.rpartition("/")[2]]
    assert _writers(team) == [old]
    said = ada.gitmem("maintain", "--retire", "30").ok().out
    assert "Took over 1 record of 1 idle writer" in said
    (left,) = _writers(team)
    assert left != old
    carl = team.clone("Carl")
    carl.gitmem("pull").ok()
    hits = carl.gitmem("--json", "why", "app.py").data["hits"]
    assert record_id in [hit["id"] for hit in hits]
    assert ada.gitmem("maintain", "--retire", "30").ok().out.startswith("No writer")


def test_a_writer_that_is_at_work_is_left_alone(team: Team) -> None:
    ada, ben = team.start("Ada"), team.clone("Ben")
    ben.capture("New", "app.py")
    ben.gitmem("push").ok()
    before = team.refs()
    assert "No writer has been idle" in ada.gitmem("maintain", "--retire", "30").ok().out
    assert team.refs() == before
