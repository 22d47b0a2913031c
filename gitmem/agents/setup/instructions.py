"""gitmem's block in the Markdown that agents read: `AGENTS.md`, and its import in `CLAUDE.md`."""

from __future__ import annotations

from gitmem.agents.setup.file_text import decode_text
from gitmem.agents.setup.markdown_block import (
    has_block,
    has_import,
    insert_block,
    remove_block,
)
from gitmem.ports.agent_setup import FileState


class Instructions:
    """One block of text in one Markdown file; a ManagedFile.

    `is_import`: the block only imports `AGENTS.md`, for an agent that reads this file in its
    place: it is put into a file that is there, and that does not import it already."""

    def __init__(self, path: str, body: str, *, is_import: bool = False) -> None:
        self.path = path
        self._body = body
        self._is_import = is_import

    def install(self, data: bytes | None) -> bytes | None:
        text = decode_text(data, self.path)
        if self._is_import and (data is None or _imports_by_itself(text)):
            return data
        return insert_block(text, self._body).encode()

    def remove(self, data: bytes, original: bytes | None) -> bytes | None:
        left = remove_block(decode_text(data, self.path)).encode()
        return None if left != data and not left and original is None else left

    def check(self, data: bytes | None) -> FileState:
        if self.install(data) == data:
            return "installed"
        return "outdated" if has_block(decode_text(data, self.path)) else "missing"

    def find_obstacle(self, data: bytes) -> str:
        return ""


def _imports_by_itself(text: str) -> bool:
    return not has_block(text) and has_import(text)
