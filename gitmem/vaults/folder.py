"""One folder of Markdown, read from the file system: bounded, and never through a link."""

from __future__ import annotations

import hashlib
import importlib
import os
import stat
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from gitmem.core.note_names import ENDINGS, MAX_DEPTH
from gitmem.core.notes import Complaint, Note
from gitmem.core.paths import decode_path

MAX_NOTE_BYTES = 4 * 1024 * 1024
MAX_NOTES = 100_000
SKIPPED = frozenset({"node_modules"})
"""Folders without notes, beside those whose names begin with a dot."""

_RACY_NS = 2_000_000_000
"""What changed a moment ago may change again unseen: the slowest clock of files ticks in 2 s."""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # never wait for a FIFO somebody put there
)


class FolderVault:
    """`ports.notes.Vault` on a folder. `root` is resolved: no link stands in it."""

    def __init__(
        self, name: str, root: Path, hubs: Sequence[str], *, most: int = MAX_NOTES
    ) -> None:
        self._name = name
        self._root = root
        self._hubs = tuple(hubs)
        self._most = most
        # Which pages are hubs decides what is indexed of them.
        self._mark = hashlib.sha256("\0".join(sorted(hubs)).encode()).hexdigest()[:8]
        self._files: dict[str, str] = {}
        self._complaints: list[Complaint] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def complaints(self) -> Sequence[Complaint]:
        return tuple(self._complaints)

    def list_stamps(self) -> Mapping[str, str]:
        self._complaints = []
        self._files = {}
        if not self._root.is_dir():
            self._complain("notes-missing", "the folder is not there")
            return {}
        walk = _Walk(self._root, self._most)
        now_ns = time.time_ns()
        stamps: dict[str, str] = {}
        for relative, found in walk.run():
            path = decode_path(os.fsencode(relative))[0]
            self._files[path] = relative
            stamps[path] = self._stamp(found, now_ns)
        if walk.is_cut:
            self._complain("notes-too-many", f"only the first {self._most} pages are read")
        if walk.large:
            bound = f"{MAX_NOTE_BYTES // 1024 // 1024} MiB"
            self._complain("note-too-large", f"not read, as above {bound}", walk.large)
        if walk.unreadable:
            self._complain("notes-unreadable", "cannot be read", walk.unreadable)
        return stamps

    def read_note(self, path: str, stamp: str) -> Note | None:
        try:
            data = self._read(self._root / self._files.get(path, path))
        except (OSError, ValueError):
            return None
        if data is None or len(data) > MAX_NOTE_BYTES:
            return None
        # Questions are asked often and pages change rarely: parsing is loaded for those that do.
        parsing = importlib.import_module("gitmem.core.note_text")
        note: Note | None = parsing.build_note(self._name, path, stamp, data, self._hubs)
        return note

    def _read(self, file: Path) -> bytes | None:
        """A file's bytes, one more than the bound at most; None for what is no file of this
        folder: one on the way may have become a link since it was listed."""
        if not Path(os.path.realpath(file.parent)).is_relative_to(self._root):
            return None
        descriptor = os.open(file, _FLAGS)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as opened:
                return opened.read(MAX_NOTE_BYTES + 1)
        finally:
            os.close(descriptor)

    def _stamp(self, found: os.stat_result, now_ns: int) -> str:
        stamp = f"{found.st_size} {found.st_mtime_ns} {found.st_ino} {self._mark}"
        return f"{stamp} racy {now_ns}" if now_ns - found.st_mtime_ns < _RACY_NS else stamp

    def _complain(self, code: str, words: str, files: Sequence[str] = ()) -> None:
        """One sentence, whatever the number of files."""
        named = decode_path(os.fsencode(files[0]))[0] if files else ""
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        which = f": {named}{more}" if files else ""
        self._complaints.append(Complaint(code, f"notes in {self._name}: {words}{which}"))


class RefusedVault:
    """A configured folder that is not read, and why."""

    def __init__(self, name: str, complaint: Complaint) -> None:
        self.name = name
        self.complaints: Sequence[Complaint] = (complaint,)

    def list_stamps(self) -> Mapping[str, str]:
        return {}

    def read_note(self, path: str, stamp: str) -> Note | None:
        return None


class _Walk:
    """The pages below a folder, in the order of their names, up to a number."""

    def __init__(self, root: Path, most: int) -> None:
        self._root = root
        self._most = most
        self.is_cut = False
        self.large: list[str] = []
        self.unreadable: list[str] = []

    def run(self) -> list[tuple[str, os.stat_result]]:
        found: list[tuple[str, os.stat_result]] = []
        folders = [""]
        while folders:
            folder = folders.pop()
            inner, pages = self._list(folder)
            for page in pages:
                if len(found) == self._most:
                    self.is_cut = True
                    return found
                found.append(page)
            if folder.count("/") < MAX_DEPTH - 1:
                folders += sorted(inner, reverse=True)
        return found

    def _list(self, folder: str) -> tuple[list[str], list[tuple[str, os.stat_result]]]:
        """Folders in a folder, and the pages in it, sorted; paths from the root."""
        inner: list[str] = []
        pages: list[tuple[str, os.stat_result]] = []
        try:
            with os.scandir(self._root / folder) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.is_symlink():
                        continue
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if is_searched(entry.name) and not _is_junction(entry):
                            inner.append(path)
                    elif entry.name.lower().endswith(ENDINGS):
                        self._take(entry, path, pages)
        except OSError:
            self.unreadable.append(folder or ".")
        return inner, sorted(pages, key=lambda page: page[0])

    def _take(
        self, entry: os.DirEntry[str], path: str, pages: list[tuple[str, os.stat_result]]
    ) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return  # gone since it was listed
        if not stat.S_ISREG(found.st_mode):
            return
        if found.st_size > MAX_NOTE_BYTES:
            self.large.append(path)
        else:
            pages.append((path, found))


def is_searched(folder: str) -> bool:
    """Whether a folder of this name is looked into."""
    return not folder.startswith(".") and folder not in SKIPPED


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Windows' other kind of link to a folder."""
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0))
