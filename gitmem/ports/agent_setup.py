"""What is written into a coding agent's settings, as functions over a file's bytes."""

from __future__ import annotations

from typing import Literal, Protocol

FileState = Literal["installed", "missing", "partly", "outdated"]
"""`partly`: some of it is not there; `outdated`: it is there in another form than today's."""


class ManagedFile(Protocol):
    """One file that is partly or wholly gitmem's. `path` is relative to the place that it is
    for (work tree, home or the agent's own folder), with forward slashes.

    Every method raises Refused, naming the line, for bytes that it cannot take apart.
    """

    @property
    def path(self) -> str: ...

    def install(self, data: bytes | None) -> bytes | None:
        """The file with gitmem's part in it, given None for one that is not there; None for
        one that is to stay absent. Installing twice changes nothing."""
        ...

    def remove(self, data: bytes, original: bytes | None) -> bytes | None:
        """The file without gitmem's part; None where nothing else is left of it. `original`
        is what stood there before the installation, where that is known: what was empty then
        stays empty, and is not taken out."""
        ...

    def check(self, data: bytes | None) -> FileState:
        """How much of gitmem's part is there."""
        ...

    def find_obstacle(self, data: bytes) -> str:
        """Why the agent would not run what is there, from the file itself; "" for no reason."""
        ...
