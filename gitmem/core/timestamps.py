"""Times as records carry them, RFC 3339 UTC with milliseconds, and as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1)

_DAY_MS = 24 * 60 * 60 * 1000
_STEPS = (
    (60 * 60 * 24 * 365, "year"),
    (60 * 60 * 24 * 30, "month"),
    (60 * 60 * 24 * 7, "week"),
    (60 * 60 * 24, "day"),
    (60 * 60, "hour"),
    (60, "minute"),
)


def format_at(epoch_ms: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since the epoch."""
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds") + "Z"


def parse_at(text: str) -> int:
    """Milliseconds since the epoch of a record's time, or of any RFC 3339 time or date.

    Raises ValueError for anything else. A time without zone is UTC.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def parse_until(text: str) -> int:
    """The same of a time that something is asked up to: a date alone means its last
    millisecond. Raises ValueError."""
    start = parse_at(text.strip())
    is_date = "T" not in text.upper() and ":" not in text
    return start + _DAY_MS - 1 if is_date else start


def format_age(then_ms: int, now_ms: int) -> str:
    """`12 days ago`; a time in the future is clamped to the present: `just now`."""
    seconds = max(0, now_ms - then_ms) // 1000
    for length, unit in _STEPS:
        if seconds >= length:
            count = seconds // length
            # As git does: days up to two weeks, weeks up to ten, then months.
            if (unit == "week" and count < 2) or (unit == "month" and seconds < 70 * 86400):
                continue
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
