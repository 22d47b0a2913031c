"""How much work a call is, in lines of Python that it runs: the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(action: Callable[[], object]) -> int:
    """Lines of this project's own modules that the call executes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if "gitmem" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def grows_in_proportion(make: Callable[[int], Callable[[], object]], *, size: int) -> bool:
    """Whether twice and four times as much takes about twice and four times the work."""
    once, twice, four = (count_lines(make(size * factor)) for factor in (1, 2, 4))
    return once > 0 and twice <= 2.3 * once and four <= 2.3 * twice
