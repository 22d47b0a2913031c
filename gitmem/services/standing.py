"""What an excerpt's parenthesis says of it, and how much its standing and age count."""

from __future__ import annotations

from gitmem.core.timestamps import parse_at
from gitmem.services.hits import Hit

SUPERSEDED_FACTOR = 0.6
WITHDRAWN_FACTOR = 0.4
LEAST_AGE_FACTOR = 0.5
"""An old decision counts half, not nothing: most of what is asked about is old."""
WITHDRAWN = frozenset({"retracted", "reverted"})
_DAY_MS = 24 * 60 * 60 * 1000
_STEPS = ((365 * _DAY_MS, "y"), (_DAY_MS, "d"), (_DAY_MS // 24, "h"), (_DAY_MS // 1440, "min"))


def describe_standing(hit: Hit, now_ms: int) -> str:
    """`(decision · 3 d ago · superseded)`, `(commit · 2 y ago)`,
    `(note · docs/adr/0003.md § Context)`."""
    if hit.kind == "note":
        path = hit.paths[0].path if hit.paths else ""
        return f"(note · {path} § {hit.heading})" if hit.heading else f"(note · {path})"
    parts = [hit.kind]
    then = _moment(hit)
    if then is not None:
        parts.append(_format_age(max(0, now_ms - then)))
    if hit.state != "current":
        parts.append("in conflict" if hit.state == "conflict" else hit.state)
    elif hit.superseded_elsewhere:
        parts.append("superseded elsewhere")
    parts += {"elsewhere": ["not merged"], "pending": ["pending"], "private": ["private"]}.get(
        hit.where, []
    )
    if hit.unreviewed:
        parts.append("unreviewed")
    return f"({' · '.join(parts)})"


def weigh(hit: Hit, now_ms: int, half_life_days: int) -> float:
    """What a hit's score is multiplied with: below 1 for what something took the place of,
    and for decisions by age, halved after each half-life down to a half. Times in the future
    are the present."""
    factor = 1.0
    if hit.state == "superseded":
        factor = SUPERSEDED_FACTOR
    elif hit.state in WITHDRAWN:
        factor = WITHDRAWN_FACTOR
    then = _moment(hit)
    if half_life_days and hit.kind == "decision" and then is not None:
        age_days = max(0, now_ms - then) / _DAY_MS
        factor *= max(LEAST_AGE_FACTOR, 0.5 ** (age_days / half_life_days))
    return factor


def _moment(hit: Hit) -> int | None:
    try:
        return parse_at(hit.at)
    except ValueError:
        return None


def _format_age(age_ms: int) -> str:
    for length, unit in _STEPS:
        if age_ms >= length:
            return f"{age_ms // length} {unit} ago"
    return "just now"
