"""Waiting for others, but not for long: a bound on each piece of work and on all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any


class OutOfPatience(Exception):
    """A piece of work took longer than it may."""


class Patience:
    """So many milliseconds for one, so many for all together.

    Work runs in a thread that is left behind where it hangs: nothing in Python ends a read
    from a file system that does not answer.
    """

    def __init__(self, each_ms: int, all_ms: int) -> None:
        self._each = each_ms / 1000
        self._end = time.monotonic() + all_ms / 1000

    def check(self, started: float) -> None:
        """For work that can stop by itself. Raises OutOfPatience."""
        now = time.monotonic()
        if now - started > self._each or now > self._end:
            raise OutOfPatience

    def run(self, work: Callable[[], Any]) -> Any:
        """What the work gives. Raises what it raises, and OutOfPatience."""
        limit = min(self._each, self._end - time.monotonic())
        if limit <= 0:
            raise OutOfPatience
        ended: list[Any] = []
        failed: list[BaseException] = []

        def attempt() -> None:
            try:
                ended.append(work())
            except BaseException as error:  # handed over to whoever waits
                failed.append(error)

        thread = threading.Thread(target=attempt, daemon=True)
        thread.start()
        thread.join(limit)
        if failed:
            raise failed[0]
        if not ended:
            raise OutOfPatience
        return ended[0]
