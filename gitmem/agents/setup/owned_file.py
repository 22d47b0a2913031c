"""A file that is gitmem's alone, such as OpenCode's plugin; another's of that name is refused."""

from __future__ import annotations

from gitmem.agents.setup.file_text import decode_text
from gitmem.errors import Refused
from gitmem.ports.agent_setup import FileState


class OwnedFile:
    """One whole file, known again by its first line; a ManagedFile."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._text = text
        self._mark = text.partition("\n")[0]

    def install(self, data: bytes | None) -> bytes:
        if data and not self._is_ours(data):
            raise Refused(
                f"{self.path} is there, and is not gitmem's",
                hint="Rename or remove it, and run this again; nothing was changed.",
            )
        return self._text.encode()

    def remove(self, data: bytes, original: bytes | None) -> bytes | None:
        return None if self._is_ours(data) else data

    def check(self, data: bytes | None) -> FileState:
        if not data or not self._is_ours(data):
            return "missing"
        return "installed" if data == self._text.encode() else "outdated"

    def find_obstacle(self, data: bytes) -> str:
        return ""

    def _is_ours(self, data: bytes) -> bool:
        return decode_text(data, self.path).startswith(self._mark)
