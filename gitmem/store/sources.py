"""Where records come from: the ports of one repository, and of a detached memory's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gitmem.ports.repository import ObjectReader, RefStore, RepositorySettings


class Sources(msgspec.Struct, frozen=True):
    """Where records come from. `memory_objects` and `memory_refs` are those of the detached
    memory's own repository, and the code's own otherwise."""

    objects: ObjectReader
    refs: RefStore
    settings: RepositorySettings
    memory_objects: ObjectReader
    memory_refs: RefStore
