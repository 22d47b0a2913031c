"""This clone's writer id: minted when its ref is first written."""

from __future__ import annotations

import os

from gitmem.core.refnames import is_writer
from gitmem.errors import Damaged
from gitmem.ports.clock import Clock
from gitmem.store.durable import cannot_write, sync_directory, write_durably
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


def ensure_writer(clone: ClonePaths, clock: Clock) -> str:
    """The id, durably kept; minted where there is none. Of several processes that mint at
    once, the first decides."""
    writer = find_writer(clone)
    if writer is not None:
        return writer
    minted = clock.random_hex(16)
    temporary = clone.writer.with_name(f".writer.{minted}.tmp")
    write_durably(temporary, minted.encode("ascii") + b"\n")
    try:
        os.link(temporary, clone.writer)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        temporary.replace(clone.writer)
    try:
        temporary.unlink(missing_ok=True)
        sync_directory(clone.home)
    except OSError as error:
        raise cannot_write(clone.writer, error) from error
    return find_writer(clone) or minted


def set_writer(clone: ClonePaths, writer: str) -> None:
    """Keep an id durably, in place of one that a copied clone shares with another."""
    write_durably(clone.writer, writer.encode("ascii") + b"\n")
