"""Generated JSON with comments: any layout that a person or a formatter could have left."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# A busy machine is not a fault of what is generated.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
_NAMES = st.one_of(st.text(max_size=6), st.sampled_from(["a", "permissions", "env", "//", "{"]))
VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)
_GAPS = (
    *[""] * 4,
    " ",
    "\n",
    "\n  ",
    "\n\t",
    " /* one */ ",
    "/*,*/",
    '/* "\n */',
    "// ]}\n",
    "\n  // last\n\n  // words\n  ",
)


def _gaps(eol: str) -> st.SearchStrategy[str]:
    """White space and comments between two tokens."""
    return st.sampled_from([gap.replace("\n", eol) for gap in _GAPS])


@st.composite
def layouts(draw: st.DrawFn, value: Any, eol: str = "\n") -> str:
    """A value as text, with gaps and trailing commas wherever they may stand."""
    gap = _gaps(eol)

    def render(one: Any) -> str:
        if isinstance(one, dict):
            rows = [
                f"{draw(gap)}{json.dumps(key)}{draw(gap)}:{draw(gap)}{render(inner)}{draw(gap)}"
                for key, inner in one.items()
            ]
            return "{" + close(rows) + "}"
        if isinstance(one, list):
            return "[" + close([f"{draw(gap)}{render(inner)}{draw(gap)}" for inner in one]) + "]"
        return json.dumps(one, ensure_ascii=draw(st.booleans()))

    def close(rows: list[str]) -> str:
        if not rows:
            return draw(gap)
        trailing = "," + draw(gap) if draw(st.booleans()) else ""
        return ",".join(rows) + trailing

    return draw(gap) + render(value) + draw(gap)


@st.composite
def documents(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[str, Any]:
    """A text, and the value that it means; formatted by a program, or any old how."""
    value = draw(values)
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
        return text.replace("\n", eol), value
    return draw(layouts(value, eol)), value
