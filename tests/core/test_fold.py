"""The fold: laws that hold for any union, and its rules one by one."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.core.fold import Standing, Statement, _About, fold
from gitmem.core.records import Actor, Decision, Line, Other, Record, Tombstone
from tests.support.records import make_decision, make_tombstone

ACTOR = Actor("Ada")
AT = "2026-01-02T03:04:05.678Z"


def _decision(number: int, key: int, supersedes: Iterable[int] = ()) -> Decision:
    return Decision(
        f"{number:064x}",
        1,
        "p",
        AT,
        number + 1,
        ACTOR,
        f"{key:016x}",
        "decision",
        f"Decision {number}",
        (),
        "human",
        supersedes=tuple(f"{target:064x}" for target in supersedes),
    )


def _tombstone(number: int, target: int, mode: str) -> Tombstone:
    return Tombstone(f"{number:064x}", 1, "p", AT, number + 1, ACTOR, f"{target:064x}", mode)  # type: ignore[arg-type]


@st.composite
def unions(draw: st.DrawFn) -> list[Statement]:
    """Records that point only at earlier ones, as hashes make it, in all kinds of places."""
    statements = []
    for number in range(draw(st.integers(1, 10))):
        earlier = st.integers(0, number - 1) if number else st.nothing()
        record: Record
        if number and draw(st.booleans()):
            mode = draw(st.sampled_from(["retract", "retract", "retract", "redact"]))
            record = _tombstone(number, draw(earlier), mode)
        else:
            targets = draw(st.lists(earlier, max_size=2, unique=True)) if number else []
            record = _decision(number, draw(st.integers(0, 3)), targets)
        by = draw(st.none() | st.sampled_from(["c1", "c2"]))
        statements.append(Statement(record, draw(st.booleans()), by))
    return statements


@given(unions(), st.randoms(use_true_random=False))
def test_the_order_of_statements_does_not_matter(
    union: list[Statement], chance: random.Random
) -> None:
    shuffled = union[:]
    chance.shuffle(shuffled)
    assert fold(shuffled) == fold(union)


@given(unions())
def test_saying_a_thing_twice_changes_nothing(union: list[Statement]) -> None:
    assert fold(union + union) == fold(union)


@given(unions(), st.data())
def test_places_may_be_merged_in_any_grouping(union: list[Statement], data: st.DataObject) -> None:
    """The same record in several places, each place saying what it sees of it."""
    copies = [
        Statement(one.record, data.draw(st.booleans()), data.draw(st.none() | st.just("c3")))
        for one in union
    ]
    a, b = union, copies
    assert fold(a + b) == fold(b + a) == fold(a + b + a) == fold([*b[:3], *a, *b])


def _closure(union: list[Statement], start: str) -> list[Statement]:
    """What `fold` asks for to be exact: all that is about a record, until nothing is added."""
    by_id = {one.record.id: one for one in union}
    found, todo = {start}, [start]

    def add(record_id: str) -> None:
        if record_id in by_id and record_id not in found:
            found.add(record_id)
            todo.append(record_id)

    while todo:
        current = by_id[todo.pop()].record
        for other in (one.record for one in union):
            if isinstance(other, Tombstone) and other.target == current.id:
                add(other.id)
            if not isinstance(other, Decision):
                continue
            if current.id in other.supersedes:
                add(other.id)
            if isinstance(current, Decision) and (
                other.key == current.key or set(other.supersedes) & set(current.supersedes)
            ):
                add(other.id)
    return [by_id[one] for one in found]


@given(unions())
@settings(max_examples=200)
def test_a_neighbourhood_says_of_a_record_what_the_whole_union_says(
    union: list[Statement],
) -> None:
    whole = fold(union)
    for record_id, standing in whole.items():
        assert fold(_closure(union, record_id))[record_id] == standing


@given(unions())
def test_ids_are_sorted_and_every_record_has_a_standing(union: list[Statement]) -> None:
    whole = fold(union)
    assert set(whole) == {one.record.id for one in union}
    for standing in whole.values():
        for ids in (
            standing.superseded_by,
            standing.superseded_elsewhere,
            standing.retracted_by,
            standing.redacted_by,
            standing.conflicts_with,
        ):
            assert list(ids) == sorted(set(ids))


@given(unions())
def test_a_redaction_is_final_whatever_else_arrives(union: list[Statement]) -> None:
    redacted = {record_id for record_id, one in fold(union).items() if one.redacted_by}
    for size in range(len(union)):
        part = fold(union[: size + 1])
        assert {record_id for record_id, one in part.items() if one.redacted_by} <= redacted
    assert all(fold(union)[record_id].state == "redacted" for record_id in redacted)


# --- the rules ------------------------------------------------------------------------------


def _here(*lines: Line) -> list[Statement]:
    return [Statement(line.record, True) for line in lines]


def _elsewhere(*lines: Line) -> list[Statement]:
    return [Statement(line.record, False) for line in lines]


OLD = make_decision(summary="Old", key="00000000000000aa")
NEW = make_decision(summary="New", key="00000000000000bb", supersedes=[OLD.id], seq=2)


def test_nothing_about_it_means_current() -> None:
    assert fold(_here(OLD))[OLD.id] == Standing("current")
    assert fold([]) == {}


def test_a_record_outside_the_view_is_current_where_it_stands() -> None:
    assert fold(_elsewhere(OLD))[OLD.id] == Standing("current")


def test_a_replacement_in_the_view_supersedes() -> None:
    both = fold(_here(OLD, NEW))
    assert both[OLD.id] == Standing("superseded", superseded_by=(NEW.id,))
    assert both[NEW.id] == Standing("current")


def test_a_replacement_on_another_branch_is_named_and_changes_nothing() -> None:
    both = fold(_here(OLD) + _elsewhere(NEW))
    assert both[OLD.id] == Standing("current", superseded_elsewhere=(NEW.id,))


def test_a_retraction_in_the_view_hides() -> None:
    gone = make_tombstone(OLD.id)
    both = fold(_here(OLD, gone))
    assert both[OLD.id] == Standing("retracted", retracted_by=(gone.id,))
    assert both[gone.id] == Standing("current")


def test_a_retraction_on_another_branch_is_named_and_changes_nothing() -> None:
    gone = make_tombstone(OLD.id)
    both = fold(_here(OLD) + _elsewhere(gone))
    assert both[OLD.id] == Standing("current", superseded_elsewhere=(gone.id,))


def test_a_retraction_that_is_retracted_restores() -> None:
    gone = make_tombstone(OLD.id)
    back = make_tombstone(gone.id, seq=3)
    state = fold(_here(OLD, gone, back))
    assert state[OLD.id] == Standing("current")
    assert state[gone.id].state == "retracted"
    again = make_tombstone(back.id, seq=4)
    assert fold(_here(OLD, gone, back, again))[OLD.id].state == "retracted"


def test_a_restoration_on_another_branch_restores_nothing_here() -> None:
    gone = make_tombstone(OLD.id)
    back = make_tombstone(gone.id, seq=3)
    assert fold(_here(OLD, gone) + _elsewhere(back))[OLD.id].state == "retracted"


def test_one_of_two_retractions_is_enough() -> None:
    one, two = make_tombstone(OLD.id, reason="a"), make_tombstone(OLD.id, reason="b")
    back = make_tombstone(one.id, seq=3)
    assert fold(_here(OLD, one, two, back))[OLD.id] == Standing("retracted", retracted_by=(two.id,))


def test_a_retracted_replacement_supersedes_nothing() -> None:
    gone = make_tombstone(NEW.id, seq=3)
    assert fold(_here(OLD, NEW, gone))[OLD.id] == Standing("current")
    assert fold(_here(OLD, gone) + _elsewhere(NEW))[OLD.id] == Standing("current")


@pytest.mark.parametrize("tombstone_is_here", [True, False])
@pytest.mark.parametrize("record_is_here", [True, False])
def test_a_redaction_counts_wherever_it_stands(
    tombstone_is_here: bool, record_is_here: bool
) -> None:
    secret = make_tombstone(OLD.id, "redact")
    union = [Statement(secret.record, tombstone_is_here), Statement(OLD.record, record_is_here)]
    assert fold(union)[OLD.id] == Standing("redacted", redacted_by=(secret.id,))


def test_a_redaction_cannot_be_taken_back() -> None:
    secret = make_tombstone(OLD.id, "redact")
    for mode in ("retract", "redact"):
        back = make_tombstone(secret.id, mode, seq=3)
        assert fold(_here(OLD, secret, back))[OLD.id].state == "redacted"


def test_a_redacted_replacement_supersedes_nothing() -> None:
    secret = make_tombstone(NEW.id, "redact", seq=3)
    assert fold(_here(OLD, NEW) + _elsewhere(secret))[OLD.id] == Standing("current")
    assert fold(_here(OLD) + _elsewhere(NEW, secret))[OLD.id] == Standing("current")


def test_two_that_replace_one_are_both_current_and_in_conflict() -> None:
    other = make_decision(summary="Other", key="00000000000000cc", supersedes=[OLD.id], seq=2)
    state = fold(_here(OLD, NEW, other))
    assert state[NEW.id] == Standing("conflict", conflicts_with=(other.id,))
    assert state[other.id] == Standing("conflict", conflicts_with=(NEW.id,))
    assert state[OLD.id].superseded_by == tuple(sorted((NEW.id, other.id)))


def test_two_that_share_a_key_are_both_current_and_in_conflict() -> None:
    twin = make_decision(summary="Twin", key="00000000000000aa", seq=2)
    state = fold(_here(OLD, twin))
    assert state[OLD.id] == Standing("conflict", conflicts_with=(twin.id,))
    assert state[twin.id] == Standing("conflict", conflicts_with=(OLD.id,))


def test_an_edit_shares_the_key_and_is_no_conflict() -> None:
    edit = make_decision(summary="Edit", key="00000000000000aa", supersedes=[OLD.id], seq=2)
    state = fold(_here(OLD, edit))
    assert (state[OLD.id].state, state[edit.id].state) == ("superseded", "current")


def test_what_is_elsewhere_is_in_conflict_with_nothing_here() -> None:
    twin = make_decision(summary="Twin", key="00000000000000aa", seq=2)
    state = fold(_here(OLD) + _elsewhere(twin))
    assert (state[OLD.id].state, state[twin.id].state) == ("current", "current")


def test_a_conflict_ends_when_one_side_is_replaced_or_retracted() -> None:
    twin = make_decision(summary="Twin", key="00000000000000aa", seq=2)
    for end in (
        make_tombstone(twin.id, seq=3),
        make_decision(summary="End", key="00000000000000dd", supersedes=[twin.id], seq=3),
    ):
        assert fold(_here(OLD, twin, end))[OLD.id] == Standing("current")


def test_what_an_ancestor_added_and_the_view_lacks_is_reverted() -> None:
    assert fold([Statement(OLD.record, False, "c1")])[OLD.id] == Standing("reverted")


def test_a_copy_in_the_view_is_not_reverted() -> None:
    union = [Statement(OLD.record, False, "c1"), Statement(OLD.record, True)]
    assert fold(union)[OLD.id] == Standing("current")


def test_a_reverted_replacement_supersedes_nothing() -> None:
    union = [*_here(OLD), Statement(NEW.record, False, "c1")]
    assert fold(union)[OLD.id].state == "current"


def test_times_and_seq_decide_nothing() -> None:
    late = make_decision(
        summary="New", key="00000000000000bb", supersedes=[OLD.id], at="1970-01-01T00:00:00.000Z"
    )
    assert fold(_here(OLD, late))[OLD.id].state == "superseded"


def test_records_of_unknown_kinds_stand_and_can_be_withdrawn() -> None:
    other = Other("f" * 64, 3, "topic", "p", AT, 1, ACTOR)
    gone = make_tombstone("f" * 64)
    assert fold([Statement(other, True)])["f" * 64].state == "current"
    assert fold([Statement(other, True), *_here(gone)])["f" * 64].state == "retracted"


def test_a_tombstone_on_what_is_not_here_is_harmless() -> None:
    gone = make_tombstone("e" * 64)
    assert fold(_here(gone)) == {gone.id: Standing("current")}


@pytest.mark.parametrize(("length", "state"), [(50_000, "current"), (50_001, "retracted")])
def test_a_long_chain_of_retractions_is_followed_to_its_end(length: int, state: str) -> None:
    chain: list[Record] = [_decision(0, 0)]
    chain += [_tombstone(number, number - 1, "retract") for number in range(1, length + 1)]
    assert fold(Statement(record, True) for record in chain)[f"{0:064x}"].state == state


def test_a_long_line_of_replacements_leaves_one_current() -> None:
    line = [_decision(n, n, [n - 1] if n else []) for n in range(5000)]
    states = fold(Statement(record, True) for record in line)
    assert [r.id for r in line if states[r.id].state == "current"] == [line[-1].id]


def test_a_key_that_thousands_share_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    real = _About._is_current

    def counted(about: _About, record: Decision) -> bool:
        nonlocal asked
        asked += 1
        return real(about, record)

    monkeypatch.setattr(_About, "_is_current", counted)
    decisions = [_decision(number, key=1, supersedes=[9999]) for number in range(50)]
    state = fold([Statement(one, True) for one in decisions])
    assert all(len(one.conflicts_with) == 49 for one in state.values())
    assert asked <= 4 * len(decisions)


def test_only_the_wanted_ones_are_told() -> None:
    union = _here(OLD, NEW)
    assert fold(union, {OLD.id}) == {OLD.id: fold(union)[OLD.id]}
