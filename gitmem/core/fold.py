"""The fold: what the records of a union say, seen from one view.

Pure and local: the standing of a record depends only on the records that are *about* it
(see `Statement`), so a question folds the few records it touches and never the whole memory.
Commutative, associative and idempotent, because it looks at sets and never at times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import msgspec

from gitmem.core.records import Decision, Record, Tombstone

State = Literal["current", "superseded", "retracted", "reverted", "conflict", "redacted"]


class Statement(msgspec.Struct, frozen=True):
    """A record and whether the view holds it. `reverted_by` names the commit whose tree no
    longer has what an ancestor of HEAD added, where that is so."""

    record: Record
    in_view: bool
    reverted_by: str | None = None


class Standing(msgspec.Struct, frozen=True):
    """What the fold says of one record. All tuples are sorted ids.

    `superseded_elsewhere` names what would supersede or retract it, were it in the view.
    """

    state: State
    superseded_by: tuple[str, ...] = ()
    superseded_elsewhere: tuple[str, ...] = ()
    retracted_by: tuple[str, ...] = ()
    redacted_by: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()


def fold(
    statements: Iterable[Statement], wanted: Collection[str] | None = None
) -> dict[str, Standing]:
    """The standing of every record among the statements, or of the wanted ones of them.

    Exact for a record when the statements contain everything about it: tombstones on it and
    on those tombstones, what supersedes it, what shares its key or a superseded target with
    it, and what is about these.
    """
    union = _merge(statements)
    about = _About(union)
    asked = union if wanted is None else [one for one in union if one in wanted]
    return {record_id: about.standing(record_id) for record_id in asked}


def _merge(statements: Iterable[Statement]) -> dict[str, Statement]:
    """The union by id: in the view if any copy is; reverted only if no copy is in the view."""
    union: dict[str, Statement] = {}
    for new in statements:
        old = union.get(new.record.id)
        if old is None:
            union[new.record.id] = new
            continue
        reverted = [by for by in (old.reverted_by, new.reverted_by) if by is not None]
        union[new.record.id] = Statement(
            new.record, old.in_view or new.in_view, min(reverted) if reverted else None
        )
    return union


class _About:
    """The links of a union, by what they point at."""

    def __init__(self, union: Mapping[str, Statement]) -> None:
        self._union = union
        self._tombstones: dict[str, list[Tombstone]] = {}
        self._superseders: dict[str, list[Decision]] = {}
        self._by_key: dict[str, list[Decision]] = {}
        self._withdrawn: dict[str, bool] = {}
        self._current: dict[str, bool] = {}
        # (what they share, that is a key or a superseded record) → those that are current.
        self._rivals_over: dict[tuple[str, str], frozenset[str]] = {}
        for statement in union.values():
            record = statement.record
            if isinstance(record, Tombstone):
                self._tombstones.setdefault(record.target, []).append(record)
            elif isinstance(record, Decision):
                self._by_key.setdefault(record.key, []).append(record)
                for target in record.supersedes:
                    self._superseders.setdefault(target, []).append(record)

    def _tombstones_on(self, record_id: str, mode: str) -> list[Tombstone]:
        return [t for t in self._tombstones.get(record_id, ()) if t.mode == mode]

    def redacted_by(self, record_id: str) -> tuple[str, ...]:
        """Redaction is global and final: it counts wherever it stands."""
        return tuple(sorted(t.id for t in self._tombstones_on(record_id, "redact")))

    def retracted_by(self, record_id: str) -> tuple[str, ...]:
        """Retractions in the view that are not themselves retracted."""
        found = self._retractions_on(record_id)
        return tuple(sorted(t for t in found if not self._is_withdrawn(t)))

    def _is_withdrawn(self, record_id: str) -> bool:
        # Chains of retractions are as long as their author wishes, so no recursion here. A
        # tombstone has one target and an id is a hash of what it points at: this is a tree.
        known = self._withdrawn
        order = [] if record_id in known else [record_id]
        for current in order:
            order.extend(t for t in self._retractions_on(current) if t not in known)
        for current in reversed(order):
            known[current] = any(not known[t] for t in self._retractions_on(current))
        return known[record_id]

    def _retractions_on(self, record_id: str) -> list[str]:
        on_it = self._tombstones_on(record_id, "retract")
        return [t.id for t in on_it if self._union[t.id].in_view]

    def _stands(self, record: Decision) -> bool:
        """Whether a decision of the view has force: neither redacted nor retracted. What was
        withdrawn supersedes nothing, whether or not its body is still to be had."""
        return (
            self._union[record.id].in_view
            and not self.redacted_by(record.id)
            and not self.retracted_by(record.id)
        )

    def _superseded_by(self, record_id: str) -> tuple[list[str], list[str]]:
        here, elsewhere = [], []
        for superseder in self._superseders.get(record_id, ()):
            if superseder.id == record_id:
                continue
            if self._stands(superseder):
                here.append(superseder.id)
            elif self._stands_elsewhere(superseder.id):
                elsewhere.append(superseder.id)
        for retraction in self._tombstones_on(record_id, "retract"):
            if self._stands_elsewhere(retraction.id):
                elsewhere.append(retraction.id)
        return sorted(set(here)), sorted(set(elsewhere))

    def _stands_elsewhere(self, record_id: str) -> bool:
        """Outside the view, and nothing takes its force: it would count if it were merged."""
        return not (
            self._union[record_id].in_view
            or self.redacted_by(record_id)
            or self.retracted_by(record_id)
        )

    def _is_current(self, record: Decision) -> bool:
        known = self._current.get(record.id)
        if known is None:
            known = self._stands(record) and not self._superseded_by(record.id)[0]
            self._current[record.id] = known
        return known

    def _rivals(self, record: Decision) -> tuple[str, ...]:
        """Other current decisions with the same key, or that supersede the same one."""
        found = set(self._current_over("key", record.key, self._by_key.get(record.key, ())))
        for target in record.supersedes:
            found |= self._current_over("target", target, self._superseders.get(target, ()))
        found.discard(record.id)
        return tuple(sorted(found))

    def _current_over(self, kind: str, name: str, rivals: Iterable[Decision]) -> frozenset[str]:
        """Worked out once for all that share it: thousands may share one key."""
        known = self._rivals_over.get((kind, name))
        if known is None:
            known = frozenset(rival.id for rival in rivals if self._is_current(rival))
            self._rivals_over[kind, name] = known
        return known

    def standing(self, record_id: str) -> Standing:
        statement = self._union[record_id]
        here, elsewhere = self._superseded_by(record_id)
        retracted = self.retracted_by(record_id)
        redacted = self.redacted_by(record_id)
        rivals: tuple[str, ...] = ()
        state: State = "current"
        if redacted:
            state = "redacted"
        elif retracted:
            state = "retracted"
        elif statement.reverted_by is not None and not statement.in_view:
            state = "reverted"
        elif here:
            state = "superseded"
        elif isinstance(statement.record, Decision) and statement.in_view:
            rivals = self._rivals(statement.record)
            state = "conflict" if rivals else "current"
        return Standing(state, tuple(here), tuple(elsewhere), retracted, redacted, rivals)
