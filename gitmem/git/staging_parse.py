"""Reading what `git diff-index` prints: raw changes, and the lines that a patch adds."""

from __future__ import annotations

import re

from gitmem.core.paths import decode_path
from gitmem.errors import GitFailed
from gitmem.git.blame_exec import unquote_path
from gitmem.ports.staging import AddedLines, StagedChange

_HUNK = re.compile(rb"@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@")


def parse_changes(raw: bytes) -> list[StagedChange]:
    """The changes of `--raw -z`. Raises GitFailed where the output is not of that form."""
    fields = raw.split(b"\0")
    changes = []
    position = 0
    while position + 1 < len(fields):
        # `:old-mode new-mode old-oid new-oid status`
        parts = fields[position].decode("ascii", "replace").split(" ")
        if len(parts) != 5:
            raise GitFailed("git diff-index gave an answer that is none")
        status = parts[4][:1]
        first = decode_path(fields[position + 1])[0]
        if status in "RC":
            second = decode_path(fields[position + 2])[0]
            changes.append(StagedChange(status, second, first, parts[3]))
            position += 3
        else:
            changes.append(StagedChange(status, first, None, parts[3]))
            position += 2
    return changes


def parse_added_lines(raw: bytes) -> list[AddedLines]:
    """The added lines of a patch without context, by file."""
    found: list[AddedLines] = []
    path: tuple[str, bool] | None = None
    rows: list[tuple[int, str]] = []
    number = left = 0
    for line in raw.split(b"\n"):
        if left and line.startswith(b"+"):
            rows.append((number, line[1:].decode("utf-8", "replace").removesuffix("\r")))
            number += 1
            left -= 1
        elif left and line.startswith((b"-", b"\\")):
            continue
        elif line.startswith(b"diff --git "):
            _close(found, path, rows)
            path, rows, left = None, [], 0
        elif path is None and line.startswith(b"+++ "):
            # A name with spaces is followed by a tab.
            name = unquote_path(line[4:].removesuffix(b"\t"))
            path = decode_path(name.removeprefix(b"b/"))
        elif hunk := _HUNK.match(line):
            number, left = int(hunk[1]), int(hunk[2] or 1)
    _close(found, path, rows)
    return found


def _close(
    found: list[AddedLines], path: tuple[str, bool] | None, rows: list[tuple[int, str]]
) -> None:
    if path is not None and rows:
        found.append(AddedLines(*path, tuple(rows)))
