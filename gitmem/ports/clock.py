"""What time it is, and chance."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """The present (`GITMEM_NOW` fixes it) and fresh random names."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...

    def random_hex(self, digits: int) -> str:
        """That many random lower-case hexadecimal digits."""
        ...
