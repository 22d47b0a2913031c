"""Note vaults: the files, and the derived index over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from gitmem.core.notes import BadLink, Chunk, Complaint, Note


class Vault(Protocol):
    """One configured folder of Markdown, read from the work tree. Follows no symlink out of
    it; files and their number are bounded."""

    @property
    def name(self) -> str:
        """As configured: the folder relative to the repository's root, or absolute."""
        ...

    def list_stamps(self) -> Mapping[str, str]:
        """Path relative to the vault → stamp (size and time), for every page, without reading
        any. Empty where the folder is missing or must not be read; see `complaints`."""
        ...

    @property
    def complaints(self) -> Sequence[Complaint]:
        """What the last `list_stamps` could not take."""
        ...

    def read_note(self, path: str, stamp: str) -> Note | None:
        """One page, parsed and cut into chunks; None where it is gone or no text."""
        ...


class NoteIndex(Protocol):
    """The notes in the cache: chunks for full-text search, and links."""

    def get_stamps(self, vault: str) -> Mapping[str, str]:
        """Path → stamp, as last indexed."""
        ...

    def replace_notes(self, vault: str, notes: Iterable[Note], gone: Sequence[str]) -> None:
        """Index new and changed notes, and forget those that are gone: one transaction."""
        ...

    def drop_vaults(self, kept: Sequence[str]) -> None:
        """Forget every vault but these (no longer configured)."""
        ...

    def get_chunks(self, ids: Sequence[str]) -> list[tuple[Note, Chunk]]:
        """Chunks with their notes (without other chunks), in the order asked; unknown ids are
        left out."""
        ...

    def list_chunk_ids(self, vault: str, path: str) -> list[str]:
        """The chunks of one page, from its beginning to its end."""
        ...

    def find_notes(self, name: str) -> list[Note]:
        """The pages a wikilink's target may mean, best first: exact before case-folded."""
        ...

    def list_bad_links(self, *, limit: int) -> list[BadLink]:
        """Dangling and ambiguous links, sorted by vault, path and line."""
        ...
