"""Which pending records a person has looked at and accepted: kept in the clone, by id."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from gitmem.store.durable import write_durably
from gitmem.store.paths import ClonePaths

MAX_BYTES = 4 * 1024 * 1024


def read_reviewed(clone: ClonePaths) -> set[str]:
    """The ids; none where nothing was ever accepted."""
    try:
        with open(clone.home / "marks" / "reviewed.json", "rb") as file:
            return set(msgspec.json.decode(file.read(MAX_BYTES), type=list[str]))
    except (OSError, msgspec.DecodeError):
        return set()


def write_reviewed(clone: ClonePaths, ids: Collection[str]) -> None:
    """Replace the ids. Raises CannotWrite."""
    write_durably(clone.home / "marks" / "reviewed.json", msgspec.json.encode(sorted(ids)))
