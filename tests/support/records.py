"""Valid records for tests: builders with good defaults, and hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gitmem.core.codec import build_line
from gitmem.core.records import DECISION_TYPES, Line

PROJECT = "0d9d51c4-6a5a-5b4e-9f3f-2f0c6f1f3f10"
AT = "2026-01-02T03:04:05.678Z"


def decision_fields(**changes: Any) -> dict[str, Any]:
    """The fields of a decision without `id`; `changes` replace or add, None leaves out."""
    fields = {
        "v": 1,
        "kind": "decision",
        "project": PROJECT,
        "at": AT,
        "seq": 1,
        "actor": {"name": "Ada", "email": "ada@example.com"},
        "key": "00112233445566ff",
        "type": "decision",
        "summary": "Cache keyed by tenant",
        "paths": [{"path": "src/app.py"}],
        "captured_by": "human",
    }
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not None}


def make_decision(**changes: Any) -> Line:
    """A decision as a verified line."""
    return build_line(decision_fields(**changes))


def tombstone_fields(target: str, mode: str = "retract", **changes: Any) -> dict[str, Any]:
    """The fields of a tombstone without `id`."""
    fields = {
        "v": 1,
        "kind": "tombstone",
        "project": PROJECT,
        "at": AT,
        "seq": 2,
        "actor": {"name": "Ada"},
        "target": target,
        "mode": mode,
        "reason": "",
    }
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not None}


def make_tombstone(target: str, mode: str = "retract", **changes: Any) -> Line:
    """A tombstone as a verified line."""
    return build_line(tombstone_fields(target, mode, **changes))


def make_decisions(count: int, **changes: Any) -> list[Line]:
    """That many different decisions with rising seq and keys of their own."""
    return [
        make_decision(**{"seq": n, "key": f"{n:016x}", "summary": f"Decision {n}", **changes})
        for n in range(1, count + 1)
    ]


# --- hypothesis ---------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
KEYS = st.text(st.characters(max_codepoint=127), max_size=12)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | INTEGERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
IDS = st.text("0123456789abcdef", min_size=64, max_size=64)
LINES_OF_TEXT = TEXT.map(lambda text: "x" + text.replace("\n", " "))
PATHS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1)
    .map(lambda part: part[:20])
    .filter(lambda part: part not in (".", "..")),
    min_size=1,
    max_size=3,
).map("/".join)
AT_TIMES = st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
ACTORS = st.fixed_dictionaries(
    {"name": TEXT.map(lambda text: "x" + text)},
    optional={"email": TEXT, "agent": TEXT, "model": TEXT, "extra": VALUES},
)
SPANS = st.tuples(st.integers(1, 10**6), st.integers(0, 100)).map(lambda s: [s[0], s[0] + s[1]])
PATH_REFS = st.fixed_dictionaries(
    {"path": PATHS}, optional={"blob": IDS, "lines": st.lists(SPANS, max_size=3), "more": VALUES}
)
_COMMON = {
    "v": st.just(1),
    "project": st.just(PROJECT),
    "at": AT_TIMES,
    "seq": st.integers(1, 2**48),
    "actor": ACTORS,
}
DECISIONS = st.fixed_dictionaries(
    {
        **_COMMON,
        "kind": st.just("decision"),
        "key": st.text("0123456789abcdef", min_size=16, max_size=16),
        "type": st.sampled_from([*DECISION_TYPES, "ritual"]),
        "summary": LINES_OF_TEXT,
        "paths": st.lists(PATH_REFS, max_size=3),
        "captured_by": st.sampled_from(["human", "agent", "import"]),
    },
    optional={
        "why": TEXT,
        "branch": TEXT,
        "base": IDS,
        "rejected": st.lists(
            st.fixed_dictionaries({"option": TEXT}, optional={"reason": TEXT}), max_size=2
        ),
        "supersedes": st.lists(IDS, max_size=2),
        "tags": st.lists(TEXT, max_size=3),
        "commits": st.lists(IDS, max_size=2),
        "unknown": VALUES,
    },
)
TOMBSTONES = st.fixed_dictionaries(
    {
        **_COMMON,
        "kind": st.just("tombstone"),
        "target": IDS,
        "mode": st.sampled_from(["retract", "redact"]),
    },
    optional={"reason": TEXT, "unknown": VALUES},
)
OTHERS = st.fixed_dictionaries(
    {**_COMMON, "v": st.integers(1, 9), "kind": st.sampled_from(["signature", "topic", "x-moon"])},
    optional={"body": VALUES, "target": IDS},
)
RECORD_FIELDS = DECISIONS | TOMBSTONES | OTHERS
