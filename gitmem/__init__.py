"""gitmem: git blame says who and when, gitmem says why.

`gitmem.open_memory(path)` opens the memory of a repository; see `docs/python.md`.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"
__all__ = ["OpenMemory", "__version__", "open_memory"]


def __getattr__(name: str) -> Any:
    """Resolve the public interface on first use, so that hot commands do not pay for it."""
    if name in ("open_memory", "OpenMemory"):
        return getattr(importlib.import_module("gitmem.app.memory"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
