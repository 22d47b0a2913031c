"""This clone's writer id: minted when its ref is first written."""

from __future__ import annotations

from gitmem.core.refnames import is_writer
from gitmem.errors import Damaged
from gitmem.ports.clock import Clock
from gitmem.store.durable import write_durably
from gitmem.store.paths import ClonePaths


def find_writer(clone: ClonePaths) -> str | None:
    """The id, or None where this clone never wrote a ref. Raises Damaged for nonsense."""
    try:
        text = clone.writer.read_text("ascii", errors="replace")[:64].strip()
    except FileNotFoundError:
        return None
    if not is_writer(text):
        raise Damaged(
            f"{clone.writer} does not hold a writer id",
            hint=f"Remove it and push again, which mints a new one: rm {clone.writer}",
        )
    return text


def mint_writer(clone: ClonePaths, clock: Clock) -> str:
    """A fresh id, durably kept; it replaces one that a copied clone shares with another."""
    writer = clock.random_hex(16)
    write_durably(clone.writer, writer.encode("ascii") + b"\n")
    return writer
