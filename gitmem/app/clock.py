"""The system's clock and chance; `GITMEM_NOW` fixes the clock."""

from __future__ import annotations

import os
import time

from gitmem.core.timestamps import parse_at
from gitmem.errors import UsageError


class SystemClock:
    """`ports.clock.Clock` of the operating system."""

    def __init__(self, fixed_now: str | None = None) -> None:
        """`fixed_now` is an RFC 3339 time. Raises UsageError for anything else."""
        self._fixed_ms: int | None = None
        if fixed_now is not None:
            try:
                self._fixed_ms = parse_at(fixed_now)
            except ValueError:
                raise UsageError(f"GITMEM_NOW is not a time: {fixed_now!r}") from None

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 if self._fixed_ms is None else self._fixed_ms

    def random_hex(self, digits: int) -> str:
        return os.urandom((digits + 1) // 2).hex()[:digits]
