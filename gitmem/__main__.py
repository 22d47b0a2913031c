"""The entry point: hot commands go straight to their code, all else through click."""

from __future__ import annotations

import gc
import importlib
import sys

# Commands that run before every edit, or many times a day: parsed without click where the
# words are plain, which halves their start-up. Anything unusual falls through to click, whose
# parser is the one that the help describes.
_HOT = {
    "why": "gitmem.cli.hot_why",
    "recall": "gitmem.cli.hot_recall",
    "capture": "gitmem.cli.hot_capture",
    "changelog": "gitmem.cli.hot_changelog",
    "pull": "gitmem.cli.hot_sync",
    "push": "gitmem.cli.hot_sync",
    "hook": "gitmem.cli.hot_hook",
}


def _import_msgspec() -> None:
    """msgspec takes two names from typing_extensions, where that is installed, which Python's own
    typing has had since 3.11; what else it imports for them takes a quarter of an answer's
    time. So it is told that there is none, and nobody after it is."""
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("msgspec")
    finally:
        del sys.modules["typing_extensions"]


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    # What a command loads lives to its end, and batches of records have no cycles: looking
    # for garbage as often as Python does by default would take a tenth of the time.
    gc.set_threshold(100_000, 20, 20)
    _import_msgspec()
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] in _HOT:
        code: int | None = importlib.import_module(_HOT[words[0]]).run(words)
        if code is not None:
            return code
    result: int = importlib.import_module("gitmem.cli.main").run(words)
    return result


if __name__ == "__main__":
    sys.exit(main())
